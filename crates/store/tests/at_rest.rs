//! The file between uses and under them: whole by itself after a clean exit, never
//! written to after it was deleted, never empty because its tables are damaged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]
#![cfg(unix)]

mod scene;

use std::fs;
use std::path::{Path, PathBuf};

use scene::{remark, scene};
use store::{ListFilter, Store, StoreError};

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// A copy of the one file alone.
fn copied(path: &Path, name: &str) -> PathBuf {
    let folder = path.parent().unwrap().join(name);
    fs::create_dir_all(&folder).unwrap();
    let copy = folder.join("roundtable.db");
    fs::copy(path, &copy).unwrap();
    copy
}

#[tokio::test]
async fn after_a_clean_exit_the_one_file_holds_everything() {
    let scene = scene().await;
    let lease = scene.debate("d1").await;
    // A watcher is a connection too, and must not keep the file from its rest.
    let mut watch = scene.store.changes().await.unwrap();
    assert!(watch.since_last().await.unwrap());
    scene.store.append(&lease, 1, 2_000, &[remark("kept")]).await.unwrap();

    let early = copied(&scene.path, "early");
    assert_eq!(Store::may_lack_wal(&early), Ok(true), "a copy of a file in use");
    assert_eq!(Store::may_lack_wal(&scene.path), Ok(false), "its WAL is beside it");

    scene.store.close().await;
    assert_eq!(watch.since_last().await, Err(StoreError::Closed));
    for suffix in ["-wal", "-shm", "-journal"] {
        assert!(!beside(&scene.path, suffix).exists(), "{suffix} was left behind");
    }
    let late = copied(&scene.path, "late");
    assert_eq!(Store::may_lack_wal(&late), Ok(false));
    let copy = Store::read_only(&late).await.unwrap();
    assert_eq!(copy.log("d1").await.unwrap().len(), 2);
    assert_eq!(copy.check().await, Ok(vec![]));
    copy.close().await;
    assert!(!beside(&late, "-wal").exists(), "reading a file at rest needs no WAL");
}

#[tokio::test]
async fn the_last_to_close_puts_the_file_to_rest() {
    let scene = scene().await;
    let other = scene.another().await;
    let lease = scene.debate("d1").await;
    scene.store.close().await;
    // What the first wrote is in the file; the other goes on as before.
    let copy = Store::read_only(&copied(&scene.path, "copy")).await.unwrap();
    assert_eq!(copy.log("d1").await.unwrap().len(), 1);
    assert_eq!(other.append(&lease, 1, 2_000, &[remark("still here")]).await, Ok(2));
    other.close().await;
    assert!(!beside(&scene.path, "-wal").exists());
    assert_eq!(Store::may_lack_wal(&scene.path), Ok(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_open_a_file_at_rest_at_once_all_get_it() {
    let scene = scene().await;
    scene.store.close().await;
    let mut opening = tokio::task::JoinSet::new();
    for number in 0..20 {
        let path = scene.path.clone();
        opening.spawn(async move {
            let store = Store::open(&path).await?;
            store.create(&format!("d{number}"), 1, &[scene::opened("x")]).await?;
            store.close().await;
            Ok::<_, StoreError>(())
        });
    }
    for opened in opening.join_all().await {
        opened.unwrap();
    }
    let store = scene.another().await;
    assert_eq!(store.list(&ListFilter::default()).await.unwrap().len(), 20);
    store.close().await;
    assert!(!beside(&scene.path, "-wal").exists());
}

#[tokio::test]
async fn a_file_deleted_under_its_writer_is_noticed_by_the_next_append() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 4] = [
        ("the database", |path| fs::remove_file(path).unwrap()),
        ("its WAL", |path| fs::remove_file(beside(path, "-wal")).unwrap()),
        ("its folder", |path| fs::remove_dir_all(path.parent().unwrap()).unwrap()),
        ("the database, replaced by another", |path| {
            fs::copy(path, beside(path, "2")).unwrap();
            fs::rename(beside(path, "2"), path).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let scene = scene().await;
        let lease = scene.debate("d1").await;
        harm(&scene.path);
        let appended = scene.store.append(&lease, 1, 2_000, &[remark("lost")]).await;
        assert_eq!(appended, Err(StoreError::Vanished { path: scene.path.clone() }), "{what}");
        // It does not pass: the next one is refused, too.
        assert!(scene.store.append(&lease, 1, 2_000, &[remark("lost")]).await.is_err(), "{what}");
        scene.store.close().await;
    }
}

/// Changes one byte after the other where the tables are defined. Whatever comes of
/// it, the debates never look like none.
#[tokio::test]
async fn damaged_definitions_of_tables_are_an_error_and_never_an_empty_list() {
    let scene = scene().await;
    scene.debate("d1").await;
    scene.store.close().await;
    let sound = fs::read(&scene.path).unwrap();
    // The definitions moved while the tables were made: some of these places are
    // no longer in use.
    let name = b"TABLE debates";
    let places: Vec<usize> = (0..sound.len() - name.len())
        .filter(|at| sound[*at..].starts_with(name))
        .flat_map(|at| (at - 40..at + 700).step_by(3))
        .collect();
    let (mut errors, mut listed) = (0, 0);
    for place in places {
        let mut bytes = sound.clone();
        bytes[place] ^= 0x80 >> (place % 8);
        let path = beside(&scene.path, "-damaged.db");
        fs::write(&path, &bytes).unwrap();
        let found = match Store::read_only(&path).await {
            Ok(store) => {
                let found = store.list(&ListFilter::default()).await;
                store.close().await;
                found
            }
            Err(error) => Err(error),
        };
        match found {
            Ok(rows) => {
                assert!(!rows.is_empty(), "byte {place}: the debate is gone without a word");
                listed += 1;
            }
            Err(_) => errors += 1,
        }
    }
    println!("{errors} errors, {listed} listed");
    assert!(errors > 200, "only {errors} of the changes were noticed");
}
