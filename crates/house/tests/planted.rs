//! Each rule, run on a small tree with a violation: a rule that cannot fail holds
//! nothing. Beside each violation stands its spelling that a search in the text would
//! miss, and something alike that is allowed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use house::circles::{Layers, circles, upward};
use house::crates::{heavy, one_way, parsed, passed_on};
use house::doors::{GuardedPath, opened, words_in_code};
use house::tree::SourceTree;
use house::{Finding, above, booleans, escapes, names, proofs, prose, recorded, refusals, sizes};

fn tree(files: &[(&str, &str)]) -> SourceTree {
    SourceTree::of(files).unwrap()
}

fn one(text: &str) -> SourceTree {
    tree(&[("crates/x/src/lib.rs", text)])
}

/// A test file with one function.
fn test_file(body: &str) -> SourceTree {
    tree(&[("crates/x/tests/it.rs", body)])
}

fn places(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.place.as_str()).collect()
}

const PACKAGES: &str = r#"{"packages": [
    {"name": "roundtable-debate", "dependencies": [{"name": "tokio", "kind": null}]},
    {"name": "roundtable-store", "dependencies": [{"name": "roundtable-debate", "kind": null}]},
    {"name": "roundtable", "dependencies": [
        {"name": "roundtable-store", "rename": "innocent", "kind": null, "optional": true},
        {"name": "sqlx", "kind": "build"},
        {"name": "reqwest", "kind": "dev"}]},
    {"name": "attic", "dependencies": []}
]}"#;

#[test]
fn a_dependency_against_the_direction() {
    let packages = parsed(PACKAGES).unwrap();
    let rooms: [(&str, &[&str]); 3] =
        [("debate", &[]), ("store", &["debate"]), ("roundtable", &["debate"])];
    let found = one_way(&packages, &rooms);
    // A rename and a feature hide nothing; a crate without a row is found.
    assert_eq!(places(&found), ["roundtable", "attic"], "{found:?}");
}

#[test]
fn a_heavy_thing_in_the_wrong_room() {
    let packages = parsed(PACKAGES).unwrap();
    let table: [(&str, &[&str]); 3] =
        [("tokio", &["store"]), ("sqlx", &["store"]), ("reqwest", &[])];
    let found = heavy(&packages, &table);
    assert_eq!(places(&found), ["debate", "roundtable"], "{found:?}");
}

#[test]
fn a_crate_passed_on_whole() {
    let rooms: [(&str, &[&str]); 1] = [("store", &[])];
    for text in ["pub use store;", "pub use store as shelf;", "pub(crate) use {store::*};"] {
        assert_eq!(passed_on(&one(text), &rooms, &[]).len(), 1, "{text}");
    }
    for text in ["use store;", "pub use store::Lease;", "mod store; pub use store::*;"] {
        assert!(passed_on(&one(text), &rooms, &[]).is_empty(), "{text}");
    }
}

/// Two files, each using the other by the spelling given.
fn pair(root: &str, from_one: &str, from_other: &str) -> SourceTree {
    tree(&[
        ("crates/x/src/lib.rs", root),
        ("crates/x/src/one.rs", from_one),
        ("crates/x/src/other.rs", from_other),
    ])
}

#[test]
fn a_circle_between_files_however_it_is_spelled() {
    let root = "mod one; mod other; pub use other::B;";
    let back = "use crate::one::A; pub struct B; pub fn made() {}";
    for spelling in [
        "use crate::other::B; pub struct A;",
        "use super::other::B; pub struct A;",
        "use crate::{other::{B as C}}; pub struct A;",
        "use crate::other as elsewhere; pub struct A(elsewhere::B);",
        "pub struct A; fn f() { crate::other::made() }",
        "pub struct A; fn f() { use super::other; other::made() }",
        "pub struct A; fn f() { println!(\"{:?}\", crate::other::made()) }",
        // Over the parent, which passes it on.
        "use crate::B; pub struct A;",
        "use super::*; pub struct A(B);",
        "pub struct A; mod inner { use super::super::other::B; }",
        "#[serde(with = \"crate::other\")] pub struct A;",
    ] {
        let found = circles(&pair(root, spelling, back));
        assert_eq!(found.len(), 2, "{spelling}: {found:?}");
    }
    for spelling in [
        "pub struct A;",
        "// crate::other\npub struct A; const B: &str = \"crate::other::B\";",
        "pub struct A; #[cfg(test)] mod tests { use crate::other::B; }",
    ] {
        let found = circles(&pair(root, spelling, back));
        assert!(found.is_empty(), "{spelling}: {found:?}");
    }
}

