//! Reads files that people write, in TOML, YAML or JSON, and says in which line
//! something is wrong. It never guesses what was meant.

use std::path::Path;

use serde::de::DeserializeOwned;

/// A file's text, and where it came from.
pub struct SourceText {
    pub place: String,
    pub text: String,
    form: FileForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileForm {
    Toml,
    Yaml,
    Json,
}

/// Larger files are no scenario and no set of questions.
const LARGEST: u64 = 32 * 1024 * 1024;

impl SourceText {
    pub fn read(path: &Path) -> Result<SourceText, String> {
        let place = path.display().to_string();
        let ending = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let form = match ending.as_deref() {
            Some("toml") => FileForm::Toml,
            Some("yaml" | "yml") => FileForm::Yaml,
            Some("json") => FileForm::Json,
            _ => {
                return Err(format!(
                    "{place}: the name must end in .toml, .yaml, .yml or .json, so that it is \
                     known how to read it"
                ));
            }
        };
        let size = std::fs::metadata(path).map_err(|error| format!("{place}: {error}"))?.len();
        if size > LARGEST {
            return Err(format!("{place}: it has {size} bytes; at most {LARGEST} are read"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| format!("{place}: {error}"))?;
        Ok(SourceText { place, text, form })
    }

    /// A text that is part of the program, in TOML.
    pub fn own(place: &str, text: &str) -> SourceText {
        SourceText { place: place.into(), text: text.into(), form: FileForm::Toml }
    }

    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, String> {
        match self.form {
            FileForm::Toml => toml::from_str(&self.text).map_err(|error| {
                let line = error.span().map_or(1, |span| self.line_at(span.start));
                self.fault(line, error.message())
            }),
            FileForm::Yaml => serde_saphyr::from_str(&self.text).map_err(|error| {
                let line = error.location().map_or(1, |at| at.line() as usize);
                let said = error.without_snippet().to_string();
                self.fault(line, said.lines().next().unwrap_or_default())
            }),
            FileForm::Json => serde_json::from_str(&self.text)
                .map_err(|error| self.fault(error.line(), &error.to_string())),
        }
    }

    /// `FILE, line N: what is wrong`.
    pub fn fault(&self, line: usize, what: &str) -> String {
        format!("{}, line {line}: {}", self.place, what.trim())
    }

    /// The same for a field, found by its name; the `nth` of that name, from 0.
    pub fn fault_at(&self, field: &str, nth: usize, what: &str) -> String {
        self.fault(self.line_of(field, nth), &format!("{field}: {what}"))
    }

    /// The line in which a field stands; the first line where it does not.
    fn line_of(&self, field: &str, nth: usize) -> usize {
        let mut found = self.text.lines().enumerate().filter(|(_, line)| names(line, field));
        found.nth(nth).map_or(1, |(index, _)| index + 1)
    }

    /// The line of a field behind the first line that speaks of its group.
    pub fn line_within(&self, group: &str, field: &str) -> usize {
        let lines = || self.text.lines().enumerate();
        let from = lines().find(|(_, line)| line.contains(group)).map_or(0, |(index, _)| index);
        let found = lines().skip(from).find(|(_, line)| names(line, field));
        found.map_or(from, |(index, _)| index) + 1
    }

    fn line_at(&self, byte: usize) -> usize {
        1 + self.text.bytes().take(byte).filter(|byte| *byte == b'\n').count()
    }
}

/// Returns whether a line gives a field its value.
fn names(line: &str, field: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ").trim_start_matches(['{', '"']);
    let rest = line.trim_start().trim_start_matches('"').strip_prefix(field);
    rest.is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(['=', ':']))
}
