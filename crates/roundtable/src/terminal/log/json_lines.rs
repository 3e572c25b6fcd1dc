//! Log lines as JSON, one object a line, for programs that collect them: time, level, node,
//! module and message, and the fields of the event beside them.

use std::fmt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

pub struct JsonLines {
    /// The name of this machine.
    pub node: String,
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let data = event.metadata();
        let mut line = Map::new();
        line.insert("time".into(), engine::clock::now_text().into());
        line.insert("level".into(), data.level().as_str().to_lowercase().into());
        line.insert("node".into(), self.node.clone().into());
        line.insert("module".into(), data.target().into());
        event.record(&mut JsonFields(&mut line));
        writeln!(writer, "{}", Value::Object(line))
    }
}

struct JsonFields<'a>(&'a mut Map<String, Value>);

impl JsonFields<'_> {
    fn set(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().into(), value);
    }
}

impl Visit for JsonFields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value.into());
    }
}
