//! Three nodes behind a balancer on one PostgreSQL server, and everything that may happen to
//! them: nodes are killed and stopped, the server is shut down, the wire between them is cut and
//! slow. Every debate ends, once, and the provider's own ledger shows no call that was not
//! announced and none for an answer that was stored.
//!
//! The long form, 200 debates, 60 kills, 20 stops and 10 restarts:
//! `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable sharing::chaos`.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use debate::model::Event;
use fake_provider::FakeProvider;
use sqlx::{Connection as _, Row as _};
use store::{ListFilter, ListedDebate, RunOwner, Store, StoreAddress};

use super::balancer::Balancer;
use super::own_postgres::OwnPostgres;
use super::wire::Wire;
use crate::budget::{PRICE, REQUEST_USD, dear, posts};
use crate::crash::judge_asks;
use crate::harness::{Dice, Home, provider, size};
use crate::postgres::database;
use crate::serving::{Server, is_started, start_at};

const NODES: usize = 3;
/// A client gives up on a node that does not answer, and asks again.
const PATIENCE: Duration = Duration::from_secs(5);
const AGENTS: [&str; 2] = ["Ann=custom/m0", "Bea=custom/m1"];
/// A call that costs nothing is made again as often as it takes; one that may be billed is given
/// up when it was cut off three times.
const FREE: &str = "[prices.\"custom/m0\"]\ninput = 0\noutput = 0\n\
                    [prices.\"custom/m1\"]\ninput = 0\noutput = 0\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Blow {
    Kill,
    Stop,
    Restart,
    Cut,
    Slow,
}

/// Three nodes, each on a wire of its own.
struct Team {
    homes: Vec<Home>,
    wires: Vec<Wire>,
    nodes: Vec<Server>,
    /// Nodes that stand still, and until when.
    stopped: HashMap<usize, Instant>,
    balancer: Balancer,
    store: Store,
    _folder: tempfile::TempDir,
}

impl Team {
    async fn begin(server: &str, provider: &FakeProvider, config: &str) -> Team {
        let folder = tempfile::tempdir().unwrap();
        let (mut homes, mut wires) = (Vec::new(), Vec::new());
        for node in 0..NODES {
            let wire = Wire::to(server).await;
            let home = folder.path().join(format!("node{node}"));
            let file = home.join("config/roundtable/config.toml");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let limits = "[server]\nstarts_per_minute = 100000\nmost_queued = 1000\n";
            std::fs::write(file, format!("{config}\n{limits}")).unwrap();
            homes.push(Home::on_server(&home, &provider.base_url(), &wire.address));
            wires.push(wire);
        }
        let nodes: Vec<Server> =
            tokio::task::block_in_place(|| homes.iter().map(Server::begin).collect());
        let addresses = nodes.iter().map(|node| node.address.clone()).collect();
        let balancer = Balancer::before(addresses).await;
        let store = Store::open(StoreAddress::server(server).unwrap()).await.unwrap();
        let stopped = HashMap::new();
        Team { homes, wires, nodes, stopped, balancer, store, _folder: folder }
    }

    /// Starts a debate at whichever node answers.
    fn start(&self, topic: &str) {
        let deadline = proof::Deadline::new();
        loop {
            let answer = start_at(&self.balancer.address, topic, &AGENTS, 2, PATIENCE);
            if is_started(&answer) {
                return;
            }
            deadline.wait(|| format!("no node took it: {answer}"));
        }
    }

    fn strike(&mut self, blow: Blow, dice: &mut Dice, postgres: &OwnPostgres, seen: &Watched) {
        let node = dice.below(NODES as u64) as usize;
        let pid = self.nodes[node].run.child.id();
        match blow {
            Blow::Kill => {
                seen.lock().unwrap().gone.insert(pid, (blow, Instant::now()));
                self.nodes[node].run.child.kill().unwrap();
                self.nodes[node].run.wait();
                self.stopped.remove(&node);
                self.nodes[node] = Server::begin(&self.homes[node]);
                self.balancer.moved(node, &self.nodes[node].address);
            }
            // One node is always awake, and every second stop outlasts the lease.
            Blow::Stop => {
                let awake: Vec<usize> =
                    (0..NODES).filter(|node| !self.stopped.contains_key(node)).collect();
                if awake.len() < 2 {
                    self.wake(|_| true, seen);
                    return self.strike(blow, dice, postgres, seen);
                }
                let node = awake[node % awake.len()];
                let pid = self.nodes[node].run.child.id();
                let seconds = if seen.lock().unwrap().stops().is_multiple_of(2) { 36 } else { 2 };
                seen.lock().unwrap().gone.insert(pid, (blow, Instant::now()));
                self.nodes[node].run.signal("STOP");
                self.stopped.insert(node, Instant::now() + Duration::from_secs(seconds));
            }
            Blow::Restart => {
                postgres.restart(["fast", "immediate"][dice.below(2) as usize]);
            }
            Blow::Cut => {
                self.wires[node].cut(true);
                std::thread::sleep(Duration::from_millis(300 + dice.below(1_500)));
                self.wires[node].cut(false);
            }
            Blow::Slow => {
                self.wires[node].slow(Duration::from_millis(40));
                std::thread::sleep(Duration::from_millis(1_000));
                self.wires[node].slow(Duration::ZERO);
            }
        }
    }

