//! A table to debate at: a fake provider whose answers come when they are let.

use std::sync::{Arc, Condvar, Mutex};

use fake_provider::{DEFAULT_ANSWER, FakeOptions, FakeProvider};
use serde_json::{Value, json};

use crate::support::Home;
use crate::wire::{Client, Era};

/// Answers wait here until it is opened.
#[derive(Clone, Default)]
pub struct Gate {
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    pub fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }

    pub fn pass(&self) {
        let guard = self.open.0.lock().unwrap();
        drop(self.open.1.wait_while(guard, |open| !*open).unwrap());
    }
}

/// A home with a provider that is found by itself.
pub struct Table {
    pub home: Home,
    pub fake: FakeProvider,
    url: String,
    /// Opened at the latest when the test ends, however it ends.
    gate: Gate,
}

impl Drop for Table {
    fn drop(&mut self) {
        self.gate.open();
    }
}

impl Table {
    pub async fn new() -> Table {
        Table::with(FakeOptions::default()).await
    }

    pub async fn with(options: FakeOptions) -> Table {
        let fake = FakeProvider::start(options).await.unwrap();
        let url = fake.base_url();
        Table { home: Home::new(), fake, url, gate: Gate::default() }
    }

    /// Answers of `fake-small` wait until the gate is opened.
    pub async fn gated(gate: &Gate) -> Table {
        Table::behind(gate, FakeOptions::default()).await
    }

    /// The same with something else about it.
    pub async fn behind(gate: &Gate, options: FakeOptions) -> Table {
        let waits = gate.clone();
        let answer = move |body: &Value| {
            if body["model"] == "fake-small" {
                // Whatever else this thread has to do, another must.
                tokio::task::block_in_place(|| waits.pass());
            }
            DEFAULT_ANSWER.to_owned()
        };
        let mut table = Table::with(FakeOptions { answer: Arc::new(answer), ..options }).await;
        table.gate = gate.clone();
        table
    }

    pub fn client(&self, era: Era) -> Client {
        self.client_with(era, json!({}))
    }

    pub fn client_with(&self, era: Era, capabilities: Value) -> Client {
        let variables = [
            ("OLLAMA_BASE_URL", self.url.as_str()),
            ("MISTRAL_API_KEY", "sk-canary-1234567890"),
            ("MISTRAL_BASE_URL", self.url.as_str()),
        ];
        Client::begin(&self.home, era, &variables, capabilities)
    }

    /// How often models were asked to speak.
    pub fn asked(&self) -> usize {
        self.fake.ledger().iter().filter(|entry| entry.path.ends_with("completions")).count()
    }
}

/// Two agents, one round, nobody who sums up or objects.
pub fn short() -> Value {
    json!({
        "topic": "Tabs or spaces?",
        "agents": ["Ann=ollama/fake-large", "Bea=ollama/fake-small"],
        "rounds": 1,
        "clerk": "none",
        // Everybody says the same here, which would call for a round of objections.
        "flags": ["groupthinkDetection.enabled=false"],
    })
}

/// The same with something else said.
pub fn short_with(more: Value) -> Value {
    let mut args = short();
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    args
}
