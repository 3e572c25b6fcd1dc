//! Context that a caller attaches to the question: files, folders and piped input.
//! From folders, hidden and ignored files are left out, as are binary, empty and
//! oversized ones, and a notice names each of them. The same folder always gives
//! the same files in the same order.

use std::path::{Path, PathBuf};

use debate::model::{Attachment, tokens};
use ignore::WalkBuilder;

use crate::bounded_file;

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
    /// Sentences that say what was read from folders and what was left out.
    pub notices: Vec<String>,
    /// The reasons why the debate cannot be held with these files.
    pub faults: Vec<String>,
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
        if let Err(why) = taken {
            context.faults.push(format!("context: cannot use {}: {why}", path.display()));
        }
    }
    context.say_how_much_is_shown();
    context
}

impl GatheredContext {
    fn pipe(&mut self, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(format!("more than {LARGEST_FILE} bytes were piped in"));
        }
        let text = readable(bytes)?;
        self.attachments.push(Attachment { name: "standard input".into(), text });
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), String> {
        let text = read(path, LARGEST_FILE)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.attachments.push(Attachment { name, text });
        Ok(())
    }

    fn folder(&mut self, folder: &Path) -> Result<(), String> {
        let mut left_out: Vec<(String, String)> = Vec::new();
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
                    left_out.push(("something".into(), error.to_string()));
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
                    left_out
                        .push((name, format!("the folder's {FOLDER_BUDGET} bytes are used up")));
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
            let why = left_out.first().map(|(name, why)| format!(": {name}: {why}"));
            return Err(format!("no file in it can be read as text{}", why.unwrap_or_default()));
        }
        self.say_what_was_taken(folder, taken, size, &left_out, beyond);
        Ok(())
    }

    fn say_what_was_taken(
        &mut self,
        folder: &Path,
        taken: usize,
        size: u64,
        left_out: &[(String, String)],
        beyond: usize,
    ) {
        let files = if taken == 1 { "1 file".into() } else { format!("{taken} files") };
        self.notices.push(format!(
            "{}: {files}, {size} bytes; hidden files and what ignore rules name are left out",
            folder.display()
        ));
        for (name, why) in left_out.iter().take(NAMES) {
            self.notices.push(format!("  left out {name}: {why}"));
        }
        if let Some(more) = left_out.len().checked_sub(NAMES).filter(|more| *more > 0) {
            self.notices.push(format!("  left out {more} more for such reasons"));
        }
        if beyond > 0 {
            self.notices.push(format!("  left out {beyond} after the first {MOST_FILES} files"));
        }
    }

    fn say_how_much_is_shown(&mut self) {
        let all: usize = self.attachments.iter().map(|file| tokens(&file.text)).sum();
        if all > SHOWN_TOKENS {
            self.notices.push(format!(
                "the attached text has up to {all} tokens; each agent is shown about {SHOWN_TOKENS} \
                 of them, shared among the files, and told what is cut"
            ));
        }
    }
}

/// Returns the path of a file within its folder, the same on every system.
fn name_in(folder: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> =
        inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn read(path: &Path, largest: u64) -> Result<String, String> {
    let bytes = bounded_file::read(path, largest).map_err(|fault| fault.to_string())?;
    readable(&bytes)
}

fn readable(bytes: &[u8]) -> Result<String, String> {
    if bytes.contains(&0) {
        return Err("it is binary, not UTF-8 text".into());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_string())?;
    if text.trim().is_empty() { Err("it is empty".into()) } else { Ok(text.to_owned()) }
}
