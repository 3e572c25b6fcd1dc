//! What the proofs of durability share: dice with a seed, the long form, agents
//! at a fake provider, in-process speakers, and processes that can be killed.
#![allow(dead_code, reason = "each proof uses its own part of this")]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use debate::model::*;
use serde_json::{Value, json};
use store::{Store, StoreAddress};

use crate::postgres::database;

/// A generator with a fixed seed, so that a failure can be repeated.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The small form for every check, the long one for `ROUNDTABLE_LONG=1`.
#[allow(clippy::disallowed_methods, reason = "a test may be asked to do more")]
pub fn size(small: usize, long: usize) -> usize {
    if std::env::var_os("ROUNDTABLE_LONG").is_some() { long } else { small }
}

/// Set where a test runs as the child of another.
pub const CHILD: &str = "ROUNDTABLE_CHILD";

/// What the parent told this child; `None`: this is no child, do nothing.
#[allow(clippy::disallowed_methods, reason = "a child must learn that it is one")]
pub fn child() -> Option<String> {
    std::env::var(CHILD).ok()
}

/// An answer that depends only on who gives it.
pub fn answer(name: &str) -> String {
    json!({
        "position": format!("{name} holds that it should be done in stages."),
        "reasoning": format!("{name} has seen it done both ways [ASSUME]."),
        "keyPoints": [format!("{name}'s first point"), "stages are cheaper"],
        "confidence": 0.6,
        "vote": {"ballot": "ACCEPT"},
        "claims": [{
            "text": format!("{name} says that stages cost less"),
            "label": "ASSUME", "evidenceType": "SPECULATIVE", "citations": [],
        }],
        "citations": [],
    })
    .to_string()
}

/// Three agents at a fake provider, one model each, so that its ledger tells
/// them apart.
pub const AGENTS: &str = "Ann=custom/m0,Bea=custom/m1,Cem=custom/m2";

pub fn provider(latency_ms: u64, pace_ms: u64) -> fake_provider::FakeOptions {
    fake_provider::FakeOptions {
        latency: Duration::from_millis(latency_ms),
        pace: Duration::from_millis(pace_ms),
        answer: Arc::new(|body: &Value| answer(body["model"].as_str().unwrap_or("nobody"))),
        ..Default::default()
    }
}

/// The engines of the store. Most proofs are held on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    File,
    /// PostgreSQL. A process takes longer to begin there, so that long forms are shorter.
    Server,
}

