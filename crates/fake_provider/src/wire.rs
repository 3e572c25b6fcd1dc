//! Hand-written HTTP/1.1: just enough to read a request and to write an answer,
//! right or wrong. It refuses requests over 16 MiB.

use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const HEAD_CAP: usize = 64 * 1024;
const BODY_CAP: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct FakeRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

/// The extent to which an answer was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteResult {
    Whole,
    /// Broken off, as planned or because the client left.
    Broken,
}

/// The state of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterAnswer {
    KeepAlive,
    Close,
}

/// Returns the next request, or `None` if the client has no more.
pub async fn read_request(socket: &mut TcpStream) -> Result<Option<FakeRequest>> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if bytes.len() > HEAD_CAP || socket.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let rest = bytes.split_off(head_end + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse::<usize>().ok()).unwrap_or(0);
    if length > BODY_CAP {
        return Err(Error::new(ErrorKind::InvalidData, "the request is too large"));
    }
    let mut body = rest;
    while body.len() < length {
        if socket.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(FakeRequest { method, path, headers, body }))
}

/// A whole answer with its length, and the last on its connection.
pub async fn plain(
    socket: &mut TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<WriteResult> {
    let kind = if body.trim_start().starts_with('<') { "text/html" } else { "application/json" };
    let mut text = format!("HTTP/1.1 {status} {}\r\n", phrase(status));
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!(
        "content-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ));
    socket.write_all(text.as_bytes()).await?;
    Ok(WriteResult::Whole)
}

/// Waits between two pieces of an answer. A timer would take a millisecond for no time at all.
pub(crate) async fn pause(pace: Duration) {
    match pace {
        Duration::ZERO => tokio::task::yield_now().await,
        pace => tokio::time::sleep(pace).await,
    }
}

/// The head of an answer that comes in pieces.
pub async fn open_stream(
    socket: &mut TcpStream,
    content_type: &str,
    after: AfterAnswer,
) -> Result<()> {
    let connection = match after {
        AfterAnswer::KeepAlive => "keep-alive",
        AfterAnswer::Close => "close",
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: {connection}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await
}

pub async fn piece(socket: &mut TcpStream, bytes: &[u8]) -> Result<()> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    socket.write_all(&framed).await
}

pub async fn end_stream(socket: &mut TcpStream) -> Result<WriteResult> {
    socket.write_all(b"0\r\n\r\n").await?;
    Ok(WriteResult::Whole)
}

/// Closes so that the client sees a reset and not an end.
pub fn reset(socket: &TcpStream) -> Result<WriteResult> {
    socket.set_zero_linger()?;
    Ok(WriteResult::Broken)
}

/// Waits until the client leaves.
pub async fn wait_for_leave(socket: &mut TcpStream) -> Result<WriteResult> {
    let mut sink = [0u8; 256];
    while socket.read(&mut sink).await? > 0 {}
    Ok(WriteResult::Broken)
}

fn phrase(status: u16) -> &'static str {
    if status < 300 { "OK" } else { "Trouble" }
}
