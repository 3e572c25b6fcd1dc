//! A structured result as text, for clients that show text: the same facts in
//! the same order, as an indented outline. It adds and drops nothing.

use std::fmt::Write as _;

use serde_json::Value;

pub fn outline(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out.trim_end().to_owned()
}

fn write(out: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::Object(inner) if inner.is_empty() => {}
                    Value::Array(items) if items.is_empty() => {
                        let _ = writeln!(out, "{indent}{key}: none");
                    }
                    Value::Array(items) if items.iter().all(is_short) => {
                        let items: Vec<String> = items.iter().map(plain).collect();
                        let _ = writeln!(out, "{indent}{key}: {}", items.join(", "));
                    }
                    Value::Object(_) | Value::Array(_) => {
                        let _ = writeln!(out, "{indent}{key}:");
                        write(out, value, depth + 1);
                    }
                    Value::String(text) if text.contains('\n') => {
                        let _ = writeln!(out, "{indent}{key}:");
                        for line in text.lines() {
                            let _ = writeln!(out, "{indent}  {line}");
                        }
                    }
                    other => {
                        let _ = writeln!(out, "{indent}{key}: {}", plain(other));
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::Object(_) | Value::Array(_) => {
                        let mut inner = String::new();
                        write(&mut inner, item, depth + 1);
                        // The first line of an entry carries its mark.
                        let mark = format!("{indent}- {}", inner.trim_start());
                        let _ = writeln!(out, "{}", mark.trim_end());
                    }
                    other => {
                        let _ = writeln!(out, "{indent}- {}", plain(other));
                    }
                }
            }
        }
        other => {
            let _ = writeln!(out, "{indent}{}", plain(other));
        }
    }
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= 40 && !text.contains([',', '\n']),
        Value::Object(_) | Value::Array(_) => false,
        _ => true,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
