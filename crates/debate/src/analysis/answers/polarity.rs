//! Compares two positions word by word, and keeps negation, numbers, order and
//! time apart. Two texts are the same only if they say the same words in the same
//! order: a missed paraphrase costs a round, a negation taken for agreement costs
//! the decision.

use unicode_normalization::UnicodeNormalization;

use crate::model::{WordList, WordMask};

/// The relation of two positions, as far as words can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Same,
    /// Nearly the same words, but negated, reversed, or with another figure.
    Opposed,
    Different,
}

/// A position reduced to what carries meaning: lower case, no punctuation, no
/// filler, plurals folded, contractions opened. Words are joined by blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalisedPosition {
    words: String,
}

// The lists of pairs are searched by bisection, so each is in alphabetical order.

/// Words that can go without changing what a sentence claims. Auxiliaries that
/// carry time (was, will) and hedges (may, could) stay.
#[rustfmt::skip] // a table of words, not of lines
static FILLER: WordList = WordList::of(&[
    "a", "also", "am", "an", "are", "be", "do", "does", "hence", "indeed", "is", "overall",
    "that", "the", "therefore", "thus",
]);

/// Words that negate the words next to them.
#[rustfmt::skip] // a table of words, not of lines
static NEGATORS: WordList = WordList::of(&[
    "abgelehnt", "ablehnen", "absent", "against", "avoid", "ban", "banned", "barely",
    "cannot", "cease", "denied", "deny", "except", "excluding", "fail", "failed", "falsch",
    "false", "forbid", "forbidden", "gegen", "hardly", "instead", "kaum", "kein", "keine",
    "keinen", "keiner", "keinesfall", "keinesweg", "lack", "myth", "nein", "neither",
    "never", "nicht", "nie", "niemal", "niemand", "no", "nobody", "none", "nor", "not",
    "nothing", "nowhere", "ohne", "oppose", "opposed", "prevent", "prevented", "prohibit",
    "prohibited", "rarely", "refuse", "reject", "rejected", "scarcely", "seldom", "statt",
    "stop", "untrue", "verbieten", "verboten", "vermeiden", "without", "wrong",
]);