/// Makes tests of these functions, each of which is given an engine: one in a file, and one on
/// a database server where there is one.
macro_rules! on_both_engines {
    ($($(#[doc = $mark:literal])* #[test] fn $name:ident;)*) => {
        mod in_a_file {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    super::$name($crate::harness::Engine::File).await;
                }
            )*
        }
        mod on_a_server {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    if proof::postgres().is_some() {
                        super::$name($crate::harness::Engine::Server).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use on_both_engines;

impl Engine {
    /// The binary in this folder, with a database of its own.
    pub async fn home(self, folder: &Path, url: &str) -> Home {
        let Engine::Server = self else { return Home::new(folder, url) };
        let path = folder.to_string_lossy().to_lowercase();
        let name: String = path.chars().filter(char::is_ascii_alphanumeric).collect();
        Home::on_server(folder, url, &database(&name).await.unwrap())
    }

    pub fn either<T>(self, file: T, server: T) -> T {
        match self {
            Engine::File => file,
            Engine::Server => server,
        }
    }
}

/// The binary in a folder of its own.
pub struct Home {
    pub folder: PathBuf,
    pub url: String,
    /// The address of a database server, where debates are not kept in the folder.
    pub server: Option<String>,
}

/// What a process has said so far, each line with its moment.
pub type Heard = Arc<Mutex<Vec<(Instant, String)>>>;

pub struct Running {
    pub child: Child,
    pub stdout: Heard,
    pub stderr: Heard,
    readers: Vec<std::thread::JoinHandle<()>>,
}

impl Home {
    pub fn new(folder: &Path, url: &str) -> Home {
        Home { folder: folder.into(), url: url.into(), server: None }
    }

    pub fn on_server(folder: &Path, url: &str, server: &str) -> Home {
        std::fs::create_dir_all(folder).unwrap();
        Home { server: Some(server.into()), ..Home::new(folder, url) }
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join("data/roundtable.db")
    }

    /// The database, for a look into it beside the binary.
    pub async fn store(&self) -> Store {
        let place = match &self.server {
            Some(server) => StoreAddress::server(server).unwrap(),
            None => StoreAddress::from(self.database().as_path()),
        };
        Store::open(&place).await.unwrap()
    }

    /// Tells whether no debate was opened; where there would be a file, not even that.
    pub fn is_untouched(&self) -> bool {
        match self.server {
            Some(_) => self.ids().is_empty(),
            None => !self.database().exists(),
        }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
        let nowhere = "http://127.0.0.1:9";
        command
            .args(args)
            .env_clear()
            .env("HOME", &self.folder)
            .env("XDG_CONFIG_HOME", self.folder.join("config"))
            .env("ROUNDTABLE_DATA_DIR", self.folder.join("data"))
            .env("CUSTOM_BASE_URL", &self.url)
            .envs(self.server.iter().map(|server| ("ROUNDTABLE_DATABASE_URL", server)))
            .envs(
                ["OLLAMA", "LLAMACPP", "LMSTUDIO", "VLLM"]
                    .map(|n| (format!("{n}_BASE_URL"), nowhere)),
            )
            .current_dir(&self.folder);
        command
    }

    pub fn start(&self, args: &[&str], variables: &[(&str, &str)]) -> Running {
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        Home::start_command(command)
    }

    /// The same command through other programs, such as `unshare` or a shell.
    pub fn start_through(&self, programs: &[&str], args: &[&str]) -> Running {
        let inner = self.command(args);
        let mut command = Command::new(programs[0]);
        command.args(&programs[1..]).arg(inner.get_program()).args(inner.get_args()).env_clear();
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").current_dir(&self.folder);
        Home::start_command(command)
    }

    fn start_command(mut command: Command) -> Running {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdout, stderr) = (Heard::default(), Heard::default());
        let readers = vec![
            listen(child.stdout.take().unwrap(), &stdout),
            listen(child.stderr.take().unwrap(), &stderr),
        ];
        Running { child, stdout, stderr, readers }
    }

    /// Runs to the end: exit code, standard output, standard error.
    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut running = self.start(args, &[]);
        let code = running.wait();
        (code, running.said(), running.complained())
    }

    pub fn ids(&self) -> Vec<String> {
        let (code, out, err) = self.run(&["sessions", "list", "--json", "--limit", "100000"]);
        assert_eq!(code, 0, "{err}");
        let rows: Value = serde_json::from_str(&out).unwrap();
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().into()).collect()
    }

    pub fn verdict(&self, id: &str) -> Value {
        let (code, out, err) = self.run(&["sessions", "show", id, "--json"]);
        assert_eq!(code, 0, "{err}");
        serde_json::from_str::<Value>(&out).unwrap()["verdict"].take()
    }
}

pub fn listen(from: impl Read + Send + 'static, into: &Heard) -> std::thread::JoinHandle<()> {
    let into = Arc::clone(into);
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            into.lock().unwrap().push((Instant::now(), line));
        }
    })
}

impl Running {
    /// -1 where a signal ended it.
    pub fn wait(&mut self) -> i32 {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        for reader in self.readers.drain(..) {
            reader.join().unwrap();
        }
        code
    }

    pub fn signal(&self, name: &str) -> Instant {
        let sent = Instant::now();
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        sent
    }

    pub fn said(&self) -> String {
        self.stdout.lock().unwrap().iter().map(|(_, line)| format!("{line}\n")).collect()
    }

    pub fn complained(&self) -> String {
        self.stderr.lock().unwrap().iter().map(|(_, line)| format!("{line}\n")).collect()
    }

    /// Waits for a line that holds this text; panics if it does not come.
    pub fn wait_for(&self, heard: &Heard, text: &str) -> Instant {
        let deadline = proof::Deadline::new();
        loop {
            let found = heard.lock().unwrap().iter().find(|(_, line)| line.contains(text)).cloned();
            if let Some((at, _)) = found {
                return at;
            }
            deadline.wait(|| {
                format!("{text:?} was never said:\n{}\n{}", self.said(), self.complained())
            });
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A test that fails must leave nobody behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn agent(name: &str) -> Agent {
    Agent {
        name: name.into(),
        provider: "custom".into(),
        model: name.to_lowercase(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

pub fn brief(agents: usize, rounds: u32) -> Brief {
    let agents = ["Ann", "Bea", "Cem"].into_iter().take(agents).map(agent).collect();
    let key = "00112233445566778899aabbccddeeff";
    Brief { rounds, ..Brief::new("Should it be done in stages?", "collaborative", agents, key) }
}

/// Three agents who take their time.
pub fn script(delay_ms: u64) -> String {
    let agents: Vec<Value> = ["Ann", "Bea", "Cem"]
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let delay = delay_ms + 40 * index as u64;
            json!({"name": name, "turn": [{"text": answer(name), "delay_ms": delay}]})
        })
        .collect();
    json!({ "agent": agents }).to_string()
}

/// A verdict without what may differ: costs and times.
pub fn timeless(mut verdict: Value) -> Value {
    if let Some(card) = verdict["card"].as_object_mut() {
        card.remove("totals");
    }
    let metadata = verdict["metadata"].as_object_mut().unwrap();
    metadata.remove("spent");
    metadata.remove("quality");
    strip(&mut verdict);
    verdict
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "latencyMs" && name != "bill");
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