#[test]
fn a_parent_and_its_child_may_use_one_another() {
    let files = [
        ("crates/x/src/lib.rs", "mod one;"),
        ("crates/x/src/one.rs", "mod child; use child::B; pub struct A(B);"),
        ("crates/x/src/one/child.rs", "use super::A; pub struct B(A);"),
    ];
    assert!(circles(&tree(&files)).is_empty());
    // A file under another name is a module all the same; one without `mod` is found.
    let files = [
        ("crates/x/src/lib.rs", "mod one; #[path = \"odd.rs\"] mod other;"),
        ("crates/x/src/one.rs", "use crate::other::B; pub struct A;"),
        ("crates/x/src/odd.rs", "use crate::one::A; pub struct B;"),
        ("crates/x/src/lost.rs", ""),
    ];
    assert_eq!(circles(&tree(&files)).len(), 3);
}

#[test]
fn a_room_that_uses_the_one_above_or_beside_it() {
    let files = [
        ("crates/x/src/lib.rs", "mod low; mod left; mod right;"),
        ("crates/x/src/low.rs", "use crate::left::L as M; pub struct N(M);"),
        ("crates/x/src/left.rs", "use crate::{right::{self}}; pub struct L(right::R);"),
        ("crates/x/src/right.rs", "use crate::low::N; pub struct R(N);"),
    ];
    let layers = Layers { folder: "x", rows: &[&["low"], &["left", "right"]] };
    let found = upward(&tree(&files), &layers);
    assert_eq!(places(&found), ["crates/x/src/left.rs:1", "crates/x/src/low.rs:1"], "{found:?}");
}

#[test]
fn a_type_name_twice() {
    let files = [
        (
            "crates/x/src/lib.rs",
            "mod a; struct ToolRow; mod inner { pub(super) enum ToolRow { A } }",
        ),
        (
            "crates/x/src/a.rs",
            "type ToolRow = u8; fn f() { struct Local; } fn g() { struct Local; }",
        ),
        ("crates/y/src/lib.rs", "trait ToolRow {} struct CallEnd;"),
        ("crates/y/src/lib_tests.rs", "struct CallEnd;"),
    ];
    assert_eq!(names::twice_in_a_crate(&tree(&files)).len(), 3);
    assert_eq!(names::shared_between_crates(&tree(&files), 0).len(), 4);
    assert_eq!(names::shared_between_crates(&tree(&files), 50).len(), 1);
    let few = above(vec![Finding::new("a", "b")], 100, 5);
    assert!(few.is_empty());
}

#[test]
fn a_bare_participle_or_a_vague_noun() {
    for name in ["Held", "Kept", "Said", "Sat", "Abandoned", "Waiting", "Row", "Kind"] {
        for kind in [format!("pub struct {name};"), format!("pub(crate) enum {name} {{}}")] {
            assert_eq!(names::bare(&one(&kind)).len(), 1, "{kind}");
        }
    }
    for text in
        ["pub struct KeptAnswer;", "pub struct Seed;", "pub struct ToolRow;", "struct Held;"]
    {
        assert!(names::bare(&one(text)).is_empty(), "{text}");
    }
    let vague = tree(&[("crates/x/src/util.rs", ""), ("crates/x/src/lease.rs", "")]);
    assert_eq!(places(&names::vague_files(&vague)), ["crates/x/src/util.rs"]);
}

