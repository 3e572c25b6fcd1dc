//! A byte changes on the disk. Whatever it hits, nothing false is shown, nothing
//! panics, and what is whole can still be read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod scene;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use scene::{answered, remark, scene};
use store::{DAMAGED, DebateCommand, LogEntry, NewOutcome, OutcomeRecord, Store, StoreError};

/// A generator with a fixed seed, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// How many times as much the long form does: `ROUNDTABLE_LONG=1` for all of it.
#[allow(clippy::disallowed_methods, reason = "a test may be asked to do more")]
fn times() -> usize {
    if std::env::var_os("ROUNDTABLE_LONG").is_some() { 4 } else { 1 }
}

const IDS: [&str; 3] = ["alpha", "beta", "gamma"];
/// So many bytes of a stored answer lie together in the file.
const TOGETHER: usize = 16;
const PAGE: usize = 1_024;
/// All answers begin alike.
const COMMON: usize = 64;

async fn written() -> (scene::Scene, Vec<Vec<LogEntry>>) {
    let scene = scene().await;
    let mut logs = Vec::new();
    for id in IDS {
        let claim = scene.debate(id).await;
        let text = match id {
            "beta" => format!("a sentence that stands only here {}", proof::noise(600)),
            _ => "other words ".repeat(50),
        };
        let events: Vec<_> = (1..=20).map(|round| answered(round, 0, &text, None)).collect();
        scene.store.append(&claim, 1, 2_000, &events).await.unwrap();
        scene.store.append(&claim, 21, 2_000, &[remark("the end")]).await.unwrap();
        logs.push(scene.store.log(id).await.unwrap());
    }
    scene.store.send("gamma", 1, DebateCommand::Remark("kindly hurry".into())).await.unwrap();
    scene.store.close().await;
    (scene, logs)
}

fn flip(from: &Path, to: &Path, at: usize, bit: usize) {
    let mut bytes = fs::read(from).unwrap();
    bytes[at] ^= 1 << bit;
    fs::write(to, bytes).unwrap();
}

/// The answers of a debate as they lie in a file, compressed.
async fn stored_answers(path: &Path, id: &str) -> Vec<Vec<u8>> {
    use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
    let mut connection = SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    let query = "SELECT e.json FROM events e JOIN debates d ON d.number = e.place >> 32
         WHERE d.id = ? AND e.kind = 'answered'";
    let stored = sqlx::query_scalar(query).bind(id).fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    stored
}

/// Where the stored bytes of a debate's answers lie in a file.
async fn places_of_answers(path: &Path, id: &str) -> Vec<usize> {
    let stored = stored_answers(path, id).await;
    let bytes = fs::read(path).unwrap();
    let parts: HashSet<&[u8]> =
        stored.iter().flat_map(|answer| answer[COMMON..].chunks_exact(TOGETHER)).collect();
    (0..bytes.len() - TOGETHER).filter(|at| parts.contains(&bytes[*at..*at + TOGETHER])).collect()
}

