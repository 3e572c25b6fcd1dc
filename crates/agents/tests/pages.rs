//! Pages become the text a reader sees: in whatever character set they come, by
//! whichever of the three ways they name it, and without what is not theirs.
#![allow(clippy::unwrap_used)]

use std::net::IpAddr;
use std::sync::Arc;

use agents::http::guard::{GuardPolicy, SystemResolver};
use agents::tools::page::{PageReader, WebPage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const HERE: &str = "127.0.0.1";

/// Reads one page from a server that sends exactly these bytes.
async fn read(content_type: &str, body: &[u8]) -> WebPage {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len()
    );
    let response = [head.as_bytes(), body].concat();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(&response).await;
    });
    let policy = GuardPolicy { ports: vec![port], also: vec![HERE.parse::<IpAddr>().unwrap()] };
    let reader = PageReader::new(policy, Arc::new(SystemResolver));
    reader.read(&format!("http://{HERE}:{port}/")).await.unwrap()
}

async fn html(content_type: &str, head: &str, words: &[u8]) -> String {
    let start = format!("<html><head>{head}<title>t</title></head><body><p>");
    let body = [start.as_bytes(), words, b"</p></body></html>"].concat();
    read(content_type, &body).await.text
}

/// “naïve” – 5 €, in windows-1252.
const WESTERN: &[u8] = b"\x93na\xefve\x94 \x96 5 \x80";
const WESTERN_TEXT: &str = "“naïve” – 5 €";
/// The Japanese for "character encoding", in Shift_JIS.
const JAPANESE: &[u8] = b"\x95\xb6\x8e\x9a\x83\x52\x81\x5b\x83\x68";
const JAPANESE_TEXT: &str = "文字コード";

#[tokio::test]
async fn the_header_names_the_character_set() {
    assert_eq!(html("text/html; charset=windows-1252", "", WESTERN).await, WESTERN_TEXT);
    // The web reads this old name as windows-1252.
    assert_eq!(html("text/html; charset=\"ISO-8859-1\"", "", WESTERN).await, WESTERN_TEXT);
    assert_eq!(html("text/html;charset=Shift_JIS", "", JAPANESE).await, JAPANESE_TEXT);
    let plain = read("text/plain; charset=shift_jis", JAPANESE).await;
    assert_eq!(plain.text, JAPANESE_TEXT);
}

#[tokio::test]
async fn a_meta_tag_names_the_character_set() {
    let short = "<meta charset=\"windows-1252\">";
    assert_eq!(html("text/html", short, WESTERN).await, WESTERN_TEXT);
    let short = "<META CHARSET=shift_jis>";
    assert_eq!(html("text/html", short, JAPANESE).await, JAPANESE_TEXT);
    let long = "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=Shift_JIS\">";
    assert_eq!(html("text/html", long, JAPANESE).await, JAPANESE_TEXT);
    // A name in a comment or in a script is none.
    let hidden = "<!-- <meta charset=shift_jis> -->";
    assert_eq!(html("text/html", hidden, "é".as_bytes()).await, "é");
    // The header wins over the tag.
    let tag = "<meta charset=shift_jis>";
    assert_eq!(html("text/html; charset=utf-8", tag, "é".as_bytes()).await, "é");
}

#[tokio::test]
async fn a_byte_order_mark_wins_over_both() {
    let marked = ["\u{feff}<p>naïve</p>".as_bytes()].concat();
    assert_eq!(read("text/html; charset=windows-1252", &marked).await.text, "naïve");
    let wide: Vec<u8> = "\u{feff}<p>文字</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read("text/html", &wide).await.text, "文字");
}

#[tokio::test]
async fn without_a_name_it_is_utf8_where_it_can_be() {
    assert_eq!(html("text/html", "", JAPANESE_TEXT.as_bytes()).await, JAPANESE_TEXT);
    assert_eq!(html("text/html", "", WESTERN).await, WESTERN_TEXT);
    assert_eq!(html("text/html; charset=nonsense", "", "é".as_bytes()).await, "é");
}

#[tokio::test]
async fn the_article_is_read_and_the_menus_are_not() {
    let article = format!("<article><h1>Tea</h1><p>{}</p></article>", "Tea helps. ".repeat(50));
    let page = format!(
        "<title>Tea &amp; talk</title><header>Sign in</header><nav><ul><li>Home</ul></nav>\
         <div class=ad>Buy now</div>{article}<footer>Imprint</footer>"
    );
    let page = read("text/html; charset=utf-8", page.as_bytes()).await;
    assert_eq!(page.title, "Tea & talk");
    assert!(page.text.starts_with("# Tea\n\nTea helps. "), "{}", page.text);
    for not in ["Home", "Buy now", "Imprint", "Sign in"] {
        assert!(!page.text.contains(not), "{not}");
    }
    // A page without an article is read whole.
    let page = read("text/html", b"<header>Prices</header><p>Tea: 2</p><footer>VAT incl.</footer>");
    assert_eq!(page.await.text, "Prices\n\nTea: 2\n\nVAT incl.");
}

#[tokio::test]
async fn a_page_nested_without_end_is_read_like_any_other() {
    let mut page = "<div>".repeat(300_000);
    page.push_str("deep");
    assert_eq!(read("text/html", page.as_bytes()).await.text, "deep");
}
