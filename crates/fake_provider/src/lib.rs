//! A fake model provider for tests: it speaks the wire formats of all providers
//! on loopback, gives the answers and the faults it is told to, and keeps a
//! ledger of requests, from which tests count the calls. It writes to the socket
//! itself, because most faults are not possible with an HTTP library.

mod answers;
pub mod faults;
mod keeping;
mod ledger;
pub mod shapes;
pub mod tls;
mod vendor;
mod wire;

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

pub use answers::{DEFAULT_ANSWER, WORKING, calls_once};
pub use ledger::{KeySeen, LedgerEntry};

use faults::{FAULTS, FaultAct, ProviderFault};
use wire::{FakeRequest, WriteResult};

/// Makes the text of an answer from the body of a request.
pub type Answerer = Arc<dyn Fn(&Value) -> String + Send + Sync>;

/// Returns the tool to call and its arguments, given the body of a request and
/// the number of tool results it carries; `None` for the answer itself.
pub type ToolCaller = Arc<dyn Fn(&Value, usize) -> Option<(String, Value)> + Send + Sync>;

#[derive(Clone)]
pub struct FakeOptions {
    /// The key that counts as right, for the ledger. Every request is answered.
    pub key: Option<String>,
    /// The delay before every answer.
    pub latency: Duration,
    /// The delay between two pieces of a streamed answer.
    pub pace: Duration,
    /// The number of pieces of a streamed answer.
    pub pieces: usize,
    pub answer: Answerer,
    pub calls: ToolCaller,
    pub models: Vec<String>,
    /// The usage that every answer reports.
    pub usage: shapes::FakeUsage,
    /// 0 takes any free port.
    pub port: u16,
}

impl Default for FakeOptions {
    fn default() -> Self {
        FakeOptions {
            key: None,
            latency: Duration::ZERO,
            pace: Duration::ZERO,
            pieces: 4,
            answer: Arc::new(|_| DEFAULT_ANSWER.to_owned()),
            calls: Arc::new(|_, _| None),
            models: vec!["fake-large".into(), "fake-small".into(), "nomic-embed-text".into()],
            usage: shapes::FakeUsage::Good,
            port: 0,
        }
    }
}

/// A running server; it ends when this is dropped.
pub struct FakeProvider {
    address: SocketAddr,
    shared: Arc<ServerShared>,
    listening: JoinHandle<()>,
}

struct ServerShared {
    options: FakeOptions,
    started: Instant,
    state: Mutex<ServerState>,
}

#[derive(Default)]
struct ServerState {
    ledger: Vec<LedgerEntry>,
    queue: VecDeque<&'static ProviderFault>,
    /// The number of requests for each model, for faults that pass.
    asked: HashMap<String, u32>,
    /// Until then every request is told to come back later.
    storm: Option<Instant>,
    /// Stored answers, by their id.
    kept: HashMap<String, keeping::KeptAnswer>,
    connections: usize,
}

