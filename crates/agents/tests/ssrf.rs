//! Reading pages can never reach inside: every trick to write a private address,
//! names that change their mind, mixed answers, redirects. Listeners stand where
//! an attacker would want to get; at the end they must have seen nobody.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use agents::http::guard::{GuardPolicy, GuardRefusal, Resolver, SystemResolver, clear, parse};
use agents::tools::page::{PAGE_CAP, PageError, PageReader};
use futures::future::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The address that plays the public web; the canaries are elsewhere.
const PUBLIC: &str = "127.0.0.2";

/// A listener that counts whoever connects.
struct Canary {
    port: u16,
    seen: Arc<AtomicUsize>,
}

async fn canary(address: &str, port: u16) -> Option<Canary> {
    let listener = TcpListener::bind((address, port)).await.ok()?;
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nsecret")
                .await;
        }
    });
    Some(Canary { port, seen })
}

/// Canaries on both loopbacks at one port.
async fn canaries() -> (u16, Vec<Canary>) {
    let first = canary("127.0.0.1", 0).await.unwrap();
    let port = first.port;
    let second = canary("::1", port).await;
    (port, std::iter::once(first).chain(second).collect())
}

async fn assert_untouched(canaries: &[Canary]) {
    // A connection in flight would arrive within a turn of the loop.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    for canary in canaries {
        assert_eq!(canary.seen.load(Ordering::SeqCst), 0, "somebody got inside");
    }
}

/// Answers from a table; a name with several answers gives the next each time.
#[derive(Default)]
struct Names {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Mutex<HashMap<String, usize>>,
}

impl Names {
    fn with(mut self, name: &str, answers: &[&[&str]]) -> Names {
        let parse = |row: &&[&str]| row.iter().map(|ip| ip.parse().unwrap()).collect();
        self.answers.insert(name.into(), answers.iter().map(parse).collect());
        self
    }

    fn asked(&self, name: &str) -> usize {
        self.asked.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let host = host.trim_end_matches('.');
            let mut asked = self.asked.lock().unwrap();
            let times = asked.entry(host.to_owned()).or_default();
            let rows = self.answers.get(host).ok_or(io::ErrorKind::NotFound)?;
            let row = rows[(*times).min(rows.len() - 1)].clone();
            *times += 1;
            Ok(row)
        })
    }
}

