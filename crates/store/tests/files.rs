//! The file on the disk: who may read it, files that are not ours, two
//! processes at once, and a process that is killed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]
#![cfg(unix)]

mod scene;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use scene::{LEASE, opened, remark, scene};
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
use store::{APPLICATION_ID, SCHEMA_VERSION, Store, StoreError};

/// Set where a test runs as the child of another; without it a child does
/// nothing, so that running all tests does no harm.
const CHILD: &str = "ROUNDTABLE_CHILD";

#[allow(clippy::disallowed_methods, reason = "a child must learn that it is one")]
fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs one of the tests named `child_…` in a process of its own, in `dir`.
fn elsewhere(test: &str, umask: &str, dir: &Path) -> Child {
    Command::new("sh")
        .args(["-c", "umask \"$1\" && exec \"$0\" --exact \"$2\""])
        .env(CHILD, "1")
        .arg(std::env::current_exe().unwrap())
        .args([umask, test])
        .current_dir(dir)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn child_opens_and_dies() {
    if !is_child() {
        return;
    }
    let store = Store::open(Path::new("a/b/roundtable.db")).await.unwrap();
    store.create("d1", 1, &[opened("x")]).await.unwrap();
    store.log("d1").await.unwrap();
    store.backup(Path::new("a/backup.db")).await.unwrap();
    // Without closing, so that the files beside the database stay.
    #[allow(clippy::disallowed_methods, reason = "the child ends here")]
    std::process::exit(0);
}

#[test]
fn files_are_private_whatever_the_umask() {
    let dir = tempfile::tempdir().unwrap();
    assert!(elsewhere("child_opens_and_dies", "000", dir.path()).wait().unwrap().success());
    let home = dir.path().join("a/b");
    assert_eq!((mode(&dir.path().join("a")), mode(&home)), (0o700, 0o700));
    let mut names = Vec::new();
    for entry in fs::read_dir(&home).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["roundtable.db", "roundtable.db-shm", "roundtable.db-wal"]);
    assert_eq!(mode(&dir.path().join("a/backup.db")), 0o600);
}

#[tokio::test]
async fn a_file_others_could_read_is_closed_to_them() {
    let scene = scene().await;
    scene.store.close().await;
    fs::set_permissions(&scene.path, fs::Permissions::from_mode(0o644)).unwrap();
    Store::open(&scene.path).await.unwrap();
    assert_eq!(mode(&scene.path), 0o600);
}

async fn sqlite(path: &Path, statements: &[&'static str]) {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    for sql in statements {
        sqlx::query(*sql).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn what_is_not_ours_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(
        at("text"),
        "Dear diary, today I learnt to write more than a hundred bytes. ".repeat(9),
    )
    .unwrap();
    fs::write(at("short"), "hello").unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::create_dir(at("directory")).unwrap();
    sqlite(&at("foreign"), &["CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"]).await;
    sqlite(&at("named"), &["PRAGMA application_id = 7", "CREATE TABLE t (x)"]).await;
    sqlite(&at("foreign-wal"), &["PRAGMA journal_mode = WAL", "CREATE TABLE t (x)"]).await;
    for name in ["text", "short", "empty", "directory", "foreign", "named", "foreign-wal"] {
        let path = at(name);
        let before = fs::read(&path).ok();
        let count = fs::read_dir(dir.path()).unwrap().count();
        for refused in [
            Store::open(&path).await,
            Store::open_existing(&path).await,
            Store::read_only(&path).await,
        ] {
            let error = refused.unwrap_err();
            assert!(matches!(error, StoreError::NotOurs { .. }), "{name}: {error:?}");
            assert!(error.to_string().contains(name), "{error}");
        }
        assert_eq!(fs::read(&path).ok(), before, "{name} was changed");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), count, "{name} got company");
    }
}

