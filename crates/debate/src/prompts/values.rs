//! The values a template is filled in with, found by name. A row put in later
//! wins over an earlier one of the same name; nothing is ever taken out.

use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object};

/// Copying it costs nothing until one of the copies is added to.
#[derive(Debug, Clone)]
pub(super) struct TemplateValues {
    rows: Arc<TemplateValueRows>,
}

#[derive(Debug, Clone)]
struct TemplateValueRows(Vec<(&'static str, Value)>);

/// Capacity for the rows that a turn adds to a seat's own.
const ROWS: usize = 24;

impl TemplateValues {
    pub fn extend<const N: usize>(&mut self, rows: [(&'static str, Value); N]) {
        Arc::make_mut(&mut self.rows).0.extend(rows);
    }

    /// Returns the values in the form that templates take.
    pub fn scope(&self) -> Value {
        Value::from_dyn_object(Arc::clone(&self.rows))
    }
}

impl<const N: usize> From<[(&'static str, Value); N]> for TemplateValues {
    fn from(rows: [(&'static str, Value); N]) -> TemplateValues {
        let mut list = Vec::with_capacity(N.max(ROWS));
        list.extend(rows);
        TemplateValues { rows: Arc::new(TemplateValueRows(list)) }
    }
}

impl Object for TemplateValueRows {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    // A search through two dozen short names is quicker than building a map.
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.0.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.iter().map(|(name, _)| Value::from(*name)).collect())
    }
}
