// A provider, its people and programs, and a server that trusts it.
import { execSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const { PROOF_ISSUER: issuer, PROOF_SERVER: server, PROOF_REMOVE: remove } = process.env;
const resource = `${server}/mcp`;
// The provider tells at length what a real one would be given.
console.info = console.warn = () => {};

function check(holds, what) {
  if (!holds) {
    console.error(`FAILED: ${what}`);
    process.exit(1);
  }
}

function key(kid) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

const lives = { [resource]: 600, 'https://elsewhere.example/mcp': 600 };

function begin(address, keys, life = lives) {
  const program = (client_id) => ({
    client_id,
    client_secret: `the secret of ${client_id}`,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  });
  const provider = new Provider(address, {
    clients: [
      {
        client_id: 'roundtable',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [`${server}/sign-in/back`],
      },
      program('robot'),
      program('stranger'),
    ],
    jwks: { keys },
    cookies: { keys: ['a key for the cookies of the provider'] },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true }),
    }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          scope: 'mcp',
          audience,
          accessTokenTTL: life[audience],
          accessTokenFormat: 'jwt',
        }),
      },
    },
  });
  return new Promise((ready) => {
    const http = createServer(provider.callback());
    http.listen(new URL(address).port, '127.0.0.1', () => ready(http));
  });
}

/// The client notices only when it uses it that a connection was closed.
async function end(http) {
  await new Promise((done) => { http.close(done); http.closeAllConnections(); });
  await pause(500);
}

async function token(of, audience, from = issuer) {
  const answer = await fetch(`${from}/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${of}:${encodeURIComponent(`the secret of ${of}`)}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'mcp' }),
  });
  const said = await answer.json();
  check(said.access_token, `no token: ${JSON.stringify(said)}`);
  return said.access_token;
}

/// The status of a call of the protocol with this token.
async function call(bearer) {
  const method = 'tools/list';
  const answer = await fetch(resource, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0', id: 1, method,
      params: { _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'proof', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      } },
    }),
  });
  await answer.text();
  return answer;
}

const status = async (bearer) => (await call(bearer)).status;
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

async function comes(what, holds) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await holds()) return;
    await pause(200);
  }
  check(false, what);
}

/// A browser: it keeps cookies by place and follows no redirect by itself.
class Browser {
  jar = {};

  async open(url, options = {}) {
    const place = new URL(url).origin;
    const cookies = Object.entries(this.jar[place] ?? {}).map(([name, value]) => `${name}=${value}`);
    const headers = { ...options.headers, cookie: cookies.join('; ') };
    const answer = await fetch(url, { ...options, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      (this.jar[place] ??= {})[name] = value;
    }
    return answer;
  }

  /// Follows redirects until a page answers, and says where that was.
  async follow(url, options) {
    let [at, answer] = [url, await this.open(url, options)];
    while (answer.status >= 300 && answer.status < 400) {
      at = new URL(answer.headers.get('location'), at).href;
      if (at.startsWith(`${server}/sign-in/back`)) return [at, null];
      answer = await this.open(at);
    }
    return [at, answer];
  }

  /// Signs in at the provider and returns the address that leads back.
  async signIn(login) {
    let [at, page] = await this.follow(`${server}/sign-in/provider`);
    for (let steps = 0; page && steps < 4; steps += 1) {
      const text = await page.text();
      const action = text.match(/action="([^"]+)"/)[1];
      const prompt = text.match(/name="prompt" value="([^"]+)"/)[1];
      [at, page] = await this.follow(new URL(action, at).href, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ prompt, login, password: 'any' }),
      });
    }
    check(!page, `the provider does not lead back: ${at}`);
    return at;
  }
}

// The protocol says where to get a token.
let provider = await begin(issuer, [key('one')]);
const refused = await call();
const challenge = refused.headers.get('www-authenticate');
const place = challenge.match(/resource_metadata="([^"]+)"/)?.[1];
check(refused.status === 401 && place, `no way to a token: ${challenge}`);
const about = await (await fetch(place)).json();
check(about.resource === resource && about.authorization_servers[0] === issuer, JSON.stringify(about));

// Audiences, people and issuers.
const good = await token('robot', resource);
check((await status(good)) === 200, 'the right audience');
check((await status(await token('robot', 'https://elsewhere.example/mcp'))) === 401, 'a wrong audience');
check((await status(await token('stranger', resource))) === 401, 'somebody whom nobody added');
check((await status(`${good.slice(0, -8)}AAAAAAAA`)) === 401, 'a forged signature');
const other = `http://127.0.0.1:${Number(new URL(issuer).port) + 1}`;
const elsewhere = await begin(other, [key('one')]);
check((await status(await token('robot', resource, other))) === 401, 'another issuer');
await end(elsewhere);

// The page, with a code and a proof that only this browser has.
const browser = new Browser();
const back = await browser.signIn('ann');
check((await new Browser().open(back)).status === 401, 'a code in another browser');
check((await browser.open(back.replace(/state=[^&]+/, 'state=guessed'))).status === 401, 'a guessed state');
check((await browser.open(back)).status === 200, 'the way back');
check((await browser.open(`${server}/`)).status === 200, 'the page');
const unknown = new Browser();
check((await unknown.open(await unknown.signIn('eve'))).status === 401, 'eve, whom nobody added');
check((await unknown.open(`${server}/`)).status === 303, 'the page without a session');

// The provider changes its keys: new tokens are believed, old ones no longer.
await end(provider);
provider = await begin(issuer, [key('two')], { [resource]: 1 });
const short = await token('robot', resource);
await comes('a token with the new key', async () => (await status(short)) === 200);
check((await status(good)) === 401, 'a token with a key that was withdrawn');
await comes('the end of an expired token', async () => (await status(short)) === 401);

// Whoever is removed is gone, on the page too.
execSync(`${remove} ann@example.org`, { stdio: 'ignore' });
await comes('the end of a removed person', async () => (await browser.open(`${server}/`)).status === 303);
await end(provider);
console.log('OpenID: audiences, issuers, expiry, changed keys and the sign-in to the page hold with oidc-provider');
process.exit(0);
