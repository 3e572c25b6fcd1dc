//! What the tests over HTTP share: an ask, a way out with short patience, and
//! the wires with the rows that speak them.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agents::providers::{ProviderSettings, Settings};
use agents::{Http, HttpSettings, NativeSearch, Outside, RetryPolicy, Timeouts};
use debate::model::{Agent, Ask, AskId, Party, SeatId, Task, ToolPolicy, ViewContents};
use fake_provider::shapes::Wire;
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::json;

pub type Signer = (&'static str, Wire);

/// Rows of the provider table, one for each dialect, and the wire they speak. Some
/// dialects share a wire.
pub const SIGNERS: &[Signer] = &[
    ("custom", Wire::Chat),
    ("anthropic", Wire::Messages),
    ("openai", Wire::Responses),
    ("perplexity", Wire::Agent),
    ("gemini", Wire::Gemini),
    ("openrouter", Wire::Chat),
    ("xai", Wire::Responses),
];
pub const KEY: &str = "sk-canary-1234567890";
pub const TIMEOUT_SECONDS: u32 = 5;

pub fn ask() -> Ask {
    let party = Party::Seat(SeatId(0));
    Ask {
        id: AskId { round: 1, wave: 0, party, task: Task::Speak, about: None },
        agent: Some(0),
        speaker: "Ada".into(),
        system: Arc::new("You are at a table.".into()),
        user: "Speak.".into(),
        schema: Arc::new(
            json!({"type": "object", "properties": {"position": {"type": "string"}}}).into(),
        ),
        max_output_tokens: 256,
        temperature: 0.7,
        timeout_seconds: TIMEOUT_SECONDS,
        tools: ToolPolicy::NONE,
        form: Default::default(),
        shown: ViewContents::default(),
    }
}

pub fn http_settings() -> HttpSettings {
    HttpSettings {
        timeouts: Timeouts {
            connect: Duration::from_secs(1),
            first_byte: Duration::from_secs(1),
            idle: Duration::from_secs(1),
        },
        retry: RetryPolicy {
            tries: 3,
            base: Duration::from_millis(5),
            cap: Duration::from_millis(20),
            total_wait: Duration::from_secs(4),
        },
        ..HttpSettings::default()
    }
}

/// For faults that are answered at once, however busy this machine is.
pub fn patient_http() -> Http {
    let long = Duration::from_secs(60);
    let timeouts = Timeouts { connect: long, first_byte: long, idle: long };
    Http::new(HttpSettings { timeouts, ..http_settings() }).unwrap()
}

pub fn http() -> Http {
    Http::new(http_settings()).unwrap()
}

pub fn settings(provider: &str, base_url: &str) -> Settings {
    let set = ProviderSettings {
        base_url: Some(base_url.into()),
        key: Some(KEY.into()),
        ..ProviderSettings::default()
    };
    BTreeMap::from([(provider.to_owned(), set)])
}

pub fn agent(provider: &str, model: &str) -> Agent {
    Agent {
        name: "Ada".into(),
        provider: provider.into(),
        model: model.into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

/// Where a signer finds the fake: some know their own version of the path.
pub fn address(wire: Wire, fake: &FakeProvider) -> String {
    match wire {
        Wire::Chat | Wire::Responses => fake.base_url(),
        Wire::Messages | Wire::Agent | Wire::Gemini => fake.origin(),
    }
}

pub fn outside(signer: Signer, fake: &FakeProvider, search: NativeSearch) -> Outside {
    let mut settings = settings(signer.0, &address(signer.1, fake));
    settings.entry(signer.0.to_owned()).or_default().search = search;
    Outside::providers(http(), settings)
}

pub async fn start(options: FakeOptions) -> FakeProvider {
    FakeProvider::start(FakeOptions { key: Some(KEY.into()), ..options }).await.unwrap()
}