/// `{p}` stands for the canary's port.
const TRICKS: &[&str] = &[
    // Plain.
    "http://127.0.0.1:{p}/",
    "https://127.0.0.1:{p}/",
    "http://[::1]:{p}/",
    "http://localhost:{p}/",
    "http://LOCALHOST:{p}/",
    "http://localhost.:{p}/",
    "http://127.0.0.1.:{p}/",
    "http://0.0.0.0:{p}/",
    "http://[::]:{p}/",
    "http://127.0.0.53:{p}/",
    "http://127.255.255.254:{p}/",
    // Numbers in other clothes.
    "http://2130706433:{p}/",
    "http://0x7f000001:{p}/",
    "http://0X7F000001:{p}/",
    "http://017700000001:{p}/",
    "http://0x7f.0.0.1:{p}/",
    "http://0x7f.1:{p}/",
    "http://0177.0.0.1:{p}/",
    "http://0177.0.0.01:{p}/",
    "http://127.1:{p}/",
    "http://127.0.1:{p}/",
    "http://127.0x1:{p}/",
    "http://00000177.1:{p}/",
    "http://0:{p}/",
    "http://0x0:{p}/",
    "http://0.0:{p}/",
    "http://1:{p}/",
    "http://2852039166:{p}/",
    "http://0xa9fea9fe:{p}/",
    "http://0251.0376.0251.0376:{p}/",
    "http://3232235777:{p}/",
    "http://167772161:{p}/",
    // Version 6 that is version 4.
    "http://[::ffff:127.0.0.1]:{p}/",
    "http://[::ffff:7f00:1]:{p}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{p}/",
    "http://[::127.0.0.1]:{p}/",
    "http://[::ffff:0:127.0.0.1]:{p}/",
    "http://[64:ff9b::127.0.0.1]:{p}/",
    "http://[64:ff9b::7f00:1]:{p}/",
    "http://[64:ff9b:1::7f00:1]:{p}/",
    "http://[2002:7f00:1::]:{p}/",
    "http://[2002:a00:1::1]:{p}/",
    "http://[2001:0:7f00:1::]:{p}/",
    "http://[::ffff:169.254.169.254]:{p}/",
    "http://[::ffff:10.0.0.1]:{p}/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]:{p}/",
    // Other private nets.
    "http://10.0.0.1:{p}/",
    "http://172.16.0.1:{p}/",
    "http://172.31.255.255:{p}/",
    "http://192.168.0.1:{p}/",
    "http://169.254.169.254:{p}/latest/meta-data/",
    "http://100.64.0.1:{p}/",
    "http://100.100.100.200:{p}/",
    "http://198.18.0.1:{p}/",
    "http://192.0.0.192:{p}/",
    "http://192.0.2.1:{p}/",
    "http://203.0.113.1:{p}/",
    "http://224.0.0.1:{p}/",
    "http://255.255.255.255:{p}/",
    "http://240.0.0.1:{p}/",
    "http://[fe80::1]:{p}/",
    "http://[fc00::1]:{p}/",
    "http://[fd00:ec2::254]:{p}/",
    "http://[fec0::1]:{p}/",
    "http://[ff02::1]:{p}/",
    "http://[2001:db8::1]:{p}/",
    // Letters and dots that only look different.
    "http://127。0。0。1:{p}/",
    "http://127.0.0.1:{p}/",
    "http://①②⑦.⓪.⓪.①:{p}/",
    "http://ⓛocalhost:{p}/",
    "http://loc\u{ad}alhost:{p}/",
    "http://%31%32%37.0.0.1:{p}/",
    "http://127%2e0%2e0%2e1:{p}/",
    "http://lo%63alhost:{p}/",
    "http://127.0.0.1%00.example.com:{p}/",
    // Names of the inside.
    "http://printer.local:{p}/",
    "http://metadata.google.internal:{p}/",
    "http://wiki.corp:{p}/",
    "http://router.lan:{p}/",
    "http://foo.localhost:{p}/",
    "http://intranet:{p}/",
    "http://x.home.arpa.:{p}/",
    // Before and after the host.
    "http://user@127.0.0.1:{p}/",
    "http://93.184.216.34@127.0.0.1:{p}/",
    "http://example.com:80@127.0.0.1:{p}/",
    "http://example.com%40127.0.0.1:{p}/",
    "http://127.0.0.1:{p}#@example.com/",
    "http://127.0.0.1:{p}?@example.com/",
    "http://127.0.0.1:{p}\\@example.com/",
    "http:\\\\127.0.0.1:{p}\\",
    "http:127.0.0.1:{p}/",
    "http:/127.0.0.1:{p}/",
    " http://127.0.0.1:{p}/ ",
    "ht\ntp://127.0.0.1:{p}/",
    "http://127.0.\t0.1:{p}/",
    "//127.0.0.1:{p}/",
    // Not the web at all.
    "file:///etc/passwd",
    "gopher://127.0.0.1:{p}/_x",
    "ftp://127.0.0.1:{p}/",
    "ws://127.0.0.1:{p}/",
    "dict://127.0.0.1:{p}/",
    "data:text/html,hi",
    "javascript:alert(1)",
    "jar:http://127.0.0.1:{p}!/",
    "unix:/var/run/docker.sock",
    "view-source:http://127.0.0.1:{p}/",
    "blob:http://127.0.0.1:{p}/x",
];

#[tokio::test]
async fn no_way_to_write_a_private_address_gets_through() {
    assert!(TRICKS.len() >= 70, "only {} tricks", TRICKS.len());
    let (port, canaries) = canaries().await;
    // The canary's port is open, so that the address alone must be refused.
    let policy = GuardPolicy { ports: vec![80, 443, port], also: vec![] };
    let reader = PageReader::new(policy, Arc::new(SystemResolver));
    for trick in TRICKS {
        let url = trick.replace("{p}", &port.to_string());
        match reader.read(&url).await {
            Err(PageError::Refused(_)) => {}
            other => panic!("{trick}: {other:?}"),
        }
    }
    assert_untouched(&canaries).await;
}