/// Pairs of words of which one negates the other. They are only used to find
/// opposition, never to find agreement: "not unsafe" is not "safe". Words stand
/// as [`stem`] leaves them, the earlier in the alphabet first.
const OPPOSITES: &[(&str, &str)] = &[
    ("above", "below"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("add", "remove"),
    ("after", "before"),
    ("after", "prior"),
    ("after", "until"),
    ("against", "for"),
    ("all", "none"),
    ("alle", "keine"),
    ("allow", "forbid"),
    ("allow", "prohibit"),
    ("allowed", "forbidden"),
    ("already", "yet"),
    ("alway", "never"),
    ("and", "or"),
    ("anymore", "still"),
    ("approve", "reject"),
    ("bad", "good"),
    ("ban", "permit"),
    ("before", "once"),
    ("begin", "end"),
    ("besser", "schlechter"),
    ("best", "worst"),
    ("better", "worse"),
    ("billiger", "teurer"),
    ("close", "open"),
    ("closed", "opened"),
    ("day", "night"),
    ("decrease", "increase"),
    ("decreased", "increased"),
    ("degrade", "improve"),
    ("disable", "enable"),
    ("disabled", "enabled"),
    ("drop", "keep"),
    ("earlier", "later"),
    ("early", "late"),
    ("end", "start"),
    ("erlauben", "verbieten"),
    ("erlaubt", "verboten"),
    ("evening", "morning"),
    ("every", "no"),
    ("fail", "succeed"),
    ("failure", "success"),
    ("fall", "rise"),
    ("falsch", "richtig"),
    ("false", "true"),
    ("faster", "slower"),
    ("fell", "rose"),
    ("few", "most"),
    ("fewer", "more"),
    ("first", "last"),
    ("follow", "precede"),
    ("followed", "preceded"),
    ("from", "until"),
    ("future", "past"),
    ("gewinn", "verlust"),
    ("greater", "smaller"),
    ("grew", "shrank"),
    ("had", "will"),
    ("high", "low"),
    ("higher", "lower"),
    ("immer", "nie"),
    ("improve", "worsen"),
    ("increase", "reduce"),
    ("increased", "reduced"),
    ("ja", "nein"),
    ("keep", "remove"),
    ("langsamer", "schneller"),
    ("larger", "smaller"),
    ("later", "now"),
    ("least", "most"),
    ("less", "more"),
    ("longer", "still"),
    ("lose", "win"),
    ("loss", "profit"),
    ("lower", "raise"),
    ("lowered", "raised"),
    ("mehr", "weniger"),
    ("mit", "ohne"),
    ("no", "yes"),
    ("now", "then"),
    ("once", "until"),
    ("oppose", "support"),
    ("over", "under"),
    ("right", "wrong"),
    ("since", "until"),
    ("sinken", "steigen"),
    ("tomorrow", "yesterday"),
    ("was", "will"),
    ("with", "without"),
];

/// Prefixes that negate a word, tried against the bare word.
const DENYING_PREFIXES: &[&str] = &["un", "in", "im", "ir", "il", "non", "dis", "mis"];

const NUMBER_WORDS: &[(&str, &str)] = &[
    ("eight", "8"),
    ("eleven", "11"),
    ("five", "5"),
    ("four", "4"),
    ("nine", "9"),
    ("percent", "%"),
    ("seven", "7"),
    ("six", "6"),
    ("ten", "10"),
    ("three", "3"),
    ("twelve", "12"),
    ("two", "2"),
];

static NUMBER_MASK: WordMask = WordMask::of_rows(NUMBER_WORDS);

/// Two positions with at least this share of common words, one of which denies
/// the other, are about the same thing.
const ABOUT_THE_SAME: f64 = 0.5;

impl NormalisedPosition {
    pub fn of(text: &str) -> NormalisedPosition {
        if text.is_ascii() {
            return NormalisedPosition::of_ascii(&text.to_ascii_lowercase());
        }
        NormalisedPosition::of_any(text)
    }

    /// A text of which every word is a piece as it stands.
    fn of_ascii(lower: &str) -> NormalisedPosition {
        let at = |place: usize| lower.as_bytes().get(place).map_or(' ', |byte| char::from(*byte));
        let mut words = String::with_capacity(lower.len());
        let mut place = 0;
        while place < lower.len() {
            let start = place;
            let mut grouped = false;
            let (mut last, mut sign);
            loop {
                while lower.as_bytes().get(place).is_some_and(u8::is_ascii_alphanumeric) {
                    place += 1;
                }
                last = if place > 0 { at(place - 1) } else { ' ' };
                sign = at(place);
                // Most words end with a blank.
                if sign == ' ' || !joins(last, sign, at(place + 1)) {
                    break;
                }
                grouped |= sign == ',';
                place += 1;
            }
            match lower.get(start..place).unwrap_or_default() {
                "" => {}
                number if grouped => close(&number.replace(',', ""), &mut words),
                word => close(word, &mut words),
            }
            if sign != ' ' && stands_for_something(last, sign, at(place + 1)) {
                push(&mut words, sign.encode_utf8(&mut [0; 4]));
            }
            place += 1;
        }
        NormalisedPosition { words }
    }

    fn of_any(text: &str) -> NormalisedPosition {
        // Full-width and ligature forms only exist outside ASCII.
        let folded: String = text.nfkc().collect();
        let mut words = String::with_capacity(folded.len());
        let mut word = String::with_capacity(24);
        let mut last = ' ';
        let mut rest = folded.chars().peekable();
        while let Some(letter) = rest.next() {
            let next = rest.peek().copied().unwrap_or(' ');
            if letter.is_ascii_alphanumeric() {
                word.push(letter.to_ascii_lowercase());
            } else if letter.is_alphanumeric() {
                word.extend(letter.to_lowercase());
            } else if joins(last, letter, next) {
                // A thousands separator goes, a decimal point stays.
                if letter != ',' {
                    word.push(if is_apostrophe(letter) { '\'' } else { letter });
                }
            } else {
                close(&word, &mut words);
                word.clear();
                if stands_for_something(last, letter, next) {
                    push(&mut words, letter.encode_utf8(&mut [0; 4]));
                }
            }
            last = letter;
        }
        close(&word, &mut words);
        NormalisedPosition { words }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        split(&self.words)
    }

    /// Returns the relation of two positions; they are the same only if every
    /// word, figure and negation stands in the same place.
    pub fn relation(&self, other: &NormalisedPosition) -> Relation {
        if self.is_empty() || other.is_empty() {
            return Relation::Different;
        }
        if self == other {
            return Relation::Same;
        }
        if opposition(&self.words, &other.words) { Relation::Opposed } else { Relation::Different }
    }

    /// Returns 1 for the same, 0 for opposed, and a value between them if words
    /// cannot tell. It only measures how well this comparison does; no decision
    /// rests on it.
    pub fn likeness(&self, other: &NormalisedPosition) -> f64 {
        match self.relation(other) {
            Relation::Same => 1.0,
            Relation::Opposed => 0.0,
            Relation::Different => 0.5,
        }
    }
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}' | '\u{02BC}')
}

