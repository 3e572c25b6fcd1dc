//! A sentence with places: `{n}` to `{q}` take a figure, `{t}` and `{u}` a text that is
//! translated itself, `{v}` and `{w}` one that must have a translation, any other letter a
//! text that stays as it is.

/// One part of a sentence.
#[derive(Debug, PartialEq, Eq)]
enum TemplatePart {
    Words(String),
    Place(char),
}

#[derive(Debug)]
pub struct LabelTemplate {
    parts: Vec<TemplatePart>,
}

impl LabelTemplate {
    pub fn new(text: &str) -> LabelTemplate {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, place)) = rest.split_once('{') {
            if !before.is_empty() {
                parts.push(TemplatePart::Words(before.to_owned()));
            }
            let (name, after) = place.split_once('}').unwrap_or((place, ""));
            parts.extend(name.chars().next().map(TemplatePart::Place));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(TemplatePart::Words(rest.to_owned()));
        }
        LabelTemplate { parts }
    }

    /// The letters that a text must have to fit.
    pub fn letters(&self) -> usize {
        let letters = |part: &TemplatePart| match part {
            TemplatePart::Words(words) => words.chars().count(),
            TemplatePart::Place(_) => 0,
        };
        self.parts.iter().map(letters).sum()
    }

    pub fn places(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, TemplatePart::Place(_))).count()
    }

    /// Fills the places of a translation with what stands in them in a text that fits.
    pub fn fill(
        &self,
        text: &str,
        own: &LabelTemplate,
        known: &dyn Fn(&str) -> Option<String>,
        say: &dyn Fn(&str) -> String,
    ) -> Option<String> {
        let has = |part: &TemplatePart| match part {
            TemplatePart::Words(words) => text.contains(words.as_str()),
            TemplatePart::Place(_) => true,
        };
        if !self.parts.iter().all(has) {
            return None;
        }
        let mut found = Vec::new();
        if !fits(&self.parts, text, &mut found) {
            return None;
        }
        let mut out = String::new();
        for part in &own.parts {
            match part {
                TemplatePart::Words(words) => out.push_str(words),
                TemplatePart::Place(place) => {
                    let (_, value) = found.iter().find(|(name, _)| name == place)?;
                    out.push_str(&match place {
                        'n'..='q' => figure(value).unwrap_or_else(|| (*value).to_owned()),
                        't' | 'u' => say(value),
                        'v' | 'w' => known(value)?,
                        _ => names(value, known).unwrap_or_else(|| (*value).to_owned()),
                    });
                }
            }
        }
        Some(out)
    }
}

/// Finds what stands in the places of a text; false if it does not fit.
fn fits<'a>(parts: &[TemplatePart], text: &'a str, found: &mut Vec<(char, &'a str)>) -> bool {
    let Some((first, rest)) = parts.split_first() else { return text.is_empty() };
    match first {
        TemplatePart::Words(words) => {
            text.strip_prefix(words.as_str()).is_some_and(|text| fits(rest, text, found))
        }
        TemplatePart::Place(name) => {
            let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
            for end in ends {
                let (value, after) = text.split_at(end);
                let is_figure = ('n'..='q').contains(name);
                if is_figure && !value.chars().all(is_of_figure) || value.contains(". ") {
                    return false;
                }
                if is_figure && !value.ends_with(|c: char| c.is_ascii_digit()) {
                    continue;
                }
                found.push((*name, value));
                if fits(rest, after, found) {
                    return true;
                }
                found.pop();
            }
            false
        }
    }
}

/// A list of names with its last word in the language: `Anna, Bert and Cem`.
pub fn names(text: &str, known: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (others, last) = text.rsplit_once(" and ")?;
    let is_name = |name: &str| {
        let mut words = name.split(' ');
        let is_capital =
            |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        // An agent without a name of its own is called by its model: `qwen3-8b`.
        let is_model = |word: &str| word.contains(|c: char| c == '-' || c.is_numeric());
        !name.contains([':', ';', '(', '“'])
            && words.all(|word| is_capital(word) && !word.ends_with('.') || is_model(word))
    };
    let all = others.split(", ").chain([last]).all(is_name);
    all.then(|| known("and")).flatten().map(|and| format!("{others} {and} {last}"))
}

fn is_of_figure(letter: char) -> bool {
    letter.is_ascii_digit() || ".,+-−–$".contains(letter)
}

/// A figure as it is written with a decimal comma: `0.70`, `12,345`.
pub fn figure(text: &str) -> Option<String> {
    let digits = text.trim_start_matches(['+', '-', '−']);
    let is_figure = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
        && digits.contains(['.', ',']);
    let swap = |letter| match letter {
        '.' => ',',
        ',' => '.',
        other => other,
    };
    is_figure.then(|| text.chars().map(swap).collect())
}
