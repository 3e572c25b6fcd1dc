//! The entrance of the server under siege: silent sockets, requests without a token,
//! heaps of sessions and starts. Whoever has the token is served all the while, and what
//! cannot be served is refused with the time after which to try again.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};

use crate::http::{Answer, Serving, TOKEN, WANTED, hello};
use crate::support::Home;

/// More sockets than any server may keep.
const SOCKETS: usize = 2_000;

/// What hostile sockets send before they fall silent.
const BEGINNINGS: [&str; 5] = [
    "",
    "P",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: ",
    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
    "GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer guessed-by-somebody\r\n\r\n",
];

fn list(server: &Serving) -> Answer {
    server.post("tools/list", json!({}), &[])
}

fn retry_after(answer: &Answer) -> Option<u32> {
    let line = answer.head.lines().find_map(|line| line.strip_prefix("retry-after: "))?;
    line.trim().parse().ok()
}

#[test]
fn thousands_of_hostile_sockets_lock_nobody_out() {
    let files = rustix::process::Resource::Nofile;
    let limit = rustix::process::getrlimit(files);
    let raised = rustix::process::Rlimit { current: limit.maximum, ..limit };
    rustix::process::setrlimit(files, raised).unwrap();
    let home = Home::new();
    let server = Serving::begin(&home, &[]);
    let sockets: Vec<TcpStream> = (0..SOCKETS)
        .filter_map(|number| {
            let mut socket = TcpStream::connect(&server.address).ok()?;
            let _ = socket.write_all(BEGINNINGS[number % BEGINNINGS.len()].as_bytes());
            Some(socket)
        })
        .collect();
    assert!(sockets.len() > SOCKETS / 2, "only {} sockets were opened", sockets.len());
    let began = std::time::Instant::now();
    for _ in 0..20 {
        let answer = list(&server);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    println!(
        "{} hostile sockets held; an authorised call took {:.1} ms",
        sockets.len(),
        began.elapsed().as_secs_f64() * 1e3 / 20.0
    );
    // The server holds no more of them than it may.
    let folder = format!("/proc/{}/fd", server.process.id());
    let files = std::fs::read_dir(folder).map_or(0, Iterator::count);
    assert!(files < 600, "the server has {files} files open");
    drop(sockets);
}

#[test]
fn a_socket_that_says_nothing_is_closed() {
    let home = Home::new();
    let server = Serving::begin(&home, &[]);
    let mut sockets: Vec<TcpStream> =
        (0..3).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    sockets[1].write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: ").unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: 100\r\n\r\n{{"
    );
    sockets[2].write_all(head.as_bytes()).unwrap();
    for mut socket in sockets {
        socket.set_read_timeout(Some(proof::PATIENCE)).unwrap();
        let mut said = String::new();
        socket.read_to_string(&mut said).expect("the server keeps a socket that says nothing");
        assert!(said.is_empty() || said.contains(" 408 "), "{said}");
    }
}

#[test]
fn requests_without_a_token_spend_nobody_elses_rate() {
    let home = Home::new();
    let mut server = Serving::begin(&home, &[]);
    let token = server.token.take();
    let answers: Vec<Answer> = (0..700).map(|_| list(&server)).collect();
    assert!(answers.iter().all(|answer| [401, 429].contains(&answer.status)));
    let put_off = answers.iter().find(|answer| answer.status == 429).expect("no limit");
    assert!(retry_after(put_off).is_some(), "{put_off:?}");
    assert_eq!(put_off.message()["error"]["code"], -32000, "{put_off:?}");
    server.token = token;
    assert_eq!(list(&server).status, 200);
}

