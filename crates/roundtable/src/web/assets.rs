//! The style sheet, the script and the icon. Their addresses carry a hash of what is in
//! them, so that a browser keeps them for as long as they are the same.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::report::sheet::STYLE;

const SCRIPT: &str = include_str!("templates/page.js");
const ICON: &str = include_str!("templates/icon.svg");
/// A year: another version has another address.
const KEEP: &str = "public, max-age=31536000, immutable";

/// The version of all assets together.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = blake3::Hasher::new();
    [STYLE, SCRIPT, ICON].iter().for_each(|text| {
        hash.update(text.as_bytes());
    });
    hash.finalize().to_hex().chars().take(12).collect()
});

pub async fn asset(Path(name): Path<String>) -> Response {
    let (kind, text) = match name.as_str() {
        "page.css" => ("text/css; charset=utf-8", STYLE),
        "page.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "icon.svg" => ("image/svg+xml", ICON),
        _ => return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response(),
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, KEEP)], text).into_response()
}