#[tokio::test]
async fn ports_are_refused_on_public_addresses_too() {
    for port in [22, 25, 6379, 8080, 11434, 65535] {
        let url = parse(&format!("http://93.184.216.34:{port}/")).unwrap();
        let refused = clear(url, &GuardPolicy::default(), &SystemResolver).await.unwrap_err();
        assert_eq!(refused, GuardRefusal::Port(port));
    }
    for fine in ["http://93.184.216.34/", "https://93.184.216.34/", "https://93.184.216.34:80/"] {
        let cleared = clear(parse(fine).unwrap(), &GuardPolicy::default(), &SystemResolver).await;
        assert_eq!(cleared.unwrap().addresses, ["93.184.216.34".parse::<IpAddr>().unwrap()]);
    }
}

#[tokio::test]
async fn one_bad_address_spoils_all_of_a_names_answers() {
    let names = Names::default()
        .with("mixed.example.com", &[&["93.184.216.34", "127.0.0.1"]])
        .with("six.example.com", &[&["2606:4700::1", "::ffff:10.0.0.1"]])
        .with("none.example.com", &[&[]]);
    for (name, public) in [("mixed", false), ("six", false), ("none", false), ("unknown", false)] {
        let url = parse(&format!("http://{name}.example.com/")).unwrap();
        let outcome = clear(url, &GuardPolicy::default(), &names).await;
        assert_eq!(outcome.is_ok(), public, "{name}: {outcome:?}");
    }
}

/// A server on the address that plays the public web. Each path answers with
/// what the table says; `{p}` is its own port.
async fn server(pages: &[(&str, String)]) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind((PUBLIC, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let pages: HashMap<String, String> = pages
        .iter()
        .map(|(path, answer)| (path.to_string(), answer.replace("{p}", &port.to_string())))
        .collect();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            let mut piece = [0; 4096];
            while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut piece).await {
                    Ok(0) | Err(_) => break,
                    Ok(read) => head.extend_from_slice(&piece[..read]),
                }
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            seen.lock().unwrap().push(head);
            let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned();
            let answer = pages.get(&path).cloned().unwrap_or(missing);
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (port, requests)
}

fn ok(kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nset-cookie: a=b\r\nconnection: close\r\n\r\n{body}"
    )
}

fn redirect(to: &str) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}

fn reader(ports: Vec<u16>, names: Names) -> (PageReader, Arc<Names>) {
    let policy = GuardPolicy { ports, also: vec![PUBLIC.parse().unwrap()] };
    let names = Arc::new(names);
    (PageReader::new(policy, Arc::clone(&names) as Arc<dyn Resolver>), names)
}

#[tokio::test]
async fn a_page_is_read_from_the_address_that_was_checked() {
    let (port, requests) = server(&[("/", ok("text/html", "<title>T</title><p>Hello</p>"))]).await;
    // A name that turns to loopback as soon as it has been looked up once.
    let names = Names::default().with("rebind.example.com", &[&[PUBLIC], &["127.0.0.1"]]);
    let (reader, names) = reader(vec![port], names);
    let page = reader.read(&format!("http://rebind.example.com:{port}/#part")).await.unwrap();
    assert_eq!((page.title.as_str(), page.text.as_str(), page.cut_off), ("T", "Hello", false));
    assert_eq!(names.asked("rebind.example.com"), 1, "it was looked up again");
    let head = requests.lock().unwrap()[0].to_lowercase();
    for never in ["cookie", "authorization", "x-api-key", "referer", "#part"] {
        assert!(!head.contains(never), "{head}");
    }
    // The next reading asks again, and is refused.
    let second = reader.read(&format!("http://rebind.example.com:{port}/")).await;
    assert!(matches!(second, Err(PageError::Refused(GuardRefusal::NotGlobal(_)))), "{second:?}");
}