impl FakeProvider {
    pub async fn start(options: FakeOptions) -> std::io::Result<FakeProvider> {
        let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(ServerShared { options, started: Instant::now(), state: Mutex::default() });
        let listening = tokio::spawn(listen(listener, Arc::clone(&shared)));
        Ok(FakeProvider { address, shared, listening })
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address alone, for clients that know their own paths.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request seen so far, in order of arrival.
    pub fn ledger(&self) -> Vec<LedgerEntry> {
        self.shared.state().ledger.clone()
    }

    /// The number of connections that were made so far.
    pub fn connections(&self) -> usize {
        self.shared.state().connections
    }

    /// Returns the age of the server, by which the ledger counts time.
    pub fn age(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// The requests for one model.
    pub fn asked(&self, model: &str) -> Vec<LedgerEntry> {
        self.ledger().into_iter().filter(|entry| entry.model == model).collect()
    }

    /// Deletes every stored answer, as a provider does after a while.
    pub fn forget(&self) {
        self.shared.state().kept.clear();
    }

    /// Refuses every call for this long, with a 429 that names the remaining
    /// time.
    pub fn storm(&self, lasts: Duration) {
        self.shared.state().storm = Some(Instant::now() + lasts);
    }

    /// Makes the next request, for any model, meet this fault. Returns false if
    /// no fault has that name.
    pub fn queue_fault(&self, name: &str) -> bool {
        let fault = faults::find(name);
        self.shared.state().queue.extend(fault);
        fault.is_some()
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl ServerShared {
    fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request and returns its number and the fault it meets.
    fn enter(&self, request: &FakeRequest) -> (usize, Option<&'static ProviderFault>) {
        let model = shapes::model(request);
        let wire = shapes::Wire::of(&request.path);
        let mut state = self.state();
        let number = state.ledger.len();
        let at = self.started.elapsed();
        state.ledger.push(LedgerEntry::new(
            number,
            at,
            &model,
            request,
            self.options.key.as_deref(),
        ));
        let times = state.asked.entry(model.clone()).or_default();
        *times += 1;
        let named = named_fault(&model, *times);
        // Looking at the list of models is not a call.
        let queued = if request.method == "POST" { state.queue.pop_front() } else { None };
        (number, queued.or(named).filter(|fault| fault.happens_on(wire)))
    }

    /// Returns the rest of a storm, for calls.
    fn storms(&self, request: &FakeRequest) -> Option<Duration> {
        let left = self.state().storm?.saturating_duration_since(Instant::now());
        (request.method == "POST" && !left.is_zero()).then_some(left)
    }

    fn close(&self, number: usize, written: WriteResult) {
        if let Some(entry) = self.state().ledger.get_mut(number) {
            entry.finished = written == WriteResult::Whole;
            entry.closed = true;
        }
    }
}

/// `fault:<name>` fails always, `fault:<name>@<n>` the first n times.
fn named_fault(model: &str, times: u32) -> Option<&'static ProviderFault> {
    let name = model.strip_prefix("fault:")?;
    let (name, most) = name.split_once('@').unwrap_or((name, ""));
    let passed = most.parse::<u32>().is_ok_and(|most| times > most);
    if passed { None } else { FAULTS.iter().find(|fault| fault.name == name) }
}

async fn listen(listener: TcpListener, shared: Arc<ServerShared>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        shared.state().connections += 1;
        connections.spawn(serve(socket, Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(mut socket: TcpStream, shared: Arc<ServerShared>) {
    // Small pieces are sent at once, as at a provider. If the system refuses this
    // setting, they come a little later.
    let _ = socket.set_nodelay(true);
    // A failed write means that the client left; the ledger already records that.
    while let Ok(Some(request)) = wire::read_request(&mut socket).await {
        let (number, fault) = shared.enter(&request);
        let guard = CloseOnDrop { shared: &shared, number };
        let options = &shared.options;
        let keeps = fault.is_none() && keeping::wanted(&request);
        let fetched = keeping::fetched(&request, &shared).filter(|_| request.method == "GET");
        if !keeps && fetched.is_none() {
            sleep(options.latency).await;
        }
        let keep = fault.is_none() && answers::streams(&request);
        let willing = |fault: &&ProviderFault| match fault.act {
            FaultAct::Unless { refuses, .. } => refuses(&request.body),
            _ => true,
        };
        let storm = shared.storms(&request);
        let written = match (fault.filter(willing), request.method.as_str()) {
            (None, "POST") if storm.is_some() => {
                faults::refuse_for(&mut socket, storm.unwrap_or_default()).await
            }
            (Some(fault), _) => faults::play(&mut socket, fault, &request, options).await,
            (None, "POST") if keeps => {
                keeping::stream(&mut socket, &request, number, &shared).await
            }
            (None, "POST") => answers::stream(&mut socket, &request, options).await,
            (None, _)
                if fetched.is_none()
                    && shared
                        .state()
                        .ledger
                        .get(number)
                        .is_some_and(LedgerEntry::has_wrong_key) =>
            {
                let refusal =
                    r#"{"error":{"message":"invalid key","type":"authentication_error"}}"#;
                wire::plain(&mut socket, 401, &[], refusal).await
            }
            (None, _) => {
                let (status, body) = fetched.unwrap_or_else(|| (200, answers::models(options)));
                wire::plain(&mut socket, status, &[], &body).await
            }
        };
        let written = written.unwrap_or(WriteResult::Broken);
        drop(guard);
        shared.close(number, written);
        if !keep || written != WriteResult::Whole {
            break;
        }
    }
}

/// Marks an entry closed even if the server is dropped in the middle.
struct CloseOnDrop<'a> {
    shared: &'a ServerShared,
    number: usize,
}

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.shared.close(self.number, WriteResult::Broken);
    }
}
