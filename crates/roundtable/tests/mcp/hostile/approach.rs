//! The ways to a server: with TLS, through proxies that are trusted and others that are not, and
//! the lines that it logs.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Arc;

use fake_provider::FakeOptions;
use fake_provider::tls::{AUTHORITY, CERTIFICATE, KEY};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};

use crate::http::{Serving, TOKEN};
use crate::support::Home;
use crate::table::{Table, short_with};

const CONFIG: &str = "config/roundtable/config.toml";

fn refused(config: &str, args: &[&str]) -> String {
    let home = Home::new();
    home.file(CONFIG, config);
    home.file("data/server.pem", CERTIFICATE);
    home.file("data/server.key", KEY);
    let done = Command::new(assert_cmd::cargo::cargo_bin("roundtable"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(args)
        .env_clear()
        .envs(home.variables())
        .current_dir(home.path())
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// One request over TLS, with the authority that vouches for the server.
fn over_tls(address: &str, request: &str) -> String {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(address).unwrap());
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn sign_in(address: &str) -> String {
    let body = format!("token={TOKEN}");
    format!(
        "POST /sign-in HTTP/1.1\r\nhost: {address}\r\norigin: https://{address}\r\n\
         connection: close\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Covers: 17-tls
#[test]
fn a_server_with_a_certificate_speaks_tls_and_nothing_else() {
    let home = Home::new();
    home.file("data/server.pem", CERTIFICATE);
    home.file("data/server.key", KEY);
    let path = |name: &str| home.path().join("data").join(name).display().to_string();
    let config = format!(
        "[server]\ntls_cert = {:?}\ntls_key = {:?}\n",
        path("server.pem"),
        path("server.key")
    );
    home.file(CONFIG, &config);
    let serving = Serving::begin(&home, &[]);
    let at = &serving.address;
    let healthy = format!("GET /healthz HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n");
    assert!(over_tls(at, &healthy).starts_with("HTTP/1.1 200"));
    let signed_in = over_tls(at, &sign_in(at)).to_lowercase();
    assert!(signed_in.contains("samesite=strict") && signed_in.contains("; secure"), "{signed_in}");
    assert_ne!(serving.send("GET", "/healthz", &[], "").status, 200, "it answered in the clear");
    // Whoever names the server to others names it so, and the link signs in.
    let opened =
        home.run_with(&["open", "--print", "--listen", at], &[("ROUNDTABLE_TOKEN", TOKEN)]);
    let link = opened.stderr.split_once(&format!("Open https://{at}")).expect(&opened.stderr).1;
    let follow = format!(
        "GET {} HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n",
        link.lines().next().unwrap()
    );
    let followed = over_tls(at, &follow).to_lowercase();
    assert!(followed.contains("set-cookie: ") && followed.contains("; secure"), "{followed}");
    let set_up = home.run(&["setup", "vscode", "--http", "--dry-run"]);
    assert!(set_up.stdout.contains("https://127.0.0.1:8765/mcp"), "{set_up:?}");
}

#[test]
fn settings_of_the_way_in_that_cannot_be_used_are_refused_at_once() {
    for (config, wanted) in [
        ("tls_cert = \"data/server.pem\"", "tls_key is not"),
        ("tls_key = \"data/server.key\"", "tls_cert is not"),
        ("tls_cert = \"data/none.pem\"\ntls_key = \"data/server.key\"", "data/none.pem"),
        ("tls_cert = \"data/server.key\"\ntls_key = \"data/server.key\"", "no certificate"),
        ("trusted_proxies = [\"somewhere\"]", "trusted_proxies"),
        ("log = \"loud\"", "server.log"),
    ] {
        let said = refused(&format!("[server]\n{config}\n"), &[]);
        assert!(said.contains(wanted), "{config}: {said}");
    }
    assert!(refused("", &["--log", "loud"]).contains("json"));
}

/// Covers: 17-proxies
#[test]
fn only_a_trusted_proxy_may_say_who_called() {
    let stranger = |serving: &Serving, from: &str| {
        serving.send("POST", "/mcp", &[("x-forwarded-for", from)], "{}").status
    };
    let home = Home::new();
    let mut plain = Serving::begin(&home, &[]);
    plain.token = None;
    let all: Vec<u16> = (0..80).map(|n| stranger(&plain, &format!("203.0.113.{n}"))).collect();
    assert!(all.contains(&429), "headers of strangers were believed: {all:?}");

    let home = Home::new();
    home.file(CONFIG, "[server]\ntrusted_proxies = [\"127.0.0.0/8\", \"198.51.100.7\"]\n");
    let mut behind = Serving::begin(&home, &[]);
    behind.token = None;
    let one: Vec<u16> = (0..80).map(|_| stranger(&behind, "203.0.113.1")).collect();
    assert!(one.contains(&429), "{one:?}");
    assert_eq!(stranger(&behind, "203.0.113.2, 198.51.100.7"), 401, "another caller was put off");
    let origin = format!("https://{}", behind.address);
    let headers = [
        ("x-forwarded-for", "203.0.113.3"),
        ("x-forwarded-proto", "https"),
        ("origin", origin.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let signed_in = behind.send("POST", "/sign-in", &headers, &format!("token={TOKEN}"));
    assert!(signed_in.head.contains("; secure"), "{}", signed_in.head);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_names_the_page_of_its_debate_as_its_caller_came() {
    let table = Table::with(FakeOptions::default()).await;
    let config = "clerk = \"none\"\n[server]\ntrusted_proxies = [\"127.0.0.1\"]\n\
                  [profiles.quick]\nrounds = 1\n\
                  agents = [\"Ann=ollama/fake-large\", \"Bea=ollama/fake-small\"]\n";
    table.home.file(CONFIG, config);
    let serving = Serving::begin(&table.home, &[("OLLAMA_BASE_URL", &table.fake.base_url())]);
    let message = json!({ "role": "user", "content": "Tabs or spaces?" });
    let body = json!({ "model": "roundtable/quick", "messages": [message] }).to_string();
    for scheme in ["http", "https"] {
        let headers = [("content-type", "application/json"), ("x-forwarded-proto", scheme)];
        let answer = serving.send("POST", "/v1/chat/completions", &headers, &body);
        let wanted = format!("({scheme}://{}/debates/", serving.address);
        assert!(answer.body.contains(&wanted), "{wanted}: {answer:?}");
    }
}

/// Covers: 17-logs
#[tokio::test(flavor = "multi_thread")]
async fn a_server_logs_one_object_a_line_and_no_word_of_a_debate() {
    let table = Table::with(FakeOptions::default()).await;
    let mut process = Command::new(assert_cmd::cargo::cargo_bin("roundtable"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "json"])
        .env_clear()
        .envs(table.home.variables())
        .env("OLLAMA_BASE_URL", table.fake.base_url())
        .env("ROUNDTABLE_TOKEN", TOKEN)
        .current_dir(table.home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let address = first["address"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let mut serving = Serving { process, address, token: Some(TOKEN.into()) };
    let arguments =
        short_with(json!({ "topic": "Shall the lavender be moved?", "waitSeconds": 60 }));
    let call = json!({ "name": "start_roundtable", "arguments": arguments });
    let said: Vec<String> = tokio::task::block_in_place(|| {
        assert_eq!(serving.post("tools/call", call, &[]).status, 200);
        serving.process.kill().unwrap();
        lines.map_while(Result::ok).collect()
    });
    let read = |line: &String| serde_json::from_str::<Value>(line).unwrap();
    let objects: Vec<Value> = said.iter().map(read).chain([first]).collect();
    for line in &objects {
        for name in ["time", "level", "node", "message"] {
            assert!(line[name].is_string(), "{name} is missing in {line}");
        }
    }
    let rested = objects.iter().find(|line| line["end"] == "completed").expect("no end");
    assert!(rested["debate"].is_string(), "{rested}");
    assert!(!said.concat().contains("lavender"), "{said:?}");
}
