//! The figures of this process. Every label has few values: providers are those of the
//! configuration, and no figure is kept for a debate, a model or a caller.

use std::sync::atomic::AtomicU64;

use engine::background::observing::{HostObserver, ObservedCall, ObservedDebate};
use engine::background::watching::HostLoad;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

type MeterLabels<const N: usize> = [(&'static str, String); N];

/// The upper ends of the times that answers take, in seconds.
const TIMES: [f64; 9] = [0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

pub struct Meters {
    registry: Registry,
    calls: Family<MeterLabels<1>, Counter>,
    faults: Family<MeterLabels<2>, Counter>,
    tokens: Family<MeterLabels<2>, Counter>,
    cost: Family<MeterLabels<1>, Counter<f64, AtomicU64>>,
    times: Family<MeterLabels<1>, Histogram, fn() -> Histogram>,
    debates: Family<MeterLabels<1>, Gauge>,
    rested: Family<MeterLabels<1>, Counter>,
    leases_held: Gauge,
    leases_lost: Counter,
    database_up: Gauge,
    database_waits: Counter,
    requests: Family<MeterLabels<2>, Counter>,
}

impl Default for Meters {
    fn default() -> Meters {
        let times: fn() -> Histogram = || Histogram::new(TIMES);
        let mut meters = Meters {
            registry: Registry::with_prefix("roundtable"),
            calls: Family::default(),
            faults: Family::default(),
            tokens: Family::default(),
            cost: Family::default(),
            times: Family::new_with_constructor(times),
            debates: Family::default(),
            rested: Family::default(),
            leases_held: Gauge::default(),
            leases_lost: Counter::default(),
            database_up: Gauge::default(),
            database_waits: Counter::default(),
            requests: Family::default(),
        };
        meters.register();
        meters
    }
}

impl Meters {
    fn register(&mut self) {
        let all = &mut self.registry;
        all.register("calls", "Calls of models that ended", self.calls.clone());
        all.register("faults", "Calls of models that failed", self.faults.clone());
        all.register("tokens", "Tokens that providers counted", self.tokens.clone());
        all.register("cost_usd", "Known cost of calls", self.cost.clone());
        all.register("answer_seconds", "Time until an answer is in", self.times.clone());
        all.register("debates", "Debates of this node", self.debates.clone());
        all.register("debates_rested", "Debates that ended or paused", self.rested.clone());
        all.register("leases_held", "Debates this node may write to", self.leases_held.clone());
        all.register("leases_lost", "Debates that another node took", self.leases_lost.clone());
        all.register("database_up", "1 if the database answers", self.database_up.clone());
        let waits = self.database_waits.clone();
        all.register("database_waits", "Times a debate waited for the database", waits);
        all.register("http_requests", "Requests by kind of route", self.requests.clone());
    }

    /// The figures as text, with those of this moment.
    pub fn text(&self, load: HostLoad, database_up: bool) -> String {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let state = |word: &str| self.debates.get_or_create_owned(&[("state", word.to_owned())]);
        state("running").set(count(load.running));
        state("queued").set(count(load.queued));
        self.leases_held.set(count(load.running));
        self.database_up.set(i64::from(database_up));
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// Counts a request that was answered.
    pub fn answered(&self, path: &str, status: u16) {
        let route = match path {
            "/mcp" => "mcp",
            "/healthz" | "/readyz" | "/metrics" => "operation",
            path if path.starts_with("/v1/") => "api",
            _ => "page",
        };
        let status = format!("{}xx", status / 100);
        self.requests.get_or_create(&[("route", route.into()), ("status", status)]).inc();
    }
}

impl HostObserver for Meters {
    fn called(&self, _: &ObservedDebate, call: &ObservedCall<'_>) {
        let provider = || ("provider", call.agent.provider.clone());
        self.calls.get_or_create(&[provider()]).inc();
        let usage = &call.bill.usage;
        for (kind, count) in
            [("input", usage.input), ("output", usage.output), ("cached", usage.cached)]
        {
            let labels = [provider(), ("kind", kind.to_owned())];
            self.tokens.get_or_create(&labels).inc_by(count.unwrap_or(0));
        }
        if let Some(cost) = call.bill.cost {
            self.cost.get_or_create(&[provider()]).inc_by(cost.usd());
        }
        match call.fault {
            Some(fault) => {
                let class = ("class", fault.word().replace(' ', "_"));
                self.faults.get_or_create(&[provider(), class]).inc();
            }
            None => {
                let seconds = call.bill.latency_ms as f64 / 1_000.0;
                self.times.get_or_create(&[provider()]).observe(seconds);
            }
        }
    }

    fn rested(&self, _: &ObservedDebate, word: &'static str, _: i64) {
        self.rested.get_or_create(&[("end", word.to_owned())]).inc();
    }

    fn held_up(&self) {
        self.database_waits.inc();
    }

    fn lost(&self) {
        self.leases_lost.inc();
    }
}