#[tokio::test]
async fn a_byte_changed_inside_an_answer_is_always_noticed_and_never_shown() {
    let (scene, logs) = written().await;
    let places = places_of_answers(&scene.path, "beta").await;
    assert!(places.len() > 300, "the answers are not where they should be");
    let mut noticed = 0;
    let mut dice = Dice(1);
    let copy = scene.dir.path().join("copy.db");
    for _ in 0..50 * times() {
        let at = places[dice.below(places.len())] + dice.below(TOGETHER);
        flip(&scene.path, &copy, at, dice.below(8));
        let store = Store::open(&copy).await.unwrap();
        assert_eq!(store.log("alpha").await.as_ref(), Ok(&logs[0]));
        let error = match store.log("beta").await {
            // A few bits of compressed bytes say nothing.
            Ok(log) => {
                assert_eq!(log, logs[1]);
                store.close().await;
                continue;
            }
            Err(error) => error,
        };
        noticed += 1;
        assert!(
            matches!(&error, StoreError::Damaged { id, seq: 2..=21, .. } if id == "beta"),
            "{error:?}"
        );
        assert!(!error.to_string().contains("sentence"), "{error}");
        let damages = store.check().await.unwrap();
        assert!(
            damages.iter().any(|damage| damage.debate.as_deref() == Some("beta")),
            "{damages:?}"
        );
        store.close().await;
    }
    assert!(noticed > 45 * times(), "only {noticed} flips were noticed");
    fs::copy(&scene.path, &copy).unwrap();
    let damaged = places[0];
    flip(&scene.path, &copy, damaged, 0);
    let refused = Store::restore(&copy, &scene.dir.path().join("restored.db")).await;
    assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_byte_changed_anywhere_never_makes_anything_false_appear() {
    let (scene, logs) = written().await;
    let listing = Store::open(&scene.path).await.unwrap();
    let listed = listing.list(&Default::default()).await.unwrap();
    listing.close().await;
    let size = fs::metadata(&scene.path).unwrap().len() as usize;
    let mut dice = Dice(2);
    let copy = scene.dir.path().join("copy.db");
    let mut noticed = 0;
    for round in 0..75 * times() {
        // Every third in the first pages, where the structure is.
        let at = dice.below(if round % 3 == 0 { 8192 } else { size });
        flip(&scene.path, &copy, at, dice.below(8));
        let Ok(store) = Store::open(&copy).await else {
            noticed += 1;
            continue;
        };
        for (id, log) in IDS.iter().zip(&logs) {
            match store.log(id).await {
                Ok(found) => assert_eq!(&found, log, "byte {at}"),
                Err(_) => noticed += 1,
            }
        }
        for debate in store.list(&Default::default()).await.unwrap_or_default() {
            assert!(debate.status == DAMAGED || listed.contains(&debate), "byte {at}: {debate:?}");
        }
        if let Ok(sent) = store.pending_everywhere().await {
            assert!(
                sent.iter().all(|one| one.command == DebateCommand::Remark("kindly hurry".into()))
            );
        }
        let _ = store.check().await;
        let _ = store.quick_check().await;
        store.close().await;
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(scene.dir.path().join(format!("copy.db{suffix}")));
        }
    }
    // Most pages of so small a file are empty.
    assert!(noticed > 8, "only {noticed} flips did anything");
}

#[tokio::test]
async fn the_quick_look_is_taken_once_and_its_result_is_kept() {
    let (scene, _) = written().await;
    let sound = fs::read(&scene.path).unwrap();
    // The pages of the answers become rubbish.
    let mut bytes = sound.clone();
    for place in places_of_answers(&scene.path, "beta").await {
        let page = place / PAGE * PAGE;
        bytes[page..page + PAGE].fill(0xee);
    }
    fs::write(&scene.path, &bytes).unwrap();
    let store = Store::read_only(&scene.path).await.unwrap();
    assert_eq!(store.checked(), None);
    let first = store.quick_check_once().await;
    assert!(matches!(first, Err(StoreError::Corrupt { .. })), "{first:?}");
    let other = store.clone();
    fs::write(&scene.path, &sound).unwrap();
    assert_eq!(other.checked(), Some(first.clone()), "clones know it");
    assert_eq!(other.quick_check_once().await, first, "it does not look again");
    assert_eq!(Store::read_only(&scene.path).await.unwrap().quick_check_once().await, Ok(()));
}

#[tokio::test]
async fn a_missing_entry_is_damage_wherever_it_was() {
    use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
    let (scene, _) = written().await;
    for (sql, missing) in [
        ("DELETE FROM events WHERE place = (1 << 32) + 22", 22),
        ("DELETE FROM events WHERE place = (1 << 32) + 9", 9),
        ("DELETE FROM events WHERE place = (1 << 32) + 1", 1),
        ("DELETE FROM events WHERE place >> 32 = 1", 1),
        ("UPDATE events SET place = (1 << 32) + 23 WHERE place = (2 << 32) + 22", 23),
        ("UPDATE debates SET number = 4 WHERE id = 'alpha'", 1),
    ] {
        let copy = scene.dir.path().join("copy.db");
        fs::copy(&scene.path, &copy).unwrap();
        let mut connection = SqliteConnectOptions::new().filename(&copy).connect().await.unwrap();
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let store = Store::open(&copy).await.unwrap();
        let error = store.log("alpha").await.unwrap_err();
        assert!(
            matches!(error, StoreError::Damaged { seq, .. } if seq == missing),
            "{sql}: {error:?}"
        );
        assert!(!store.check().await.unwrap().is_empty());
        store.close().await;
    }
}

