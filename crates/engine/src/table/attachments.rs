//! Context that a caller attaches to the question: files, folders and piped input.
//! From folders, hidden and ignored files are left out, as are binary, empty and
//! oversized ones, and a notice names each of them. The same folder always gives
//! the same files in the same order.

use std::path::{Path, PathBuf};

use debate::model::{Attachment, tokens};
use ignore::WalkBuilder;

use crate::bounded_file;
use crate::error::{FileProblem, Problem, Refusal, SettingName};
use crate::table::notice::TableNotice;

/// A larger file is an archive, not context.
pub const LARGEST_FILE: u64 = 4 * 1024 * 1024;
/// In a folder, where no person picked the file, the limit is lower.
const LARGEST_IN_FOLDER: u64 = 128 * 1024;
/// The most bytes that one folder may contribute.
const FOLDER_BUDGET: u64 = 512 * 1024;
/// Further files of a folder are skipped.
const MOST_FILES: usize = 500;
/// A notice names this many skipped files and counts the rest.
const NAMES: usize = 5;
/// A file with the user's own ignore rules, in addition to those of version
/// control.
const OWN_RULES: &str = ".roundtableignore";
/// The tokens of all attachments together that an agent with a typical context
/// window sees.
const SHOWN_TOKENS: usize = 8_000;
/// The name that stands for piped input.
pub const PIPED: &str = "-";

#[derive(Debug, Default)]
pub struct GatheredContext {
    pub attachments: Vec<Attachment>,
    /// Notices that say what was read from folders and what was left out.
    pub notices: Vec<TableNotice>,
    /// The reasons why the debate cannot be held with these files.
    pub faults: Vec<Refusal>,
}

/// Reads the attachments. `piped`: standard input, if it was asked for.
pub fn gather(paths: &[PathBuf], piped: Option<&[u8]>) -> GatheredContext {
    let mut context = GatheredContext::default();
    for path in paths {
        let taken = match path {
            path if path.as_os_str() == PIPED => context.pipe(piped.unwrap_or_default()),
            path if path.is_dir() => context.folder(path),
            path => context.file(path),
        };
        if let Err(problem) = taken {
            let given = path.display().to_string();
            let problem = Problem::File(problem);
            context.faults.push(Refusal::setting(SettingName::Context, given, problem));
        }
    }
    context.say_how_much_is_shown();
    context
}

impl GatheredContext {
    fn pipe(&mut self, bytes: &[u8]) -> Result<(), FileProblem> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(FileProblem::TooLarge { most: LARGEST_FILE });
        }
        let text = readable(bytes)?;
        self.attachments.push(Attachment { name: "standard input".into(), text });
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), FileProblem> {
        let text = read(path, LARGEST_FILE)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.attachments.push(Attachment { name, text });
        Ok(())
    }

    fn folder(&mut self, folder: &Path) -> Result<(), FileProblem> {
        let mut left_out: Vec<(String, FileProblem)> = Vec::new();
        let (mut taken, mut size) = (0, 0);
        let mut beyond = 0;
        let walk = WalkBuilder::new(folder)
            .require_git(false)
            .add_custom_ignore_filename(OWN_RULES)
            .sort_by_file_path(Path::cmp)
            .build();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let problem = FileProblem::Unreadable { why: error.to_string() };
                    left_out.push(("something".into(), problem));
                    continue;
                }
            };
            // Links are not followed, because they may lead out of the folder.
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let name = name_in(folder, entry.path());
            if taken >= MOST_FILES {
                beyond += 1;
                continue;
            }
            match read(entry.path(), LARGEST_IN_FOLDER) {
                Ok(text) if size + text.len() as u64 > FOLDER_BUDGET => {
                    left_out.push((name, FileProblem::FolderFull { most: FOLDER_BUDGET }));
                }
                Ok(text) => {
                    taken += 1;
                    size += text.len() as u64;
                    // Two folders may contain files of the same name.
                    let within = folder.file_name().map(|one| one.to_string_lossy());
                    let name = within.map_or(name.clone(), |folder| format!("{folder}/{name}"));
                    self.attachments.push(Attachment { name, text });
                }
                Err(why) => left_out.push((name, why)),
            }
        }
        if taken == 0 {
            let first = left_out.into_iter().next();
            let first = first.map(|(name, problem)| (name, Box::new(problem)));
            return Err(FileProblem::NothingReadable { first });
        }
        self.say_what_was_taken(folder, taken, size, &left_out, beyond);
        Ok(())
    }

    fn say_what_was_taken(
        &mut self,
        folder: &Path,
        taken: usize,
        size: u64,
        left_out: &[(String, FileProblem)],
        beyond: usize,
    ) {
        let folder = folder.to_owned();
        self.notices.push(TableNotice::Folder { folder, files: taken, bytes: size });
        for (name, problem) in left_out.iter().take(NAMES) {
            let (name, problem) = (name.clone(), problem.clone());
            self.notices.push(TableNotice::LeftOut { name, problem });
        }
        if let Some(count) = left_out.len().checked_sub(NAMES).filter(|more| *more > 0) {
            self.notices.push(TableNotice::LeftOutMore { count });
        }
        if beyond > 0 {
            self.notices.push(TableNotice::LeftOutBeyond { count: beyond, most: MOST_FILES });
        }
    }

    fn say_how_much_is_shown(&mut self) {
        self.notices.extend(shortened(&self.attachments));
    }
}

/// Returns the notice that agents are shown only a part of these texts, if so.
pub fn shortened(attachments: &[Attachment]) -> Option<TableNotice> {
    let all: usize = attachments.iter().map(|file| tokens(&file.text)).sum();
    (all > SHOWN_TOKENS).then_some(TableNotice::Shortened { tokens: all, shown: SHOWN_TOKENS })
}

/// Returns the path of a file within its folder, the same on every system.
fn name_in(folder: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> =
        inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn read(path: &Path, largest: u64) -> Result<String, FileProblem> {
    let bytes = bounded_file::read(path, largest)?;
    readable(&bytes)
}

fn readable(bytes: &[u8]) -> Result<String, FileProblem> {
    if bytes.contains(&0) {
        return Err(FileProblem::Binary);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| FileProblem::NotText)?;
    if text.trim().is_empty() { Err(FileProblem::Empty) } else { Ok(text.to_owned()) }
}