    /// Wakes the nodes whose time has come.
    fn wake(&mut self, is_due: impl Fn(Instant) -> bool, seen: &Watched) {
        let due: Vec<usize> = self
            .stopped
            .iter()
            .filter(|(_, until)| is_due(**until))
            .map(|(node, _)| *node)
            .collect();
        for node in due {
            self.stopped.remove(&node);
            self.nodes[node].run.signal("CONT");
            seen.lock().unwrap().woken.push(self.nodes[node].run.child.id());
        }
    }

    async fn listed(&self) -> Vec<ListedDebate> {
        let all = ListFilter { limit: Some(100_000), ..ListFilter::default() };
        self.store.list(&all).await.unwrap()
    }

    /// Waits until every debate has one of these ends, for as long as they come.
    async fn ended(&self, ends: &[&str]) -> Vec<ListedDebate> {
        let (mut deadline, mut before) = (proof::Deadline::new(), usize::MAX);
        loop {
            let all = self.listed().await;
            let open: Vec<&ListedDebate> =
                all.iter().filter(|row| !ends.contains(&row.status.as_str())).collect();
            if open.is_empty() {
                return all;
            }
            if open.len() < before {
                (deadline, before) = (proof::Deadline::new(), open.len());
            }
            deadline.check(|| {
                let said: Vec<String> =
                    self.nodes.iter().map(|node| node.run.complained()).collect();
                format!("they stand still: {open:#?}\n{}", said.join("\n---\n"))
            });
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The owners of debates over time, as the database has them.
#[derive(Default)]
struct Seen {
    /// Processes that were killed or stopped.
    gone: HashMap<u32, (Blow, Instant)>,
    woken: Vec<u32>,
    owners: HashMap<String, u32>,
    last_seq: HashMap<String, i64>,
    taken: BTreeMap<Blow, Vec<Duration>>,
}

type Watched = Arc<Mutex<Seen>>;

impl Seen {
    fn stops(&self) -> usize {
        self.gone.values().filter(|(blow, _)| *blow == Blow::Stop).count()
    }

    fn owner(&mut self, id: &str, pid: u32) {
        let before = self.owners.insert(id.into(), pid);
        let Some(before) = before.filter(|before| *before != pid) else { return };
        if let Some((blow, at)) = self.gone.get(&before)
            && !self.woken.contains(&before)
        {
            self.taken.entry(*blow).or_default().push(at.elapsed());
        }
    }
}

/// Looks for as long as the test lasts; while the server is away there is nothing to see.
async fn watch(server: String, seen: Watched) {
    loop {
        let _: Result<(), sqlx::Error> = async {
            let mut connection = sqlx::PgConnection::connect(&server).await?;
            loop {
                let rows = sqlx::query(
                    "SELECT d.id, d.last_seq, r.owner FROM debates d
                     LEFT JOIN runs r ON r.debate_id = d.id",
                );
                for row in rows.fetch_all(&mut connection).await? {
                    let (id, seq): (String, i64) = (row.try_get("id")?, row.try_get("last_seq")?);
                    let owner: Option<String> = row.try_get("owner")?;
                    let mut seen = seen.lock().unwrap();
                    if let Some(owner) = owner.as_deref().and_then(RunOwner::parse) {
                        seen.owner(&id, owner.pid);
                    }
                    let before = seen.last_seq.insert(id.clone(), seq).unwrap_or(0);
                    assert!(before <= seq, "{id} had {before} entries and has {seq}");
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        .await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn blows(dice: &mut Dice) -> Vec<Blow> {
    let planned = [
        (Blow::Kill, size(4, 60)),
        (Blow::Stop, size(2, 20)),
        (Blow::Restart, size(1, 10)),
        (Blow::Cut, size(1, 10)),
        (Blow::Slow, size(1, 10)),
    ];
    let mut all: Vec<Blow> =
        planned.into_iter().flat_map(|(blow, times)| vec![blow; times]).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, dice.below(at as u64 + 1) as usize);
    }
    all
}

/// The topic in the body of a request.
fn case_of(body: &str) -> Option<String> {
    let at = body.find("Case ")?;
    Some(body[at..].chars().take_while(|one| *one != ':').collect())
}

/// Covers: 17-nodes
#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_killed_and_stopped_and_the_server_restarts_and_no_answer_is_lost_or_asked_again()
{
    let Some(postgres) = tokio::task::block_in_place(OwnPostgres::start) else { return };
    let provider = FakeProvider::start(provider(1_200, 1)).await.unwrap();
    let mut team = Team::begin(&postgres.address, &provider, FREE).await;
    let seen = Watched::default();
    let watching = tokio::spawn(watch(postgres.address.clone(), Arc::clone(&seen)));
    let (mut dice, debates) = (Dice(29), size(12, 200));
    let blows = blows(&mut dice);
    tokio::task::block_in_place(|| {
        let mut started = 0;
        for (done, blow) in blows.iter().enumerate() {
            while started * blows.len() < (done + 1) * debates {
                team.start(&format!("Case {started}: should it be done in stages?"));
                started += 1;
            }
            std::thread::sleep(Duration::from_millis(dice.below(1_000)));
            team.wake(|until| until <= Instant::now(), &seen);
            team.strike(*blow, &mut dice, &postgres, &seen);
        }
        while let Some(last) = team.stopped.values().max().copied() {
            std::thread::sleep(last.saturating_duration_since(Instant::now()));
            team.wake(|until| until <= Instant::now(), &seen);
        }
    });
    let ended = team.ended(&["completed"]).await;
    watching.abort();
    assert!(ended.len() >= debates, "{} of {debates} debates", ended.len());
    let again = judge(&team, &provider, &ended).await;
    let seen = seen.lock().unwrap();
    let slowest = |blow| seen.taken.get(&blow).and_then(|all| all.iter().max()).copied();
    println!(
        "CHAOS {} debates through {} blows: all ended, 0 answers lost, 0 asked again, 0 double \
         verdicts; {again} calls were cut off and made again; taken over within {:?} of a kill \
         ({} times) and {:?} of a stop ({} times); the lease is 30 s",
        ended.len(),
        blows.len(),
        slowest(Blow::Kill),
        seen.taken.get(&Blow::Kill).map_or(0, Vec::len),
        slowest(Blow::Stop),
        seen.taken.get(&Blow::Stop).map_or(0, Vec::len),
    );
}

/// Compares every log with the provider's ledger; returns the number of calls that were made
/// again because they had been cut off.
async fn judge(team: &Team, provider: &FakeProvider, ended: &[ListedDebate]) -> usize {
    // A start that a client gave up on may still lead to a debate; it is announced before it calls.
    let mut called: HashMap<(String, String), usize> = HashMap::new();
    for entry in provider.ledger().iter().filter(|entry| entry.method == "POST") {
        let case = case_of(&entry.body.to_string()).unwrap();
        *called.entry((case, entry.model.clone())).or_default() += 1;
    }
    let mut announced: HashMap<(String, String), usize> = HashMap::new();
    for row in team.listed().await {
        let log = team.store.log(&row.id).await.unwrap();
        let verdicts =
            log.iter().filter(|entry| matches!(entry.event, Event::Ended { .. })).count();
        let sent = if ended.iter().any(|one| one.id == row.id) {
            assert_eq!(verdicts, 1, "{}", row.topic);
            assert!(matches!(log.last().unwrap().event, Event::Ended { .. }), "{}", row.topic);
            judge_asks(&log, 4)
        } else {
            BTreeMap::from([(0, 2), (1, 2)])
        };
        for (seat, times) in sent {
            let case = case_of(&row.topic).unwrap();
            *announced.entry((case, format!("m{seat}"))).or_default() += times;
        }
    }
    for (call, times) in &called {
        let most = announced.get(call).copied().unwrap_or(0);
        assert!(*times <= most, "{call:?} was called {times} times and announced {most} times");
    }
    assert_eq!(team.store.check().await, Ok(vec![]));
    called.values().sum::<usize>().saturating_sub(4 * ended.len())
}

/// Covers: 12-budget
#[tokio::test(flavor = "multi_thread")]
async fn many_debates_at_once_on_three_nodes_spend_no_more_than_the_day_allows() {
    let Some(server) = database("one_cap").await else { return };
    let provider = dear(2).await;
    let debates = size(12, 100);
    // Two agents with three requests each, and money for half of them.
    let cap = debates as f64 * 6.0 * REQUEST_USD / 2.0 + 4.0;
    let config =
        format!("daily_budget = {cap}\nmax_output_tokens = 256\nsearch = \"off\"\n{PRICE}");
    let team = Team::begin(&server, &provider, &config).await;
    tokio::task::block_in_place(|| {
        std::thread::scope(|all| {
            for number in 0..debates {
                let address = &team.balancer.address;
                all.spawn(move || {
                    let topic = format!("Case {number}: should it be done in stages?");
                    let agents = ["Ann=custom/m-70b", "Bea=custom/n-70b"];
                    let answer = start_at(address, &topic, &agents, 1, Duration::from_secs(60));
                    // What no longer fits into the day may be refused at once.
                    assert!(is_started(&answer) || answer.contains("day"), "{answer}");
                });
            }
        });
    });
    let ended = team.ended(&["completed", "paused"]).await;
    let done = ended.iter().filter(|row| row.status == "completed").count();
    let spent = posts(&provider) as f64 * REQUEST_USD;
    println!(
        "{debates} debates on three nodes: {done} done, ${spent:.2} of ${cap:.2} by the ledger"
    );
    assert!(spent <= cap + 1e-6, "the provider counts ${spent:.2} of ${cap:.2}");
    assert!(done < debates && spent > cap - 4.0, "{done} done, ${spent:.2} of ${cap:.2}");
    assert_eq!(team.store.check().await, Ok(vec![]));
}
