//! The scene of the tests: a database in a directory of its own, and events that
//! look like a debate's.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::path::{Path, PathBuf};
use std::pin::Pin;

use debate::model::*;
use sqlx::Connection as _;
use store::{Lease, Store, StoreAddress, StoreError};
use tempfile::TempDir;

pub const LEASE: i64 = 30_000;

/// Opens the database that belongs to a path, making it if it is not there.
pub type Opener = for<'a> fn(&'a Path) -> Opening<'a>;
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<Store, StoreError>> + Send + 'a>>;

pub fn sqlite(path: &Path) -> Opening<'_> {
    Box::pin(Store::open(path))
}

/// A schema of the test server for each path, made where it is missing.
pub fn postgres(path: &Path) -> Opening<'_> {
    Box::pin(async move {
        let server = std::env::var("ROUNDTABLE_TEST_POSTGRES").unwrap();
        let name = schema_of(path);
        let mut connection = sqlx::PgConnection::connect(&server).await.unwrap();
        let make = format!("CREATE SCHEMA IF NOT EXISTS {name}");
        sqlx::query(sqlx::AssertSqlSafe(make)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let address = proof::postgres_schema(&server, &name);
        Store::open(StoreAddress::server(&address).unwrap()).await
    })
}

fn schema_of(path: &Path) -> String {
    let letters =
        path.to_string_lossy().chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    format!("t_{}", letters.to_lowercase())
}

pub struct Scene {
    pub dir: TempDir,
    pub path: PathBuf,
    pub store: Store,
    opener: Opener,
}

/// A scene with a SQLite file.
pub async fn scene() -> Scene {
    Scene::open(sqlite).await
}

impl Scene {
    pub async fn open(opener: Opener) -> Scene {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home").join("roundtable.db");
        let store = opener(&path).await.unwrap();
        Scene { dir, path, store, opener }
    }

    /// Another store on the same database, as another process would have it.
    pub async fn another(&self) -> Store {
        (self.opener)(&self.path).await.unwrap()
    }

    /// A debate of this id, opened, and the right to run it.
    pub async fn debate(&self, id: &str) -> Lease {
        self.store.create(id, 1_000, &[opened("Tabs or spaces?")]).await.unwrap();
        self.store.claim_run(id, "me", LEASE, 1_000).await.unwrap()
    }
}

pub fn agent(name: &str) -> Agent {
    Agent {
        name: name.into(),
        provider: "ollama".into(),
        model: "small".into(),
        family: None,
        context_window: None,
        temperature: Some(0.1 + 0.2),
        fallback: None,
    }
}

pub fn brief(topic: &str) -> Brief {
    let agents = vec![agent("Ada"), agent("Björk")];
    let key = "00112233445566778899aabbccddeeff";
    Brief {
        seed: u64::MAX,
        project: Some("Harbour".into()),
        ..Brief::new(topic, "collaborative", agents, key)
    }
}

pub fn opened(topic: &str) -> Event {
    opened_as(topic, "collaborative")
}

pub fn opened_as(topic: &str, mode: &str) -> Event {
    let mut brief = brief(topic);
    brief.mode = mode.into();
    let seats = (0..2)
        .map(|index| Seat {
            id: SeatId(index),
            agent: index,
            name: brief.agents[index].name.clone(),
            role: "member".into(),
            team: None,
            stance: None,
            perspective: None,
            anchor: Anchor::ALL[index],
        })
        .collect();
    Event::Opened { version: LOG_VERSION, brief: Box::new(brief), seats }
}

pub fn ask(round: Round, seat: usize) -> AskId {
    AskId { round, wave: 0, party: Party::Seat(SeatId(seat)), task: Task::Speak, about: None }
}

pub fn answered(round: Round, seat: usize, text: &str, cost: Option<u64>) -> Event {
    let turn = Turn {
        seat: SeatId(seat),
        agent: "Ada".into(),
        model: "small".into(),
        round,
        wave: 0,
        role: "member".into(),
        perspective: None,
        anchor: Anchor::RiskAttentive,
        debate_alignment: "member".into(),
        answer: Answer {
            position: text.into(),
            reasoning: format!("{text}, because it is so."),
            confidence: Some(0.1 + 0.2),
            ..Answer::default()
        },
        confidence_change: None,
        tool_calls: vec![],
        sources: vec![],
        requests: Vec::new(),
        searches: 0,
        bill: Bill { cost: cost.map(MicroUsd), ..Bill::default() },
        earlier: Vec::new(),
        notes: vec![],
        repaired: false,
        stance_forced: false,
        cut_off: false,
        raw: String::new(),
    };
    Event::Answered { ask: ask(round, seat), turn: Box::new(turn) }
}

pub fn ended(spent: u64) -> Event {
    let exit = Exit { rule: "rounds".into(), details: "all 3 rounds were held".into() };
    let verdict = Verdict {
        card: DecisionCard::default(),
        decision: DecisionLayer {
            answer: "Tabs".into(),
            consensus_level: ConsensusLevel::High,
            agreement_score: Some(0.9),
            probability: None,
            action_recommendation: Action::Proceed,
            reason: "all agree".into(),
            warnings: vec![],
        },
        agent_responses: vec![],
        evidence: EvidenceLayer::default(),
        metadata: Metadata {
            exit_reason: "rounds".into(),
            exit_details: "all 3 rounds were held".into(),
            rounds: 3,
            answered: 2,
            seats: 2,
            quality: Quality::default(),
            learning: None,
            analysed_by: AnalysedBy::Basic,
            gaps: vec![],
            searches: Default::default(),
            spent: Tally { calls: 2, cost: MicroUsd(spent), ..Tally::default() },
            has_more_details: true,
            verification_hints: vec![],
            effort: None,
        },
    };
    Event::Ended { exit, verdict: Box::new(verdict) }
}

pub fn remark(text: &str) -> Event {
    Event::Remarked { remark: Remark { round: 1, text: text.into() } }
}