#[tokio::test]
async fn a_newer_format_is_refused_untouched_even_if_only_the_wal_says_so() {
    let scene = scene().await;
    scene.debate("d1").await;
    scene.store.close().await;
    let wanted =
        |path: &Path| StoreError::Newer { path: path.to_owned(), found: 99, known: SCHEMA_VERSION };

    // Said in the header of the file.
    let header = scene.dir.path().join("header.db");
    fs::copy(&scene.path, &header).unwrap();
    sqlite(&header, &["PRAGMA user_version = 99"]).await;
    // Said only in the WAL file, as after a crash.
    let wal = scene.dir.path().join("wal.db");
    fs::copy(&scene.path, &wal).unwrap();
    let options = SqliteConnectOptions::new().filename(&wal);
    let mut connection = options.connect().await.unwrap();
    sqlx::query("PRAGMA user_version = 99").execute(&mut connection).await.unwrap();

    for path in [&header, &wal] {
        let before = fs::read(path).unwrap();
        assert_eq!(Store::open(path).await.unwrap_err(), wanted(path));
        assert_eq!(Store::read_only(path).await.unwrap_err(), wanted(path));
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[test]
fn the_application_id_reads_as_our_name() {
    assert_eq!(u32::try_from(APPLICATION_ID).unwrap().to_be_bytes(), *b"RTbl");
}

#[tokio::test]
async fn of_many_who_make_the_database_at_once_all_use_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("home/roundtable.db");
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let path = path.clone();
        tasks.spawn(async move {
            let store = Store::open(&path).await.unwrap();
            store.create(&format!("d{number}"), 1, &[opened("x")]).await.unwrap();
        });
    }
    tasks.join_all().await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.list(&Default::default()).await.unwrap().len(), 8);
    let drafts = fs::read_dir(dir.path().join("home")).unwrap();
    assert!(drafts.flatten().all(|entry| !entry.file_name().to_string_lossy().contains("new")));
}

/// Appends until it is killed; a line in the file `acked` per answer.
#[tokio::test]
async fn child_appends_without_end() {
    use std::io::Write;
    if !is_child() {
        return;
    }
    let store = Store::open(Path::new("home/roundtable.db")).await.unwrap();
    // A lease of no length: the next process need not know that this one died.
    let claim = store.claim_run("d1", &std::process::id().to_string(), 0, 1).await.unwrap();
    let mut last = store.get("d1").await.unwrap().last_seq;
    let mut acked = fs::OpenOptions::new().create(true).append(true).open("acked").unwrap();
    loop {
        last = store.append(&claim, last, 1, &[remark("from elsewhere")]).await.unwrap();
        writeln!(acked, "{last}").unwrap();
    }
}

fn acked(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join("acked")).unwrap_or_default();
    // The last line may have been cut by the kill.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().last().map_or(1, |line| line.parse().unwrap())
}