#[test]
fn a_bool_in_costume() {
    for text in [
        "enum Colour { On, Off }",
        "#[derive(Debug)] pub enum A { No, Yes }",
        "enum B { Quiet, NotQuiet }",
        "enum C { Signed, Unsigned }",
        "fn f() { enum D { True, False } }",
    ] {
        assert_eq!(booleans::yes_no_enums(&one(text)).len(), 1, "{text}");
    }
    for text in [
        "enum Era { Legacy, Stateless }",
        "#[derive(serde::Serialize)] enum Stored { Yes, No }",
        "enum Three { Yes, No, Perhaps }",
        "enum Full { Yes(u8), No }",
    ] {
        assert!(booleans::yes_no_enums(&one(text)).is_empty(), "{text}");
    }
    let found =
        booleans::bool_matches(&one("fn f(x: u8) -> u8 { match x > 1 { true => 1, false => 2 } }"));
    assert_eq!(found.len(), 1);
    assert!(
        booleans::bool_matches(&one("fn f(x: u8) { match x { 1 => (), _ => () } }")).is_empty()
    );
}

#[test]
fn sizes_and_first_lines() {
    let long = "//! A.\n".repeat(501);
    assert_eq!(sizes::long_files(&one(&long), 500).len(), 1);
    assert!(sizes::long_files(&one(&long[7..]), 500).is_empty());
    let body =
        |lines: usize| format!("struct A; impl A {{ fn f() {{\n{} }} }}", "();\n".repeat(lines));
    assert_eq!(sizes::long_functions(&one(&body(79)), 80).len(), 1);
    assert!(sizes::long_functions(&one(&body(78)), 80).is_empty());
    let paths: Vec<String> = (0..16).map(|n| format!("crates/x/src/a/f{n}.rs")).collect();
    let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
    assert_eq!(places(&sizes::crowded_folders(&tree(&files), 15)), ["crates/x/src/a"]);
    files.pop();
    files.push(("crates/x/src/a/f0_tests.rs", ""));
    assert!(sizes::crowded_folders(&tree(&files), 15).is_empty());
    assert_eq!(sizes::unexplained(&one("// Not this.\nfn f() {}")).len(), 1);
    assert!(sizes::unexplained(&one("//! A file.\nfn f() {}")).is_empty());
}

#[test]
fn a_doc_comment_without_a_subject() {
    let text = "/// What it is.\nfn a() {}\n#[doc = \"Whether it is.\"]\nfn b() {}\n/** How it is. */\nfn c() {}\n/// Returns it.\n/// What follows is no beginning.\nfn d() {}";
    assert_eq!(prose::questions(&one(text), 0).len(), 3);
    assert_eq!(prose::questions(&one(text), 50).len(), 1);
}

#[test]
fn tests_inline_and_tests_ignored() {
    for text in [
        "#[test] fn f() {}",
        "#[tokio::test] async fn f() {}",
        "#[cfg(test)] mod tests { fn f() {} }",
        "#[cfg(all(test, unix))] mod tests { fn f() {} }",
    ] {
        assert_eq!(proofs::inline_tests(&one(text)).len(), 1, "{text}");
    }
    assert!(proofs::inline_tests(&one("#[cfg(test)] mod tests; #[cfg(unix)] mod a {}")).is_empty());
    for text in [
        "#[test] #[ignore] fn f() {}",
        "#[ignore = \"slow\"] fn f() {}",
        "#[cfg_attr(unix, ignore)] fn f() {}",
    ] {
        assert_eq!(proofs::ignored(&test_file(text)).len(), 1, "{text}");
    }
}

