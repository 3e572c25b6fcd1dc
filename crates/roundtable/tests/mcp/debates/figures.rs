//! Figures and traces of a server, read by a parser of the format that Prometheus reads and by a
//! receiver of OpenTelemetry's protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use fake_provider::FakeOptions;
use openmetrics_parser::OpenMetricsValue;
use openmetrics_parser::openmetrics::parse_openmetrics;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Attribute;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;

use crate::http::Serving;
use crate::table::{Table, short_with};

/// A topic that must appear nowhere.
const TOPIC: &str = "Shall the lavender be moved?";

/// The bodies that a collector was sent, by path.
type Collected = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A collector of traces and figures.
fn collector() -> (String, Collected) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let collected = Collected::default();
    let into = Arc::clone(&collected);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let into = Arc::clone(&into);
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                loop {
                    let mut lines = Vec::new();
                    loop {
                        let mut line = String::new();
                        if reader.read_line(&mut line).unwrap_or(0) == 0 {
                            return;
                        }
                        if line.trim().is_empty() {
                            break;
                        }
                        lines.push(line.to_lowercase());
                    }
                    let length = lines.iter().find_map(|line| line.strip_prefix("content-length:"));
                    let mut body = vec![0; length.unwrap().trim().parse().unwrap()];
                    reader.read_exact(&mut body).unwrap();
                    let path = lines[0].split(' ').nth(1).unwrap().to_owned();
                    into.lock().unwrap().push((path, body));
                    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    reader.get_mut().write_all(answer.as_bytes()).unwrap();
                }
            });
        }
    });
    (address, collected)
}

fn attribute(all: &[KeyValue], name: &str) -> Option<String> {
    let found = all.iter().find(|one| one.key == name)?;
    Some(match found.value.as_ref()?.value.as_ref()? {
        Attribute::StringValue(text) => text.clone(),
        Attribute::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

/// The sums of a family of figures by the value of a label.
fn figure(text: &str, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let parsed = parse_openmetrics(text).unwrap();
    let family = parsed.families.get(name)?;
    let sample = family.iter_samples().find(|sample| {
        let set = sample.get_labelset().unwrap();
        labels.iter().all(|(name, value)| set.get_label_value(name) == Some(value))
    })?;
    Some(match &sample.value {
        OpenMetricsValue::Counter(counter) => counter.value.as_f64(),
        OpenMetricsValue::Gauge(gauge) => gauge.as_f64(),
        OpenMetricsValue::Histogram(times) => times.count? as f64,
        other => panic!("{other:?}"),
    })
}

/// Covers: 17-metrics, 17-traces
#[tokio::test(flavor = "multi_thread")]
async fn figures_are_read_by_prometheus_and_traces_by_a_collector_without_a_word_of_a_debate() {
    let table = Table::with(FakeOptions::default()).await;
    let (endpoint, collected) = collector();
    let url = table.fake.base_url();
    let variables =
        [("OLLAMA_BASE_URL", url.as_str()), ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let mut serving = Serving::begin(&table.home, &variables);
    let arguments = short_with(json!({ "topic": TOPIC, "waitSeconds": 60 }));
    let call = json!({ "name": "start_roundtable", "arguments": arguments });
    tokio::task::block_in_place(|| {
        let answer = serving.post("tools/call", call, &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        let refused = serving.send("GET", "/metrics", &[("authorization", "Bearer wrong")], "");
        assert_eq!(refused.status, 401, "{refused:?}");
        let metrics = serving.send("GET", "/metrics", &[], "");
        assert!(metrics.head.contains("application/openmetrics-text"), "{}", metrics.head);
        let text = &metrics.body;
        let ollama = ("provider", "ollama");
        for (name, labels, wanted) in [
            ("roundtable_calls", vec![ollama], 2.0),
            ("roundtable_answer_seconds", vec![ollama], 2.0),
            ("roundtable_debates_rested", vec![("end", "completed")], 1.0),
            ("roundtable_debates", vec![("state", "queued")], 0.0),
            ("roundtable_leases_lost", vec![], 0.0),
            ("roundtable_database_up", vec![], 1.0),
            ("roundtable_http_requests", vec![("route", "mcp"), ("status", "2xx")], 1.0),
            ("roundtable_http_requests", vec![("route", "operation"), ("status", "4xx")], 1.0),
        ] {
            assert_eq!(figure(text, name, &labels), Some(wanted), "{name}: {text}");
        }
        let tokens = figure(text, "roundtable_tokens", &[ollama, ("kind", "output")]);
        assert!(tokens.is_some_and(|tokens| tokens > 0.0), "{text}");
        assert!(!text.contains("lavender") && !text.contains("fake-large"), "{text}");
        let pid = serving.process.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
        assert!(serving.process.wait().unwrap().success());
    });
    let collected = collected.lock().unwrap().clone();
    for (_, body) in &collected {
        assert!(!String::from_utf8_lossy(body).contains("lavender"), "the topic was sent");
    }
    judge_spans(&collected);
    judge_figures(&collected);
}

fn judge_spans(collected: &[(String, Vec<u8>)]) {
    let spans: Vec<Span> = collected
        .iter()
        .filter(|(path, _)| path == "/v1/traces")
        .flat_map(|(_, body)| ExportTraceServiceRequest::decode(&body[..]).unwrap().resource_spans)
        .flat_map(|resource| resource.scope_spans)
        .flat_map(|scope| scope.spans)
        .collect();
    let debate = spans.iter().find(|span| span.name == "debate").expect("no span of the debate");
    assert_eq!(
        attribute(&debate.attributes, "roundtable.debate.end").as_deref(),
        Some("completed")
    );
    let calls: Vec<&Span> = spans.iter().filter(|span| span.name.starts_with("chat ")).collect();
    assert_eq!(calls.len(), 2, "{spans:#?}");
    for call in calls {
        assert_eq!(call.parent_span_id, debate.span_id);
        assert_eq!(call.trace_id, debate.trace_id);
        let of = |name| attribute(&call.attributes, name);
        assert_eq!(of("gen_ai.operation.name").as_deref(), Some("chat"));
        assert_eq!(of("gen_ai.provider.name").as_deref(), Some("ollama"));
        assert!(of("gen_ai.request.model").is_some_and(|model| model.starts_with("fake-")));
        assert!(of("gen_ai.usage.output_tokens").is_some(), "{call:#?}");
        assert!(call.start_time_unix_nano <= call.end_time_unix_nano);
    }
}

fn judge_figures(collected: &[(String, Vec<u8>)]) {
    let names: Vec<String> = collected
        .iter()
        .filter(|(path, _)| path == "/v1/metrics")
        .flat_map(|(_, body)| {
            ExportMetricsServiceRequest::decode(&body[..]).unwrap().resource_metrics
        })
        .flat_map(|resource| resource.scope_metrics)
        .flat_map(|scope| scope.metrics)
        .map(|metric| metric.name)
        .collect();
    for wanted in ["gen_ai.client.token.usage", "gen_ai.client.operation.duration"] {
        assert!(names.iter().any(|name| name == wanted), "{names:?}");
    }
}