/// Returns true if a sign belongs to the word around it: it's, 3.5, 1,000, 10:30,
/// 3/4.
fn joins(last: char, sign: char, next: char) -> bool {
    if is_apostrophe(sign) {
        return last.is_alphabetic() && next.is_alphabetic();
    }
    matches!(sign, '.' | ',' | ':' | '/') && last.is_ascii_digit() && next.is_ascii_digit()
}

/// Returns true if a sign must be kept as a word of its own. Every sign but plain
/// punctuation counts, because a sign can be the whole difference: C and C++, `<`
/// and `>`, 5 and -5, a claim and a question.
fn stands_for_something(last: char, sign: char, next: char) -> bool {
    match sign {
        '-' | '\u{2212}' => next.is_ascii_digit() && !last.is_alphanumeric(),
        '.' | ',' | ';' | ':' | '!' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '_'
        | '*' | '`' | '/' | '\\' | '\u{2013}' | '\u{2014}' | '\u{2026}' | '\u{201C}'
        | '\u{201D}' | '\u{2018}' | '\u{2019}' | '\u{201E}' | '\u{00AB}' | '\u{00BB}'
        | '\u{FEFF}' | '\u{200B}' => false,
        other => !other.is_whitespace() && !other.is_control(),
    }
}

fn push(words: &mut String, word: &str) {
    if !words.is_empty() {
        words.push(' ');
    }
    words.push_str(word);
}

/// Enters a finished word: contractions opened, filler left out, plural folded.
fn close(word: &str, words: &mut String) {
    if word.is_empty() {
        return;
    }
    let bare = word.strip_suffix("'s").unwrap_or(word);
    match bare.strip_suffix("n't") {
        Some("ca") => push(words, "can not"),
        Some("wo") => push(words, "will not"),
        Some("sha") => push(words, "shall not"),
        Some(verb) => {
            enter(verb, words);
            push(words, "not");
        }
        None if bare == "cannot" => push(words, "can not"),
        None if !bare.bytes().any(|byte| byte == b'\'') => enter(bare, words),
        None => {
            let (before, after) = bare.split_once('\'').unwrap_or((bare, ""));
            enter(before, words);
            enter(after, words);
        }
    }
}

fn enter(word: &str, words: &mut String) {
    if word.is_empty() || FILLER.has(word) {
        return;
    }
    if NUMBER_MASK.may_have(word)
        && let Ok(at) = NUMBER_WORDS.binary_search_by_key(&word, |(name, _)| name)
        && let Some((_, figure)) = NUMBER_WORDS.get(at)
    {
        return push(words, figure);
    }
    push(words, stem(word));
}

/// Folds a plural or a third person, nothing else: tense can be the difference.
fn stem(word: &str) -> &str {
    let long = word.len() > 3 && word.is_ascii();
    match word.strip_suffix('s') {
        Some(bare)
            if long && !bare.ends_with(['s', 'u', 'i']) && !bare.ends_with(char::is_numeric) =>
        {
            bare
        }
        _ => word,
    }
}

fn is_figure(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit()) || word == "%" || word == "-"
}

