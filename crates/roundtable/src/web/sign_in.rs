//! Signing in by the server's token, or by a person's own. A link and a cookie are made of a time and a mark
//! that only a holder of the token can make, so they are checked without being stored,
//! and a restarted server knows them again.

use engine::nouns::TokenHash;
use subtle::ConstantTimeEq as _;

/// The time for which a link can be followed.
const LINK_MS: i64 = 2 * 60 * 1000;
/// The time for which a browser stays signed in.
pub const SESSION_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// The purpose of a mark; one made for one purpose is worth nothing for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkPurpose {
    Link,
    Session,
}

impl MarkPurpose {
    fn context(self) -> &'static str {
        match self {
            MarkPurpose::Link => "roundtable 2026-11 one-time link",
            MarkPurpose::Session => "roundtable 2026-11 page session",
        }
    }
}

/// Whoever signed in. A person's cookie is worth as much as the token they signed in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageSession {
    Machine,
    Person(TokenHash),
    /// Somebody whom the OpenID provider has named.
    Named(String),
}

/// Stands before a name in a cookie; no hash begins so.
const NAMED: &str = "n";

fn name_of(hex: &str) -> Option<String> {
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Makes and checks links and cookies with the server's token.
#[derive(Clone)]
pub struct PageKey {
    token: String,
}

impl PageKey {
    pub fn new(token: &str) -> PageKey {
        PageKey { token: token.trim().to_owned() }
    }

    /// A code that signs a browser in once, for two minutes. `nonce` must be random.
    pub fn link(&self, now_ms: i64, nonce: &str) -> String {
        self.marked(MarkPurpose::Link, now_ms.saturating_add(LINK_MS), nonce)
    }

    /// Returns the nonce and the end of a link that is valid now.
    pub fn check_link(&self, code: &str, now_ms: i64) -> Option<(String, i64)> {
        self.checked(MarkPurpose::Link, code, now_ms)
    }

    /// The value of the cookie, of whoever signed in. `nonce` must be random.
    pub fn session(&self, now_ms: i64, nonce: &str, of: &PageSession) -> String {
        let nonce = match of {
            PageSession::Machine => nonce.to_owned(),
            PageSession::Person(hash) => format!("{nonce}-{}", hash.hex()),
            // In hexadecimal, since a name may hold the sign that ends a part.
            PageSession::Named(name) => {
                let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
                format!("{nonce}-{NAMED}{hex}")
            }
        };
        self.marked(MarkPurpose::Session, now_ms.saturating_add(SESSION_MS), &nonce)
    }

    /// Returns whose cookie it is, if it is one of this server.
    pub fn session_of(&self, cookie: &str, now_ms: i64) -> Option<PageSession> {
        let (nonce, _) = self.checked(MarkPurpose::Session, cookie, now_ms)?;
        match nonce.split_once('-') {
            None => Some(PageSession::Machine),
            Some((_, of)) => match of.strip_prefix(NAMED) {
                Some(hex) => name_of(hex).map(PageSession::Named),
                None => TokenHash::from_hex(of).map(PageSession::Person),
            },
        }
    }

    /// Takes the same time for any input, because two hashes are compared.
    pub fn knows_token(&self, given: &str) -> bool {
        let given = blake3::hash(given.trim().as_bytes());
        given.as_bytes().ct_eq(blake3::hash(self.token.as_bytes()).as_bytes()).into()
    }

    fn marked(&self, purpose: MarkPurpose, until: i64, nonce: &str) -> String {
        let said = format!("{until}.{nonce}");
        format!("{said}.{}", self.mark(purpose, &said).to_hex())
    }

    fn checked(&self, purpose: MarkPurpose, code: &str, now_ms: i64) -> Option<(String, i64)> {
        let (said, mark) = code.rsplit_once('.')?;
        let given = blake3::Hash::from_hex(mark).ok()?;
        let same = bool::from(given.as_bytes().ct_eq(self.mark(purpose, said).as_bytes()));
        let (until, nonce) = said.split_once('.')?;
        let until: i64 = until.parse().ok()?;
        (same && now_ms < until).then(|| (nonce.to_owned(), until))
    }

    fn mark(&self, purpose: MarkPurpose, said: &str) -> blake3::Hash {
        let key = blake3::derive_key(purpose.context(), self.token.as_bytes());
        blake3::keyed_hash(&key, said.as_bytes())
    }
}
