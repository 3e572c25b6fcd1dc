//! The words around a debate in its own language: headings, labels and the sentences that
//! this program writes. They are written in English everywhere and looked up here, in one
//! file per language with the same keys, when a document or a page is complete; what models
//! and people wrote is found in no file and stays as it is.

mod pass;
mod template;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::LazyLock;

use debate::model::Brief;
use debate::sorting::SortRows;

use template::LabelTemplate;

/// The English texts by their keys, and those of each language that has a translation.
const ENGLISH: &str = include_str!("labels/en.toml");
const LANGUAGES: [(&str, &str); 1] = [("de", include_str!("labels/de.toml"))];

static ALL: LazyLock<Vec<Labels>> =
    LazyLock::new(|| LANGUAGES.iter().map(|(code, words)| Labels::read(code, words)).collect());

/// No label and no sentence of this program is longer, in bytes; longer texts are foreign.
const LONGEST: usize = 1_500;
const LONGEST_SENTENCE: usize = 400;

/// The labels of one language.
#[derive(Debug)]
pub struct Labels {
    /// The tag of the language.
    pub code: &'static str,
    exact: HashMap<String, String>,
    /// Templates with places for names and figures, the most telling first.
    templates: Vec<(LabelTemplate, LabelTemplate)>,
}

/// Reads a file of labels.
fn texts(file: &str) -> HashMap<String, String> {
    toml::from_str(file).unwrap_or_default()
}

impl Labels {
    /// The labels of a debate's language, if there is a translation; English needs none.
    pub fn of(brief: &Brief) -> Option<&'static Labels> {
        let code = brief.known_language()?.code;
        ALL.iter().find(|labels| labels.code == code)
    }

    fn read(code: &'static str, words: &str) -> Labels {
        let own = texts(words);
        let pairs = texts(ENGLISH).into_iter().filter_map(|(key, english)| {
            let translated = own.get(&key)?.clone();
            Some((english, translated))
        });
        let (exact, mut templates): (Vec<_>, Vec<_>) =
            pairs.partition(|(english, _)| !english.contains('{'));
        templates.sort();
        let mut templates: Vec<(LabelTemplate, LabelTemplate)> = templates
            .iter()
            .map(|(one, own)| (LabelTemplate::new(one), LabelTemplate::new(own)))
            .collect();
        templates.sort_rows_by_key(|(template, _)| {
            (std::cmp::Reverse(template.letters()), template.places())
        });
        Labels { code, exact: exact.into_iter().collect(), templates }
    }

    /// A text in a debate's language; as it is where there is no translation.
    pub fn said(labels: Option<&Labels>, text: &str) -> String {
        labels.map_or_else(|| text.to_owned(), |labels| labels.say(text))
    }

    /// A text in this language, as far as it is known; blanks around it stay.
    pub fn say(&self, text: &str) -> String {
        let inner = text.trim();
        if inner.is_empty() || inner.len() > LONGEST {
            return text.to_owned();
        }
        let (before, after) = text.split_at(text.len() - text.trim_start().len());
        let after = after.get(inner.len()..).unwrap_or_default();
        format!("{before}{}{after}", self.phrase(inner))
    }

    /// Facts between dots, or sentences one after the other, each by itself.
    fn phrase(&self, text: &str) -> String {
        if let Some(known) = self.known(text) {
            return known;
        }
        if let Some(rest) = text.strip_prefix("· ") {
            return format!("· {}", self.phrase(rest));
        }
        if text.contains(" · ") {
            let facts: Vec<String> = text.split(" · ").map(|fact| self.say(fact)).collect();
            return facts.join(" · ");
        }
        if let Some(known) = self.list(text) {
            return known;
        }
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let after = |signs: &[char]| -> Vec<usize> {
                let ends = rest.match_indices(signs).map(|(at, _)| at + 1);
                ends.filter(|end| rest.get(*end..).is_some_and(|s| s.starts_with(' '))).collect()
            };
            // A whole sentence first, then a part of one.
            let ends = [after(&['.', '?', '!']), vec![rest.len()], after(&[':', ';'])].concat();
            let found = ends.iter().find_map(|end| Some((*end, self.known(rest.get(..*end)?)?)));
            let (end, said) = found.unwrap_or_else(|| {
                let end = ends.first().copied().unwrap_or(rest.len());
                (end, rest.get(..end).unwrap_or(rest).to_owned())
            });
            out.push_str(&said);
            let (_, after) = rest.split_at(end);
            rest = after.trim_start();
            if !rest.is_empty() {
                out.push(' ');
            }
        }
        out
    }

    /// A list whose members are all known, or a known text in brackets.
    fn list(&self, text: &str) -> Option<String> {
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            let known = self.known(inner).or_else(|| self.list(inner))?;
            return Some(format!("({known})"));
        }
        if let Some(names) = template::names(text, &|inner| self.known(inner)) {
            return Some(names);
        }
        let all: Option<Vec<String>> = text.split(", ").map(|one| self.known(one)).collect();
        all.map(|all| all.join(", "))
    }

    /// A text that is known as a whole, with or without its full stop, in capitals or not.
    fn known(&self, text: &str) -> Option<String> {
        if let Some(found) = self.looked_up(text) {
            return Some(found);
        }
        let bare = text.strip_suffix(['.', ':', ';']).filter(|bare| !bare.is_empty());
        if let Some(bare) = bare {
            let end = text.get(bare.len()..).unwrap_or_default();
            return self.looked_up(bare).or_else(|| self.capital(bare)).map(|own| own + end);
        }
        self.capital(text)
    }

    /// The same text with a small first letter, written large again.
    fn capital(&self, text: &str) -> Option<String> {
        let first = text.chars().next().filter(|first| first.is_uppercase())?;
        let small = format!("{}{}", first.to_lowercase(), text.get(first.len_utf8()..)?);
        let own = self.looked_up(&small)?;
        let first = own.chars().next()?;
        Some(format!("{}{}", first.to_uppercase(), own.get(first.len_utf8()..)?))
    }

    fn looked_up(&self, text: &str) -> Option<String> {
        if text.len() > LONGEST_SENTENCE {
            return None;
        }
        if let Some(own) = self.exact.get(text) {
            return Some(own.clone());
        }
        if let Some(figure) = template::figure(text) {
            return Some(figure);
        }
        // A share on the page has a blank at which no line breaks.
        let plain = text.replace('\u{a0}', " ");
        let own = self.templates.iter().find_map(|(template, own)| {
            template.fill(&plain, own, &|inner| self.known(inner), &|inner| self.say(inner))
        })?;
        Some(if plain == text { own } else { own.replace(" %", "\u{a0}%") })
    }
}
