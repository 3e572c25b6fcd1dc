//! A server that is killed goes on with its debates when it is started again, and
//! with no others.
//!
//! The long form, 200 kills: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable serving::`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::harness::{Dice, Home, Running, provider, size};
use fake_provider::FakeProvider;
use serde_json::{Value, json};

const TOKEN: &str = "a-secret-of-more-than-sixteen-letters";

pub struct Server {
    pub run: Running,
    pub address: String,
}

impl Server {
    pub fn begin(home: &Home) -> Server {
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        let run = home.start(&serve, &[("ROUNDTABLE_TOKEN", TOKEN)]);
        run.wait_for(&run.stderr, "/mcp");
        let said = run.complained();
        let address =
            said.split_once("http://").unwrap().1.split_once("/mcp").unwrap().0.to_owned();
        Server { run, address }
    }

    /// Starts a debate that the server runs by itself.
    pub fn start_debate(&self, topic: &str) {
        let agents = ["Ann=custom/m0", "Bea=custom/m1"];
        let answer = start_at(&self.address, topic, &agents, 2, Duration::from_secs(60));
        assert!(is_started(&answer), "{answer}");
    }
}

pub fn is_started(answer: &str) -> bool {
    answer.starts_with("HTTP/1.1 200") && !answer.contains("\"isError\":true")
}

/// Asks the server at this address to start a debate and returns what it answered: nothing where
/// it could not be reached, or not in time.
pub fn start_at(
    address: &str,
    topic: &str,
    agents: &[&str],
    rounds: usize,
    patience: Duration,
) -> String {
    let arguments = json!({
        "topic": topic,
        "agents": agents,
        "rounds": rounds,
        "clerk": "none",
        "waitSeconds": 0,
        "flags": ["groupthinkDetection.enabled=false"],
    });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "serving", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "start_roundtable", "arguments": arguments, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = call.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         authorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/call\r\nmcp-name: start_roundtable\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let asked = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(patience))?;
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    asked().unwrap_or_default()
}

fn status(home: &Home) -> Value {
    let (code, out, err) = home.run(&["sessions", "list", "--json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str::<Value>(&out).unwrap()[0]["status"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_goes_on_with_the_debates_it_was_running_when_it_was_killed() {
    let mut dice = Dice(17);
    for _ in 0..size(2, 200) {
        let provider = FakeProvider::start(provider(250, 1)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path(), &provider.base_url());
        tokio::task::block_in_place(|| {
            let mut server = Server::begin(&home);
            server.start_debate("In stages?");
            let deadline = proof::Deadline::new();
            while provider.ledger().len() < 2 {
                deadline.wait(|| "no agent was asked".into());
            }
            std::thread::sleep(Duration::from_millis(dice.below(700)));
            server.run.child.kill().unwrap();
            server.run.wait();

            let again = Server::begin(&home);
            let deadline = proof::Deadline::new();
            while status(&home) != "completed" {
                deadline.wait(|| format!("it stands still: {}", again.run.complained()));
            }
        });
        // What was cut off is made again, and nothing else.
        let posts = provider.ledger().iter().filter(|entry| entry.method == "POST").count();
        assert!(posts <= 4 + 2, "{posts} requests for four answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_elsewhere_or_shall_wait_is_left_alone() {
    let provider = FakeProvider::start(provider(400, 1)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    tokio::task::block_in_place(|| {
        // Killed on the command line: it is not the server's.
        let start = [
            "debate",
            "--clerk=none",
            "--rounds",
            "1",
            "--json",
            "--agents",
            "custom/a,custom/b",
            "x",
        ];
        let mut run = home.start(&start, &[("ROUNDTABLE_FAILPOINT", "after_T1")]);
        run.wait();
        let asked = provider.ledger().len();
        let mut server = Server::begin(&home);
        // Its first look is over when it answers a call.
        server.start_debate("In stages?");
        let deadline = proof::Deadline::new();
        while status(&home) != "completed" {
            deadline.wait(|| "the server's own debate did not end".into());
        }
        server.run.child.kill().unwrap();
        server.run.wait();
        let (_, out, _) = home.run(&["sessions", "list", "--json"]);
        let rows: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(rows[1]["status"], "active", "{rows:#}");
        assert!(provider.ledger().len() >= asked);
        // A setting that is no setting is refused before anything is served.
        let config = home.folder.join("config/roundtable/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(config, "[server]\nresume = \"perhaps\"\n").unwrap();
        let (code, _, err) = home.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(code == 2 && err.contains("server.resume"), "{code}: {err}");
    });
}