#[test]
fn sessions_that_are_not_used_make_room_for_others() {
    let home = Home::new();
    let server = Serving::begin(&home, &[]);
    let open = || {
        let answer = server.send("POST", "/mcp", &WANTED, &hello());
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.expect("no session").trim().to_owned()
    };
    let ask = |session: &str| {
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string();
        let ours = [WANTED[0], WANTED[1], ("mcp-session-id", session)];
        server.send("POST", "/mcp", &ours, &list)
    };
    let ours = open();
    assert_eq!(ask(&ours).status, 200);
    let first = open();
    // As many as may be open, and more.
    (0..460).for_each(|_| drop(open()));
    assert_eq!(ask(&ours).status, 200, "a session in use was ended");
    let gone = ask(&first);
    assert_eq!(gone.status, 404, "{gone:?}");
    assert_eq!(gone.message()["id"], 2, "{gone:?}");
    assert!(gone.message()["error"]["message"].is_string(), "{gone:?}");
    // Without a session it goes as before.
    assert_eq!(list(&server).status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn starts_are_limited_by_queue_and_by_minute() {
    let options =
        FakeOptions { latency: std::time::Duration::from_secs(600), ..FakeOptions::default() };
    let fake = FakeProvider::start(options).await.unwrap();
    let url = fake.base_url();
    for (settings, most) in [
        ("most_debates = 2\nmost_queued = 3\nstarts_per_minute = 1000", 5),
        ("most_debates = 50\nstarts_per_minute = 4", 4),
    ] {
        let home = Home::new();
        home.file("config/roundtable/config.toml", &format!("[server]\n{settings}\n"));
        let server = Serving::begin(&home, &[("OLLAMA_BASE_URL", &url)]);
        let start = |number: usize| {
            let arguments = json!({
                "topic": format!("Is it so, number {number}?"), "waitSeconds": 0, "rounds": 1,
                "agents": ["ollama/fake-large", "ollama/fake-small"], "clerk": "none",
            });
            let call = json!({ "name": "start_roundtable", "arguments": arguments });
            server.post("tools/call", call, &[]).message()["result"].clone()
        };
        let results: Vec<Value> = (0..most + 4).map(start).collect();
        let (taken, refused) = results.split_at(most);
        assert!(taken.iter().all(|result| result["isError"] == false), "{settings}: {taken:?}");
        for result in refused {
            assert_eq!(result["isError"], true, "{settings}: {result}");
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("try again in") && text.contains("seconds"), "{text}");
        }
        // Nothing was written of those that were refused.
        let sessions = home.run(&["sessions", "list", "--json"]).stdout;
        let sessions: Value = serde_json::from_str(&sessions).unwrap();
        assert_eq!(sessions.as_array().map(Vec::len), Some(most), "{settings}: {sessions}");
    }
}

#[test]
fn on_loopback_too_a_token_is_needed_and_kept_for_its_owner() {
    let home = Home::new();
    let mut server = Serving::begin_as(&home, &[], &[]);
    assert_eq!(list(&server).status, 401);
    let file = home.path().join("data/server-token");
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    assert!(token.len() >= 32, "{token}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    server.token = Some(token.clone());
    assert_eq!(list(&server).status, 200);
    drop(server);
    // The next server has the same one.
    let mut server = Serving::begin_as(&home, &[], &[]);
    server.token = Some(token.clone());
    assert_eq!(list(&server).status, 200);
    drop(server);
    // One that others can read is no secret.
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let did = home.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(did.code, 2, "{did:?}");
    assert!(did.stderr.contains("server-token") && !did.stderr.contains(&token), "{did:?}");
}

#[test]
fn the_operator_may_do_without_a_token_on_loopback_only() {
    let home = Home::new();
    let server = Serving::begin_as(&home, &["--no-token"], &[]);
    assert_eq!(list(&server).status, 200);
    assert!(!home.path().join("data/server-token").exists());
    let said = home.refused(&["serve", "--listen", "0.0.0.0:0", "--no-token"]);
    assert!(said.contains("other machines"), "{said}");
}

#[test]
fn setup_gives_clients_the_token_unasked_and_shows_it_nowhere() {
    for (client, file) in [
        ("claude-code", ".claude.json"),
        ("codex", ".codex/config.toml"),
        ("goose", "config/goose/config.yaml"),
    ] {
        let home = Home::new();
        let did = home.run(&["setup", client, "--http", "--yes"]);
        assert_eq!(did.code, 0, "{client}: {did:?}");
        let token = std::fs::read_to_string(home.path().join("data/server-token")).unwrap();
        let token = token.trim();
        let path = home.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("Bearer {token}")), "{client}: {text}");
        assert!(text.contains("http://127.0.0.1:8765/mcp"), "{client}: {text}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let gone = home.run(&["setup", client, "--remove", "--yes"]);
        for did in [did, gone] {
            assert!(!did.stderr.contains(token) && !did.stdout.contains(token), "{did:?}");
        }
        assert!(!std::fs::read_to_string(&path).unwrap().contains("roundtable"), "{client}");
        let mut server = Serving::begin_as(&home, &[], &[]);
        server.token = Some(token.to_owned());
        assert_eq!(list(&server).status, 200, "{client}: the server has another token");
    }
    let home = Home::new();
    let said = home.refused(&["setup", "cursor", "--http", "--project"]);
    assert!(said.contains("project"), "{said}");
    for url in ["", "127.0.0.1:8765/mcp", "https:///mcp"] {
        let said = home.refused(&["setup", "cursor", "--http", url, "--yes"]);
        assert!(said.contains("--http") && said.contains("http://"), "{said}");
    }
    let said = home.refused(&["setup", "claude-desktop", "--http"]);
    assert!(said.contains("--http"), "{said}");
}