#[tokio::test]
async fn a_debate_whose_number_is_damaged_takes_no_other_log_along() {
    use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
    let (scene, logs) = written().await;
    let mut connection = SqliteConnectOptions::new().filename(&scene.path).connect().await.unwrap();
    for sql in [
        "UPDATE debates SET number = 9 WHERE id = 'beta'",
        "UPDATE debates SET number = 2 WHERE id = 'alpha'",
        "UPDATE debates SET number = 1 WHERE id = 'beta'",
        "INSERT OR IGNORE INTO words_waiting SELECT id FROM debates",
    ] {
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    let store = Store::open(&scene.path).await.unwrap();
    for id in ["alpha", "beta"] {
        let read = store.log(id).await;
        assert!(matches!(read, Err(StoreError::Damaged { seq: 1, .. })), "{read:?}");
        let deleted = store.delete(id, 500_000).await;
        assert!(matches!(deleted, Err(StoreError::Damaged { seq: 1, .. })), "{deleted:?}");
    }
    let mut connection = SqliteConnectOptions::new().filename(&scene.path).connect().await.unwrap();
    let waiting: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM words_waiting")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(waiting, 3, "a refused deletion wrote something");
    assert_eq!(store.log("gamma").await.unwrap(), logs[2]);
    sqlx::query("UPDATE debates SET number = 8 WHERE id = 'gamma'")
        .execute(&mut connection)
        .await
        .unwrap();
    let deleted = store.delete("gamma", 500_000).await;
    assert!(matches!(deleted, Err(StoreError::Damaged { seq: 1, .. })), "{deleted:?}");
    sqlx::query("UPDATE debates SET number = 3 WHERE id = 'gamma'")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    store.delete("gamma", 500_000).await.unwrap();
    let left: Vec<_> =
        store.check().await.unwrap().into_iter().filter_map(|one| one.debate).collect();
    assert_eq!(left, ["alpha", "beta"]);
}

#[tokio::test]
async fn a_damaged_outcome_record_is_an_error_and_found_by_the_check() {
    let scene = scene().await;
    let record = OutcomeRecord::Undone { number: 7, reason: "a plain event".into() };
    let note = NewOutcome { debate: "a".into(), after: 0, record };
    scene.store.note_outcomes(5, &[note]).await.unwrap();
    scene.store.close().await;
    let mut bytes = fs::read(&scene.path).unwrap();
    let needle = b"a plain event";
    let at = bytes.windows(needle.len()).position(|part| part == needle).unwrap();
    bytes[at] = b'A';
    fs::write(&scene.path, &bytes).unwrap();
    let store = Store::read_only(&scene.path).await.unwrap();
    let read = store.outcomes(None).await;
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    let found = store.check().await.unwrap();
    assert!(found.iter().any(|damage| damage.what.contains("outcome record")), "{found:?}");
}

#[tokio::test]
async fn a_deleted_debate_leaves_no_word_in_the_file() {
    let scene = scene().await;
    let lease = scene.debate("d1").await;
    let said = [answered(1, 0, "quixotic zephyr", None)];
    scene.store.append(&lease, 1, 2, &said).await.unwrap();
    let lease = scene.debate("d2").await;
    scene.store.append(&lease, 1, 2, &[answered(1, 0, "unrelated", None)]).await.unwrap();
    let [deleted, kept] =
        [stored_answers(&scene.path, "d1").await, stored_answers(&scene.path, "d2").await];
    scene.store.delete("d1", 500_000).await.unwrap();
    scene.store.close().await;
    let bytes = fs::read(&scene.path).unwrap();
    let inside = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    // A longer answer may lie in two pieces.
    let end = |answers: &[Vec<u8>]| answers[0][answers[0].len() - TOGETHER..].to_vec();
    assert!(inside(&end(&kept)), "the file was not read");
    assert!(!inside(&end(&deleted)), "a deleted answer is still in the file");
    assert!(!inside(b"zephyr") && !inside(b"ephyr"), "a deleted word is still in the file");
}