#[tokio::test]
async fn a_killed_process_loses_nothing_it_had_acknowledged() {
    let scene = scene().await;
    scene.store.create("d1", 1, &[opened("x")]).await.unwrap();
    scene.store.close().await;
    let dir = scene.dir.path();
    for kill in 1..=5_u64 {
        let before = acked(dir);
        let mut child = elsewhere("child_appends_without_end", "022", dir);
        let deadline = proof::Deadline::new();
        while acked(dir) < before + 10 * kill {
            deadline.check(|| "the child does not get on".into());
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Reading alone must do, WAL left behind or not.
        let store = Store::read_only(&scene.path).await.unwrap();
        let log = store.log("d1").await.unwrap();
        let acked = acked(dir);
        // What was in flight may be there too.
        assert!((acked..=acked + 1).contains(&(log.len() as u64)), "{} of {acked}", log.len());
        assert_eq!(store.check().await, Ok(vec![]));
        store.close().await;
    }
}

#[tokio::test]
async fn two_processes_write_to_one_file_and_neither_waits_in_vain() {
    let scene = scene().await;
    scene.store.create("d1", 1, &[opened("x")]).await.unwrap();
    let mine = scene.debate("mine").await;
    let mut child = elsewhere("child_appends_without_end", "022", scene.dir.path());
    let mut last = 1;
    let deadline = proof::Deadline::new();
    while acked(scene.dir.path()) < 50 || last < 50 {
        deadline.check(|| "one of the two starves".into());
        last = scene.store.append(&mine, last, 1, &[remark("from here")]).await.unwrap();
    }
    // Its debate is taken from it, and it may write no more.
    let claim = scene.store.claim_run("d1", "parent", LEASE, 1).await.unwrap();
    assert!(!child.wait().unwrap().success(), "a stale runner went on writing");
    let end = scene.store.get("d1").await.unwrap().last_seq;
    assert_eq!(end, acked(scene.dir.path()));
    assert_eq!(scene.store.append(&claim, end, 1, &[remark("mine now")]).await, Ok(end + 1));
    assert_eq!(scene.store.log("mine").await.unwrap().len() as u64, last);
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

#[tokio::test]
async fn while_another_program_holds_the_lock_reading_goes_on_and_writing_waits_its_turn() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let mut other = SqliteConnectOptions::new().filename(&scene.path).connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();

    let store = Store::open(&scene.path).await.unwrap();
    assert_eq!(store.log("d1").await.unwrap().len(), 1);
    let append =
        tokio::spawn(async move { store.append(&claim, 1, 1, &[remark("at last")]).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!append.is_finished());
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    assert_eq!(append.await.unwrap(), Ok(2));
}

/// Leaves a journal behind, as a process does that is killed when it changes a
/// database that is not in WAL mode: a backup that was opened, say.
#[tokio::test]
async fn child_dies_in_a_commit() {
    if !is_child() {
        return;
    }
    let options = SqliteConnectOptions::new().filename("backup.db").pragma("cache_size", "1");
    let mut connection = options.connect().await.unwrap();
    for sql in
        ["PRAGMA journal_mode = DELETE", "BEGIN", "UPDATE events SET json = 'never committed'"]
    {
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
    for _ in 0..100 {
        let sql = "INSERT INTO events SELECT 9 + max(place), 1, '', json || json, '' FROM events";
        // Soon the pages no longer fit in memory and are written before the commit.
        if fs::metadata("backup.db-journal").is_ok_and(|journal| journal.len() > 50_000) {
            break;
        }
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
    std::process::abort();
}

#[tokio::test]
async fn a_write_cut_short_outside_wal_mode_is_undone_by_whoever_opens_next() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let long = remark(&proof::noise(200_000));
    scene.store.append(&claim, 1, 1, &[long]).await.unwrap();
    let backup = scene.dir.path().join("backup.db");
    scene.store.backup(&backup).await.unwrap();
    let child = elsewhere("child_dies_in_a_commit", "022", scene.dir.path()).wait();
    assert!(!child.unwrap().success());
    let journal = fs::metadata(scene.dir.path().join("backup.db-journal")).unwrap();
    assert!(journal.len() > 512, "the child left no journal");
    let store = Store::read_only(&backup).await.unwrap();
    assert_eq!(store.log("d1").await, scene.store.log("d1").await);
    assert_eq!(store.check().await, Ok(vec![]));
}

/// Fills the disk it is in, again and again, and makes room again.
#[tokio::test]
async fn child_fills_the_disk() {
    if !is_child() {
        return;
    }
    let store = Store::open(Path::new("home/roundtable.db")).await.unwrap();
    store.create("d1", 1, &[opened("x")]).await.unwrap();
    let claim = store.claim_run("d1", "me", LEASE, 1).await.unwrap();
    let mut last = 1;
    for _ in 0..10 {
        let ballast = fs::write("ballast", vec![1; 64 << 20]);
        assert_eq!(ballast.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        let full = loop {
            match store.append(&claim, last, 1, &[remark(&proof::noise(20_000))]).await {
                Ok(seq) => last = seq,
                Err(error) => break error,
            }
        };
        assert_eq!(full, StoreError::Full);
        assert_eq!(store.log("d1").await.unwrap().len() as u64, last);
        let refused = store.backup(Path::new("backup.db")).await;
        assert_eq!(refused, Err(StoreError::Full));
        fs::remove_file("ballast").unwrap();
        let added = store.append(&claim, last, 1, &[remark("room again")]).await;
        assert_eq!(added, Ok(last + 1));
        last += 1;
    }
    assert_eq!(store.check().await, Ok(vec![]));
    assert!(!Path::new("backup.db").exists());
}

#[test]
fn a_real_disk_that_is_full_loses_nothing_and_works_again_when_it_is_not() {
    let unshare = |script: &str, dir: &Path| {
        Command::new("unshare")
            .args(["-rm", "sh", "-c", script])
            .env(CHILD, "1")
            .arg(std::env::current_exe().unwrap())
            .arg(dir)
            .stdout(std::process::Stdio::null())
            .status()
    };
    let dir = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=4m none \"$1\"";
    if !unshare(mount, dir.path()).is_ok_and(|status| status.success()) {
        proof::cannot_be_shown("a full disk: this machine does not let us mount a small one");
        return;
    }
    let child = "cd \"$1\" && exec \"$0\" --exact child_fills_the_disk";
    let status = unshare(&format!("{mount} && {child}"), dir.path()).unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn a_process_killed_while_it_makes_the_database_leaves_none_or_a_whole_one() {
    let mut made = 0;
    for millis in (0..48).step_by(3) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/roundtable.db");
        let mut child = elsewhere("child_opens_and_dies", "022", dir.path());
        tokio::time::sleep(Duration::from_millis(millis)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        made += u32::from(path.exists());
        let store = Store::open(&path).await.unwrap();
        assert_eq!(store.check().await, Ok(vec![]), "killed after {millis} ms");
        store.create("next", 1, &[opened("y")]).await.unwrap();
    }
    println!("{made} of 16 had made it before they were killed");
}

#[tokio::test]
async fn what_a_killed_process_left_half_made_is_swept_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roundtable.db");
    Store::open(&path).await.unwrap().close().await;
    let name = |rest: &str| folder.path().join(format!("roundtable.db.new-{rest}"));
    // No process has such a number; this one lives.
    let (dead, living) = (name("4294967295-0"), name(&format!("{}-7", std::process::id())));
    let foreign = folder.path().join("roundtable.db.new-year-plans");
    for file in [&dead, &name("4294967295-0-wal"), &living, &foreign] {
        std::fs::write(file, "half").unwrap();
    }
    Store::open(&path).await.unwrap().close().await;
    assert!(!dead.exists() && !name("4294967295-0-wal").exists());
    assert!(living.exists() && foreign.exists());
}

#[tokio::test]
async fn a_store_for_reading_makes_nothing_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none").join("roundtable.db");
    for refused in [Store::read_only(&path).await, Store::open_existing(&path).await] {
        assert_eq!(refused.unwrap_err(), StoreError::Missing { path: path.clone() });
    }
    assert!(!dir.path().join("none").exists());

    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let reader = Store::read_only(&scene.path).await.unwrap();
    assert_eq!(reader.log("d1").await.unwrap().len(), 1);
    assert_eq!(reader.append(&claim, 1, 2, &[remark("x")]).await, Err(StoreError::ReadOnly));
    // It sees what is written after it was opened.
    scene.store.append(&claim, 1, 2, &[remark("x")]).await.unwrap();
    assert_eq!(reader.log("d1").await.unwrap().len(), 2);
}

/// Many processes that start at once may keep the file locked for longer than SQLite waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_debate_waits_for_a_crowd() {
    let scene = scene().await;
    let lock = Store::lock_out(&scene.path).await.unwrap();
    let freed = async {
        // SQLite waits for 5 s.
        tokio::time::sleep(Duration::from_secs(6)).await;
        lock.let_go().await.unwrap();
    };
    let events = [opened("Here?")];
    let (created, ()) = tokio::join!(scene.store.create("d", 1, &events), freed);
    assert_eq!(created, Ok(1));
}