#[test]
fn an_assertion_on_elapsed_time_however_it_is_spelled() {
    for body in [
        "let t = Instant::now(); assert!(t.elapsed() < LIMIT);",
        "let t = std::time::Instant::now(); let took = t.elapsed(); assert!(took < LIMIT, \"slow\");",
        "let t = Instant::now(); let took = t.elapsed().as_millis(); assert_eq!(took, 3);",
        "let (a, b) = (Instant::now(), 1); let c = Instant::now(); assert!(c - a < LIMIT);",
        "assert!(b.duration_since(a) < LIMIT);",
        "let t = Instant::now(); let mut s = ZERO; s = s.max(t.elapsed()); assert!(s < LIMIT);",
        "let end = Instant::now() + LIMIT; assert!(Instant::now() < end);",
        "let t = Instant::now(); loop { if t.elapsed() > LIMIT { panic!(\"slow\") } }",
        "let f = || { assert!((1..2).contains(&t.elapsed().as_secs())) };",
    ] {
        let text = format!("#[test] fn f() {{ {body} }}");
        assert_eq!(proofs::timed(&test_file(&text), &[]).len(), 1, "{body}");
        assert!(proofs::timed(&test_file(&text), &["crates/x/"]).is_empty(), "{body}");
    }
    for text in [
        "#[test] fn f() { let t = Instant::now(); println!(\"{:?}\", t.elapsed()); }",
        "#[test] fn f() { assert!(done, \"after {:?}\", t.elapsed()); }",
        "#[tokio::test(start_paused = true)] async fn f() { assert_eq!(t.elapsed(), WAIT); }",
    ] {
        assert!(proofs::timed(&test_file(text), &[]).is_empty(), "{text}");
    }
}

#[test]
fn a_door_opened_elsewhere_however_it_is_spelled() {
    let doors = [GuardedPath {
        name: "the environment",
        paths: &["std::env", "println!"],
        harmless: &["std::env::consts"],
        closed_in: "crates/",
        open_in: &["crates/x/src/door.rs"],
    }];
    for text in [
        "fn f() { std::env::var(\"A\"); }",
        "use std::env; fn f() { env::vars(); }",
        "use std::{env as e}; fn f() { e::vars(); }",
        "use std::env::var as v; fn f() { v(\"A\"); }",
        "use std::env as e; fn f() { use e::var as v; v(\"A\"); }",
        "fn f() { format!(\"{:?}\", std::env::var(\"A\")); }",
        "fn f() { println!(); }",
    ] {
        assert_eq!(opened(&one(text), &doors).len(), 1, "{text}");
        assert!(opened(&tree(&[("crates/x/src/door.rs", text)]), &doors).is_empty());
    }
    assert!(!opened(&one("use std::env::*; fn f() { var(\"A\"); }"), &doors).is_empty());
    for text in ["fn f() { std::env::consts::OS; println(); }", "// std::env::var\nfn f() {}"] {
        assert!(opened(&one(text), &doors).is_empty(), "{text}");
    }
}

#[test]
fn a_mode_named_outside_modes() {
    let words = ["delphi".to_owned()];
    for text in ["fn f() { g(\"delphi\") }", "fn f() { format!(\"{}\", r#\"delphi\"#); }"] {
        assert_eq!(words_in_code(&one(text), &words, "crates/x/", &[]).len(), 1, "{text}");
        assert!(words_in_code(&one(text), &words, "crates/x/", &["crates/x/src/lib"]).is_empty());
    }
    let comment = one("/// \"delphi\"\nfn f() {}");
    assert!(words_in_code(&comment, &words, "crates/x/", &[]).is_empty());
}

#[test]
fn a_recorded_log_that_was_edited() {
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let list = format!("{hash}  a.jsonl\n{hash}  gone.jsonl\n");
    let logs = |text: &str| vec![("a.jsonl".to_owned(), text.as_bytes().to_vec())];
    assert_eq!(places(&recorded::edited(&list, &logs("abc"))), ["gone.jsonl"]);
    assert_eq!(places(&recorded::edited(&list, &logs("abd"))), ["a.jsonl", "gone.jsonl"]);
    assert_eq!(places(&recorded::edited("", &logs("abc"))), ["a.jsonl"]);
}

