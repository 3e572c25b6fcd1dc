//! Traces and figures for a collector of OpenTelemetry, under the names of its conventions for
//! generative AI. Nothing is sent unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set; headers, timeouts
//! and the name of the service are read from its other variables.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use engine::background::observing::{HostObserver, ObservedCall, ObservedDebate};
use engine::config::Environment;
use opentelemetry::metrics::{Counter, Histogram, MeterProvider as _};
use opentelemetry::trace::{
    Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{MetricExporter, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

/// The variable that says where to send.
pub const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const SERVICE: &str = "OTEL_SERVICE_NAME";

/// Names of providers, ours and those of the conventions, where they differ.
const PROVIDERS: [(&str, &str); 4] = [
    ("google", "gcp.gemini"),
    ("gemini", "gcp.gemini"),
    ("mistral", "mistral_ai"),
    ("xai", "x_ai"),
];

/// The ends of the groups that the conventions ask for: tokens, and seconds.
const TOKENS: [f64; 14] = [
    1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0, 4194304.0,
    16777216.0, 67108864.0,
];
const SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

pub struct Traces {
    tracer: SdkTracer,
    spans: SdkTracerProvider,
    figures: SdkMeterProvider,
    tokens: Histogram<u64>,
    seconds: Histogram<f64>,
    cost: Counter<f64>,
    /// The span of each debate that runs here.
    debates: Mutex<HashMap<String, Context>>,
}

impl Traces {
    /// `None` where no collector is set.
    pub fn start(environment: &Environment) -> Result<Option<Traces>, String> {
        if environment.get(ENDPOINT).is_none() {
            return Ok(None);
        }
        let wrong = |error: opentelemetry_otlp::ExporterBuildError| format!("{ENDPOINT}: {error}");
        let resource = Resource::builder();
        let resource = match environment.get(SERVICE) {
            Some(_) => resource.build(),
            None => resource.with_service_name("roundtable").build(),
        };
        let exporter = SpanExporter::builder().with_http().build().map_err(wrong)?;
        let spans = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.clone())
            .build();
        let exporter = MetricExporter::builder().with_http().build().map_err(wrong)?;
        let figures = SdkMeterProvider::builder()
            .with_periodic_exporter(exporter)
            .with_resource(resource)
            .build();
        let meter = figures.meter("roundtable");
        let tokens = meter.u64_histogram("gen_ai.client.token.usage").with_unit("{token}");
        let seconds = meter.f64_histogram("gen_ai.client.operation.duration").with_unit("s");
        Ok(Some(Traces {
            tracer: spans.tracer("roundtable"),
            tokens: tokens.with_boundaries(TOKENS.to_vec()).build(),
            seconds: seconds.with_boundaries(SECONDS.to_vec()).build(),
            cost: meter.f64_counter("roundtable.cost").with_unit("USD").build(),
            spans,
            figures,
            debates: Mutex::default(),
        }))
    }

    /// Sends what is left. It blocks, for as long as the collector may take.
    pub fn end(&self) {
        self.debates.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let ended = self.spans.shutdown().and(self.figures.shutdown());
        if let Err(error) = ended {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }

    fn debate(&self, debate: &ObservedDebate) -> Context {
        let mut all = self.debates.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = || {
            let span = self
                .tracer
                .span_builder("debate")
                .with_kind(SpanKind::Internal)
                .with_start_time(moment(debate.since.unwrap_or_default()))
                .with_attributes([
                    KeyValue::new("roundtable.debate.id", debate.id.clone()),
                    KeyValue::new("roundtable.debate.mode", debate.mode.clone()),
                ]);
            Context::new().with_span(span.start(&self.tracer))
        };
        all.entry(debate.id.clone()).or_insert_with(begin).clone()
    }
}

/// A moment that is given in milliseconds since 1970.
fn moment(at: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(at).unwrap_or(0))
}

impl HostObserver for Traces {
    fn called(&self, debate: &ObservedDebate, call: &ObservedCall<'_>) {
        let (agent, usage) = (call.agent, &call.bill.usage);
        let named = PROVIDERS.iter().find(|(ours, _)| *ours == agent.provider);
        let provider = named.map_or(agent.provider.clone(), |(_, theirs)| (*theirs).to_owned());
        let mut common = vec![
            KeyValue::new("gen_ai.operation.name", "chat"),
            KeyValue::new("gen_ai.provider.name", provider),
            KeyValue::new("gen_ai.request.model", agent.model.clone()),
        ];
        if let Some(fault) = call.fault {
            common.push(KeyValue::new("error.type", fault.word().replace(' ', "_")));
        }
        let counted = [("input", usage.input), ("output", usage.output)];
        let mut attributes = common.clone();
        for (kind, count) in counted.into_iter().filter_map(|(kind, count)| Some((kind, count?))) {
            let name = format!("gen_ai.usage.{kind}_tokens");
            attributes.push(KeyValue::new(name, i64::try_from(count).unwrap_or(i64::MAX)));
            let labels = [&common[..], &[KeyValue::new("gen_ai.token.type", kind)]].concat();
            self.tokens.record(count, &labels);
        }
        attributes.push(KeyValue::new("roundtable.ask", call.ask.to_string()));
        if let Some(cost) = call.bill.cost {
            attributes.push(KeyValue::new("roundtable.cost_usd", cost.usd()));
            self.cost.add(cost.usd(), &common);
        }
        self.seconds.record(call.bill.latency_ms as f64 / 1_000.0, &common);
        let mut span = self
            .tracer
            .span_builder(format!("chat {}", agent.model))
            .with_kind(SpanKind::Client)
            .with_start_time(moment(call.began))
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &self.debate(debate));
        if let Some(fault) = call.fault {
            span.set_status(Status::error(fault.word()));
        }
        span.end_with_timestamp(moment(call.ended));
    }

    fn rested(&self, debate: &ObservedDebate, word: &'static str, at: i64) {
        let context = self.debate(debate);
        context.span().set_attribute(KeyValue::new("roundtable.debate.end", word));
        context.span().end_with_timestamp(moment(at));
    }

    fn held_up(&self) {}

    fn lost(&self) {}

    fn left(&self, id: &str) {
        self.debates.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}