/// Returns true if two different texts about the same thing say opposite things.
fn opposition(mine: &str, theirs: &str) -> bool {
    let (only_mine, only_theirs, shared) = differing(mine, theirs);
    if only_mine.is_empty() && only_theirs.is_empty() {
        // The same words in another order: subject and object are swapped.
        return true;
    }
    let total = shared + only_mine.len() + only_theirs.len();
    // Words that make the difference do not count against being about the same
    // thing.
    let telling = only_mine.iter().chain(&only_theirs).filter(|word| tells(word)).count();
    let rest = total.saturating_sub(telling);
    // Most pairs of texts are about different things: the costly search for
    // opposite words is skipped if no result of it could change that.
    let most_pairs = only_mine.len().min(only_theirs.len());
    if !about_the_same(shared, rest.saturating_sub(most_pairs)) {
        return false;
    }
    let pairs = opposite_pairs(&only_mine, &only_theirs);
    if !about_the_same(shared, rest.saturating_sub(pairs)) {
        return false;
    }
    let negations = |words: &[&str]| words.iter().filter(|word| NEGATORS.has(word)).count();
    // The negations that both have cancel out.
    let denied = negations(&only_mine) % 2 != negations(&only_theirs) % 2;
    let figures_differ = only_mine.iter().any(|word| is_figure(word))
        && only_theirs.iter().any(|word| is_figure(word));
    denied || figures_differ || pairs > 0
}

fn split(words: &str) -> impl Iterator<Item = &str> {
    words.split(' ').filter(|word| !word.is_empty())
}

/// The words of each text beyond those of the other, and the number of words they share.
fn differing<'a>(mine: &'a str, theirs: &'a str) -> (Vec<&'a str>, Vec<&'a str>, usize) {
    // Most pairs begin or end alike, and what is alike need not be compared word by word.
    let (begin, end) = alike(mine, theirs);
    let part = |text: &'a str, from, to| text.get(from..to).unwrap_or_default();
    let middle = |text: &'a str| -> Vec<&'a str> {
        split(part(text, begin, text.len().saturating_sub(end))).collect()
    };
    let around = split(part(mine, 0, begin))
        .chain(split(part(mine, mine.len().saturating_sub(end), mine.len())))
        .count();
    let (mine, theirs) = (middle(mine), middle(theirs));
    let (only_mine, only_theirs) = (missing_from(&mine, &theirs), missing_from(&theirs, &mine));
    let shared = around + mine.len() - only_mine.len();
    (only_mine, only_theirs, shared)
}

/// The bytes of the words that two texts begin with alike, and of those that the rest of
/// them ends with alike.
fn alike(one: &str, other: &str) -> (usize, usize) {
    let same = |(a, b): &(u8, u8)| a == b;
    let begin = one.bytes().zip(other.bytes()).take_while(same).count();
    let begin = one.get(..begin).and_then(|it| it.rfind(' ')).map_or(0, |blank| blank + 1);
    let rest = |text: &str| text.len() - begin;
    let ends = one.bytes().rev().zip(other.bytes().rev()).take(rest(one).min(rest(other)));
    let end = ends.take_while(same).count();
    let end = one.get(one.len() - end..).and_then(|it| it.find(' ').map(|blank| it.len() - blank));
    (begin, end.unwrap_or(0))
}

fn about_the_same(shared: usize, of: usize) -> bool {
    of > 0 && shared as f64 / of as f64 >= ABOUT_THE_SAME
}

fn tells(word: &str) -> bool {
    is_figure(word) || NEGATORS.has(word)
}

/// Returns the words of one text beyond those of the other, with repetitions.
fn missing_from<'a>(words: &[&'a str], other: &[&str]) -> Vec<&'a str> {
    let mut left: Vec<&str> = other.to_vec();
    let mut only = Vec::new();
    for word in words {
        match left.iter().position(|candidate| candidate == word) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => only.push(*word),
        }
    }
    only
}

/// Counts the words of one text that have their opposite in the other. It counts
/// from the shorter text, so that the order of the two does not matter.
fn opposite_pairs(mine: &[&str], theirs: &[&str]) -> usize {
    let found = |words: &[&str], others: &[&str]| {
        words.iter().filter(|word| others.iter().any(|other| opposite(word, other))).count()
    };
    found(mine, theirs).min(found(theirs, mine))
}

fn opposite(one: &str, other: &str) -> bool {
    let pair = if one < other { (one, other) } else { (other, one) };
    OPPOSITES.binary_search(&pair).is_ok() || denies(one, other) || denies(other, one)
}

/// unsafe / safe, harmless / harmful, useless / useful.
fn denies(long: &str, bare: &str) -> bool {
    let before = long.strip_suffix(bare).unwrap_or_default();
    let root = || long.strip_suffix("less").unwrap_or_default();
    DENYING_PREFIXES.contains(&before)
        || (!root().is_empty() && (bare.strip_suffix("ful") == Some(root()) || bare == root()))
}

#[cfg(test)]
mod tests;
