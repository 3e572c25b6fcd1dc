//! Words the refusals of files and folders.

use engine::error::{At, FileKind, FileProblem, Refusal};

use super::FaceWords;

pub fn sentence(
    refusal: &Refusal,
    at: &str,
    problem: &FileProblem,
    face: &dyn FaceWords,
) -> String {
    let why = fault(problem, face);
    match problem {
        FileProblem::Broken { what, why } => broken(refusal, at, *what, why),
        FileProblem::NoHome if at.is_empty() => {
            "no home directory was found, so nothing can be kept".into()
        }
        FileProblem::NoHome => format!("no home directory was found, so {at} has no config"),
        FileProblem::NoProjectFile => format!("{at} has no config per project"),
        FileProblem::NoHttpEntry => {
            format!("{at} takes no server over HTTP from its config file")
        }
        FileProblem::TokenInProject => {
            "the token does not belong into a project's file, which others may read".into()
        }
        FileProblem::NotA { .. } | FileProblem::OtherVersion { .. } => format!("{at}: {why}"),
        FileProblem::NoDebate { .. } | FileProblem::Unchangeable { .. } => format!("{at}: {why}"),
        FileProblem::ReadableByOthers { .. } => format!("the keys in {at} {why}"),
        FileProblem::Unreadable { .. }
        | FileProblem::TooLarge { .. }
        | FileProblem::NotRegular { .. }
        | FileProblem::Binary
        | FileProblem::NotText
        | FileProblem::Empty
        | FileProblem::FolderFull { .. }
        | FileProblem::NothingReadable { .. } => match &refusal.given {
            Some(given) => format!("{at}: cannot use {given}: {why}"),
            None => format!("cannot read {at}: {why}"),
        },
        FileProblem::FolderMissing => match &refusal.given {
            Some(given) => format!("{at}: there is no folder {given}"),
            None => format!("cannot write {at}: {why}"),
        },
        FileProblem::Unwritable { .. }
        | FileProblem::Exists
        | FileProblem::IsFolder
        | FileProblem::NotAFile => format!("cannot use {at}: {why}"),
    }
}

fn broken(refusal: &Refusal, at: &str, what: FileKind, why: &str) -> String {
    match (what, &refusal.at) {
        (FileKind::Config, _) => format!("the config file {at} cannot be used: {why}"),
        (FileKind::Constitution, _) => format!("the constitution {at} cannot be used: {why}"),
        (FileKind::Keys, _) => format!("the keys file {at} cannot be used; {why}"),
        (FileKind::Script, _) => format!("the script {at} is not valid: {why}"),
        (FileKind::Lessons, _) => {
            format!("this is not a file of lessons: {why}; nothing was imported")
        }
        (FileKind::Token, _) => format!("the token in {at} cannot be used: {why}"),
        (FileKind::Preset, _) => format!("the preset {at} cannot be used: {why}"),
        (FileKind::Calibration, _) => format!("the calibration {at} cannot be read: {why}"),
        (_, At::Order) => why.to_owned(),
        (FileKind::Recording | FileKind::Export | FileKind::Weights, _) => format!("{at}: {why}"),
    }
}

/// The fault of a file alone, for a list of files that were left out.
pub fn fault(problem: &FileProblem, face: &dyn FaceWords) -> String {
    match problem {
        FileProblem::Unreadable { why }
        | FileProblem::Unwritable { why }
        | FileProblem::Broken { why, .. } => why.clone(),
        FileProblem::Exists => "it exists already".into(),
        FileProblem::IsFolder => "it is a folder".into(),
        FileProblem::NotAFile => "it is a device or a pipe".into(),
        FileProblem::FolderMissing => "its folder does not exist".into(),
        FileProblem::TooLarge { most } => {
            format!("it has more than {most} bytes, and at most {most} are read")
        }
        FileProblem::NotRegular { kind } => format!("it is {kind}, not a regular file"),
        FileProblem::NoHttpEntry => "it takes no server over HTTP".into(),
        FileProblem::TokenInProject => "others may read it".into(),
        FileProblem::Binary => "it is binary, not UTF-8 text".into(),
        FileProblem::NotText => "it is not UTF-8 text".into(),
        FileProblem::Empty => "it is empty".into(),
        FileProblem::NothingReadable { first: None } => "no file in it can be read as text".into(),
        FileProblem::NothingReadable { first: Some((name, first)) } => {
            format!("no file in it can be read as text: {name}: {}", fault(first, face))
        }
        FileProblem::FolderFull { most } => format!("the folder's {most} bytes are used up"),
        FileProblem::ReadableByOthers { mode } => {
            format!("can be read by others (mode {mode:03o})")
        }
        FileProblem::NotA { what } => face.made_with(*what).into(),
        FileProblem::OtherVersion { what, found, known, program } => format!(
            "{} has version {found} (written by Roundtable {program}), this program reads version \
             {known}",
            called(*what)
        ),
        FileProblem::NoDebate { label, known } => {
            format!("it holds no debate called {label:?}; it holds {known}")
        }
        FileProblem::Unchangeable { why, key, entry } => format!(
            "it cannot be changed safely: {why}. Nothing was written; add this by hand under \
             {key:?}: {entry}"
        ),
        FileProblem::NoHome => "no home directory was found".into(),
        FileProblem::NoProjectFile => "it has no config per project".into(),
    }
}

fn called(what: FileKind) -> &'static str {
    match what {
        FileKind::Config => "the config file",
        FileKind::Constitution => "the constitution",
        FileKind::Keys => "the keys file",
        FileKind::Script => "the script",
        FileKind::Recording => "the recording",
        FileKind::Export => "the export",
        FileKind::Lessons => "the file of lessons",
        FileKind::Weights => "the file of weights",
        FileKind::Calibration => "the calibration",
        FileKind::Preset => "the preset",
        FileKind::Token => "the token",
    }
}