#[test]
fn a_sentence_rewritten_for_another_face() {
    for text in [
        "fn f(t: String) -> String { t.replace(\"--budget\", \"budgetUsd\") }",
        "fn f(t: &str) -> String { t.replacen(\"say --replace\", \"set replace\", 1) }",
        "const W: &str = \"--budget\"; fn f(t: &str) -> String { t.replace(W, \"budgetUsd\") }",
        "fn f(t: &str) { [(\"a\", \"b\")].iter().map(|(a, b)| t.replace(a, b)); }",
    ] {
        assert_eq!(refusals::rewritten(&one(text), &["crates/x/"], &[]).len(), 1, "{text}");
        assert!(refusals::rewritten(&one(text), &["crates/y/"], &[]).is_empty(), "{text}");
        let open = ["crates/x/src/lib.rs"];
        assert!(refusals::rewritten(&one(text), &["crates/x/"], &open).is_empty(), "{text}");
    }
    for text in [
        "fn f(t: &str) -> String { t.replace('\\n', \" \").replace([' ', '-'], \"_\") }",
        "fn f(t: &str) -> String { t.replace(\"{{\", \"{ {\") }",
        "fn f(o: &mut Option<u8>) { o.replace(1); }",
        "#[cfg(test)] mod tests { fn f(t: &str) -> String { t.replace(\"a\", \"b\") } }",
    ] {
        assert!(refusals::rewritten(&one(text), &["crates/x/"], &[]).is_empty(), "{text}");
    }
}

#[test]
fn a_result_of_a_result() {
    for text in [
        "fn f() -> Result<Result<u8, u8>, u8> { Ok(Ok(1)) }",
        "fn f() -> std::io::Result<std::result::Result<u8, u8>> { Ok(Ok(1)) }",
        "struct S { s: Option<Result<Result<u8, u8>, u8>> }",
    ] {
        assert_eq!(refusals::nested_results(&one(text)).len(), 1, "{text}");
    }
    for text in [
        "fn f() -> Result<Option<Result<u8, u8>>, u8> { Ok(None) }",
        "fn f() -> Result<u8, Result<u8, u8>> { Ok(1) }",
        "// Result<Result<u8, u8>, u8>\nfn f() -> Result<u8, u8> { Ok(1) }",
    ] {
        assert!(refusals::nested_results(&one(text)).is_empty(), "{text}");
    }
}

#[test]
fn a_refusal_worded_in_the_engine() {
    let doors = [GuardedPath {
        name: "the mouth of a face",
        paths: &["crate::error::EngineError::Face", "crate::error::EngineError::input"],
        harmless: &[],
        closed_in: "crates/x/",
        open_in: &[],
    }];
    for text in [
        "use crate::error::EngineError; fn f() { EngineError::input(\"no\"); }",
        "use crate::error::EngineError as E; fn f() { g(E::Face(vec![])); }",
        "fn f() { crate::error::EngineError::input(\"no\"); }",
    ] {
        assert_eq!(opened(&one(text), &doors).len(), 1, "{text}");
    }
    let typed = "use crate::error::EngineError; fn f() { EngineError::Refused(vec![]); }";
    assert!(opened(&one(typed), &doors).is_empty());
}

#[test]
fn an_escape_made_by_hand() {
    let found = |text: &str| escapes::by_hand(&one(text), &["crates/x/"], &[]).len();
    for text in [
        r#"fn f(out: &mut String) { out.push_str("<p>x</p>"); }"#,
        r#"fn f(name: &str) -> String { format!("<b>{name}</b>") }"#,
        r#"const LESS: &str = "&lt;";"#,
        r#"fn f(t: &str) -> String { t.replace('<', "&lt;") }"#,
        r#"fn f(t: &str) -> String { t.replace("|", "\\|") }"#,
        r#"fn f(t: &str) -> String { t.replace('"', "\"\"") }"#,
        r#"fn f(out: &mut String, c: char) { out.push('\\'); out.push(c); }"#,
        "fn html_escaped(text: &str) -> String { text.into() }",
    ] {
        assert!(found(text) > 0, "{text}");
    }
    for text in [
        r#"fn f(t: &str) -> String { t.replace('_', " ") }"#,
        r#"fn f(a: u8, b: u8) -> bool { a < b && b > a }"#,
        r#"fn f(out: &mut String) { out.push('/'); out.push_str("a < b"); }"#,
        r#"#[cfg(test)] mod tests { const END: &str = "</p>"; }"#,
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
    let place = tree(&[("crates/x/src/document/html.rs", "const END: &str = \"</p>\";")]);
    assert!(escapes::by_hand(&place, &["crates/x/"], &["crates/x/src/document/"]).is_empty());
}