#[tokio::test]
async fn redirects_are_checked_like_the_first_address() {
    let (inside, canaries) = canaries().await;
    let targets = [
        format!("http://127.0.0.1:{inside}/"),
        format!("http://[::1]:{inside}/"),
        format!("http://2130706433:{inside}/"),
        format!("http://localhost:{inside}/"),
        format!("//127.0.0.1:{inside}/"),
        format!("http://user@93.184.216.34:{inside}/"),
        format!("http://inside.example.com:{inside}/"),
        format!("http://rebind.example.com:{inside}/"),
        "file:///etc/passwd".to_owned(),
        "http://93.184.216.34:22/".to_owned(),
    ];
    let mut pages: Vec<(String, String)> =
        targets.iter().enumerate().map(|(at, to)| (format!("/{at}"), redirect(to))).collect();
    // The same after two harmless steps.
    pages.push(("/chain".into(), redirect("/chain2")));
    pages.push(("/chain2".into(), redirect("http://outside.example.com:{p}/0")));
    let pages: Vec<(&str, String)> =
        pages.iter().map(|(path, answer)| (path.as_str(), answer.clone())).collect();
    let (port, _) = server(&pages).await;
    let names = Names::default()
        .with("outside.example.com", &[&[PUBLIC]])
        .with("inside.example.com", &[&["127.0.0.1"]])
        .with("rebind.example.com", &[&[PUBLIC, "127.0.0.1"]]);
    let (reader, _) = reader(vec![port, inside], names);
    let paths = (0..targets.len()).map(|at| at.to_string()).chain(["chain".to_owned()]);
    for path in paths {
        let outcome = reader.read(&format!("http://outside.example.com:{port}/{path}")).await;
        assert!(matches!(outcome, Err(PageError::Refused(_))), "{path}: {outcome:?}");
    }
    assert_untouched(&canaries).await;
}

#[tokio::test]
async fn three_redirects_are_followed_and_no_more() {
    let pages = [
        ("/3", redirect("/2")),
        ("/2", redirect("/1")),
        ("/1", redirect("/0")),
        ("/0", ok("text/plain", "there")),
        ("/4", redirect("/3")),
        ("/loop", redirect("/loop")),
        (
            "/nowhere",
            "HTTP/1.1 302 Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
        ),
    ];
    let (port, requests) = server(&pages).await;
    let (reader, _) = reader(vec![port], Names::default());
    let page = reader.read(&format!("http://{PUBLIC}:{port}/3")).await.unwrap();
    assert_eq!((page.text.as_str(), page.url), ("there", format!("http://{PUBLIC}:{port}/0")));
    for path in ["4", "loop"] {
        requests.lock().unwrap().clear();
        let outcome = reader.read(&format!("http://{PUBLIC}:{port}/{path}")).await;
        assert_eq!(outcome, Err(PageError::TooManyRedirects), "{path}");
        assert_eq!(requests.lock().unwrap().len(), 4, "{path}");
    }
    let outcome = reader.read(&format!("http://{PUBLIC}:{port}/nowhere")).await;
    assert_eq!(outcome, Err(PageError::BadRedirect));
}

#[tokio::test]
async fn size_and_type_are_bounded() {
    let big = "word ".repeat(PAGE_CAP / 5 + 1000);
    let pages = [
        ("/big", ok("text/plain", &big)),
        ("/image", ok("image/png", "x")),
        ("/untyped", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nx".to_owned()),
        (
            "/lies",
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 99999999999\r\n\r\nx"
                .to_owned(),
        ),
    ];
    let (port, _) = server(&pages).await;
    let (reader, _) = reader(vec![port], Names::default());
    let read = async |path: &str| reader.read(&format!("http://{PUBLIC}:{port}/{path}")).await;
    let page = read("big").await.unwrap();
    assert!(page.cut_off);
    assert!(page.text.len() <= PAGE_CAP);
    assert_eq!(read("image").await, Err(PageError::NotText("image/png".into())));
    assert!(matches!(read("untyped").await, Err(PageError::NotText(_))));
    assert!(matches!(read("lies").await, Err(PageError::Fetch(_))));
    assert_eq!(read("gone").await, Err(PageError::Status(404)));
}
