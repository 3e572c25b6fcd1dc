//! The words of an answer while it is being written. Agents answer in JSON; a
//! watcher wants prose. This follows the text as it comes in, keeps the words of
//! the field that is being written, and minds nothing that is broken.

/// The longest stretch of words that is kept; a panel shows two rows of it.
const KEPT: usize = 2_000;

/// Fields worth reading while they come in, and what they are called.
const FIELDS: &[(&str, &str)] = &[
    ("position", "position"),
    ("reasoning", "argument"),
    ("keyPoints", "key points"),
    ("text", "claims"),
    ("objection", "objection"),
    ("counterEvidence", "critique"),
    ("confidenceReason", "confidence"),
    ("oneLiner", "summary"),
    ("summary", "summary"),
];

#[derive(Debug, Clone, Default)]
pub struct Stream {
    form: TextForm,
    /// The open brackets, `{` or `[`, each with its key.
    open: Vec<(char, String)>,
    place: JsonPlace,
    key: String,
    word: String,
    escape: Escape,
    /// Half of a character that needs two escapes.
    high: Option<u16>,
    shown: String,
    field: Option<&'static str>,
    letters: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TextForm {
    /// Nothing but blanks so far.
    #[default]
    Unknown,
    Prose,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum JsonPlace {
    #[default]
    Between,
    Key,
    Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    No,
    Begun,
    Hex(String),
}

impl Stream {
    pub fn push(&mut self, text: &str) {
        for letter in text.chars() {
            self.letters += 1;
            self.take(letter);
        }
        if self.shown.len() > KEPT {
            let from = self.shown.len() - KEPT / 2;
            let from = (from..self.shown.len()).find(|at| self.shown.is_char_boundary(*at));
            self.shown = self.shown.split_off(from.unwrap_or(0));
        }
    }

    /// The words so far of the field that is being written.
    pub fn words(&self) -> &str {
        &self.shown
    }

    pub fn field(&self) -> Option<&'static str> {
        self.field
    }

    /// About as many tokens as were written: four letters each.
    pub fn tokens(&self) -> u64 {
        (self.letters as u64).div_ceil(4)
    }

    fn take(&mut self, letter: char) {
        match (self.form, letter) {
            (TextForm::Unknown, blank) if blank.is_whitespace() => {}
            // A fence before the JSON is no prose.
            (TextForm::Unknown, '{' | '[' | '`') => {
                self.form = TextForm::Json;
                self.between(letter);
            }
            (TextForm::Unknown, other) => {
                self.form = TextForm::Prose;
                self.shown.push(other);
            }
            (TextForm::Prose, other) => self.shown.push(other),
            (TextForm::Json, other) => match self.place {
                JsonPlace::Between => self.between(other),
                JsonPlace::Key | JsonPlace::Value => self.inside(other),
            },
        }
    }

    fn between(&mut self, letter: char) {
        match letter {
            '{' => self.open.push((letter, std::mem::take(&mut self.key))),
            // The items of a list stand under the list's own key.
            '[' => self.open.push((letter, self.key.clone())),
            '}' | ']' => self.key = self.open.pop().map_or_else(String::new, |(_, key)| key),
            ',' if self.in_object() => self.key.clear(),
            '"' => {
                let is_key = self.in_object() && self.key.is_empty();
                self.place = if is_key { JsonPlace::Key } else { JsonPlace::Value };
                self.word.clear();
                if self.place == JsonPlace::Value {
                    self.begin_value();
                }
            }
            _ => {}
        }
    }

    fn in_object(&self) -> bool {
        self.open.last().is_some_and(|(sign, _)| *sign == '{')
    }

    fn begin_value(&mut self) {
        let Some((_, name)) = FIELDS.iter().find(|(key, _)| *key == self.key) else { return };
        if self.field == Some(*name) && !self.shown.is_empty() {
            // The next item of a list goes on after the one before it.
            self.shown.push_str(" · ");
        } else {
            self.shown.clear();
        }
        self.field = Some(name);
    }

    fn inside(&mut self, letter: char) {
        match (std::mem::take(&mut self.escape), letter) {
            (Escape::No, '\\') => self.escape = Escape::Begun,
            (Escape::No, '"') => {
                if self.place == JsonPlace::Key {
                    self.key = std::mem::take(&mut self.word);
                } else if self.in_object() {
                    self.key.clear();
                }
                self.place = JsonPlace::Between;
            }
            (Escape::No, other) => self.put(other),
            (Escape::Begun, 'u') => self.escape = Escape::Hex(String::new()),
            (Escape::Begun, 'n' | 'r' | 't' | 'b' | 'f') => self.put(' '),
            (Escape::Begun, other) => self.put(other),
            (Escape::Hex(mut digits), digit) => {
                digits.push(digit);
                match digits.len() {
                    4 => self.put_code(&digits),
                    _ => self.escape = Escape::Hex(digits),
                }
            }
        }
    }

    fn put_code(&mut self, digits: &str) {
        let Ok(code) = u16::from_str_radix(digits, 16) else { return };
        let units: Vec<u16> = self.high.take().into_iter().chain([code]).collect();
        for decoded in char::decode_utf16(units) {
            match decoded {
                Ok(letter) => self.put(letter),
                Err(half) if (0xd800..0xdc00).contains(&half.unpaired_surrogate()) => {
                    self.high = Some(half.unpaired_surrogate());
                }
                Err(_) => {}
            }
        }
    }

    fn put(&mut self, letter: char) {
        match self.place {
            JsonPlace::Key => self.word.push(letter),
            // Only fields worth reading are shown.
            JsonPlace::Value if FIELDS.iter().any(|(key, _)| *key == self.key) => {
                self.shown.push(letter);
            }
            JsonPlace::Value | JsonPlace::Between => {}
        }
    }
}

#[cfg(test)]
mod tests;
