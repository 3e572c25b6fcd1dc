//! Scripted debates with known right verdicts, played through the machine. The
//! scripts in `verdicts/*.txt` say who says what and what must come out; the whole
//! result of each is compared with its sheet in `verdicts/sheets/`.
//! `UPDATE_VERDICTS=1` writes the sheets anew: read them as a user would.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "verdict_suite/script.rs"]
mod script;
#[path = "verdict_suite/sheet.rs"]
mod sheet;
mod support;

use std::path::{Path, PathBuf};

use script::Script;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts")
}

fn scripts() -> Vec<(String, Script)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let group = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        all.extend(Script::all(&text).into_iter().map(|script| (group.clone(), script)));
    }
    all
}

#[test]
fn every_scripted_debate_comes_to_its_known_verdict() {
    let mut wrong = Vec::new();
    for (group, script) in scripts() {
        let played = script.play();
        for fault in sheet::faults(&script, &played) {
            wrong.push(format!("{group} / {}: {fault}", script.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Covers: 14-judged
#[test]
fn agents_are_judged_by_hand_computed_tables() {
    let mut wrong = Vec::new();
    let mut tables = 0;
    for (group, script) in scripts().into_iter().filter(|(_, script)| !script.judged.is_empty()) {
        tables += script.judged.len();
        for fault in sheet::judging_faults(&script, &script.play()) {
            wrong.push(format!("{group} / {}: {fault}", script.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tables >= 20, "{tables} tables");
}

#[test]
fn the_whole_result_is_as_written_down() {
    let update = std::env::var("UPDATE_VERDICTS").is_ok_and(|value| value == "1");
    let mut sheets: Vec<(String, String)> = Vec::new();
    for (group, script) in scripts() {
        let text = format!("== {}\n{}\n", script.name, sheet::sheet(&script.play()));
        match sheets.iter_mut().find(|(name, _)| *name == group) {
            Some((_, sheet)) => sheet.push_str(&text),
            None => sheets.push((group, text)),
        }
    }
    for (group, text) in sheets {
        let path = folder().join("sheets").join(format!("{group}.txt"));
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        for (found, expected) in text.lines().zip(written.lines()) {
            assert_eq!(found, expected, "{group}: see {}", path.display());
        }
        assert_eq!(text.len(), written.len(), "{group}: a sheet is missing or too many");
    }
}

#[test]
fn there_are_sixty_and_every_mode_and_question_is_among_them() {
    let all = scripts();
    assert!(all.len() >= 60, "{} debates", all.len());
    for plan in debate::modes::all() {
        let of_mode = all.iter().filter(|(_, script)| script.mode == plan.name).count();
        assert!(of_mode >= 3, "{}: {of_mode}", plan.name);
    }
    for kind in ["open", "yes/no", "options", "number", "estimate", "probability"] {
        let asked = all.iter().filter(|(_, script)| script.asks.starts_with(kind)).count();
        assert!(asked >= 3, "{kind}: {asked}");
    }
    let mut names: Vec<&str> = all.iter().map(|(_, script)| script.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a name is used twice");
}
