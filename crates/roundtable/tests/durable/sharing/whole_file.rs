//! The database as its user meets it: one file after a clean exit, never lost in
//! silence, never read by others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::harness::{Home, Running, script};

const START: [&str; 9] =
    ["debate", "--rounds", "2", "--seed", "7", "--json", "--script", "script.json", "In stages?"];

struct Scene {
    home: Home,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(delay_ms: u64) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("script.json"), script(delay_ms)).unwrap();
        let home = Home::new(folder.path(), "http://127.0.0.1:9");
        Scene { home, folder }
    }

    /// A debate that was held.
    fn held(delay_ms: u64) -> Scene {
        let scene = Scene::new(delay_ms);
        let (code, _, err) = scene.home.run(&START);
        assert_eq!(code, 0, "{err}");
        scene
    }

    /// A debate that waits for an answer.
    fn running(delay_ms: u64) -> (Scene, Running) {
        let scene = Scene::new(delay_ms);
        let run = scene.home.start(&START, &[]);
        run.wait_for(&run.stdout, "\"asked\"");
        (scene, run)
    }

    /// A home that has a copy of this one's database file, and nothing else of it.
    fn copied(&self) -> Home {
        let folder = self.folder.path().join("copy");
        fs::create_dir_all(folder.join("data")).unwrap();
        fs::copy(self.home.database(), folder.join("data/roundtable.db")).unwrap();
        Home::new(&folder, "http://127.0.0.1:9")
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

#[test]
fn after_a_debate_the_one_file_is_the_whole_database() {
    let scene = Scene::held(5);
    let files: Vec<String> = fs::read_dir(scene.home.database().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("roundtable.db"))
        .collect();
    assert_eq!(files, ["roundtable.db"]);
    let copy = scene.copied();
    assert_eq!(copy.ids(), scene.home.ids());
    let (_, out, err) = copy.run(&["doctor"]);
    assert!(!out.contains("was in use"), "{out}{err}");
}

#[test]
fn a_copy_without_its_wal_is_not_called_sound_without_a_word() {
    let (scene, mut run) = Scene::running(400);
    let copy = scene.copied();
    let (_, out, err) = copy.run(&["doctor"]);
    assert!(out.contains("was in use when it was last written"), "{out}{err}");
    assert_eq!(run.wait(), 0, "{}", run.complained());
}

#[test]
fn a_database_deleted_under_a_debate_ends_it_with_an_error() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 3] = [
        ("the database", |path| fs::remove_file(path).unwrap()),
        ("its WAL", |path| fs::remove_file(beside(path, "-wal")).unwrap()),
        ("its folder", |path| fs::remove_dir_all(path.parent().unwrap()).unwrap()),
    ];
    for (what, harm) in harms {
        let (scene, mut run) = Scene::running(1_000);
        harm(&scene.home.database());
        let code = run.wait();
        let said = run.complained();
        assert!(code == 1 && said.contains("moved or deleted"), "{what}: {code}: {said}");
    }
}

#[test]
fn damaged_tables_are_an_error_and_not_an_empty_list() {
    let scene = Scene::held(5);
    let path = scene.home.database();
    let mut bytes = fs::read(&path).unwrap();
    let name = b"CREATE TABLE debates (";
    let places: Vec<usize> =
        (0..bytes.len() - name.len()).filter(|at| bytes[*at..].starts_with(name)).collect();
    for at in places {
        // The name of the first column is no longer text.
        bytes[at + name.len() + 5] = 0xff;
    }
    fs::write(&path, &bytes).unwrap();
    for args in [vec!["sessions", "list"], vec!["sessions", "list", "--json"], vec!["costs"]] {
        let (code, out, err) = scene.home.run(&args);
        assert!(code == 1 && err.contains("damaged"), "{args:?}: {code}: {out}{err}");
    }
}

/// A byte of an answer, which the structure of the file does not show.
#[test]
fn doctor_reads_every_debate_and_a_broken_file_takes_no_new_one() {
    let scene = Scene::held(5);
    let path = scene.home.database();
    let sound = fs::read(&path).unwrap();
    // The kind of the entry, the mark of a packed text and its length come before the answer.
    let needle = b"answered\x02";
    let at = sound.windows(needle.len()).position(|part| part == needle).unwrap();
    let mut bytes = sound.clone();
    bytes[at + needle.len() + 40] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let id = scene.home.ids().pop().unwrap();
    let (code, out, err) = scene.home.run(&["doctor"]);
    assert!(code != 0 && out.contains(&format!("debate {id}")), "{code}: {out}{err}");
    let mut bytes = sound;
    let half = bytes.len() / 2;
    bytes[half..].fill(0xee);
    fs::write(&path, &bytes).unwrap();
    let (code, out, err) = scene.home.run(&START);
    assert!(code == 1 && err.contains("damaged"), "{code}: {out}{err}");
}

#[test]
fn exports_and_backups_are_private_whatever_the_umask() {
    let scene = Scene::held(5);
    let id = scene.home.ids().pop().unwrap();
    let open = ["sh", "-c", "umask 000; exec \"$0\" \"$@\""];
    for (args, file) in [
        (vec!["sessions", "export", &id, "--format", "markdown", "-o", "out.md"], "out.md"),
        (vec!["sessions", "export", &id, "--format", "json", "-o", "out.json"], "out.json"),
        (vec!["backup", "backup.db"], "backup.db"),
    ] {
        let mut run = scene.home.start_through(&open, &args);
        let code = run.wait();
        assert_eq!(code, 0, "{args:?}: {}", run.complained());
        let mode = fs::metadata(scene.home.folder.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}
