//! Decides if two citations are the same source, and gives each source one entry
//! in the evidence register. A citation that names nothing gets no entry; nothing
//! is looked up, so two addresses of one page stay two sources.

use std::collections::{BTreeMap, HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;

use crate::model::{
    Citation, CitedBy, Evidence, EvidenceId, EvidenceKind, Ledger, PAGE_TOOL, Turn,
    UNREADABLE_PAGE, clip,
};

const GIST_TOKENS: usize = 25;

/// Parts of a query that tell where a reader came from, not which page is read.
const TRACKING: &[&str] = &["utm_", "gclid", "fbclid", "msclkid", "mc_cid", "mc_eid"];

/// The place of each source in the register.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceIndex {
    known: usize,
    by_address: HashMap<String, EvidenceId>,
    by_title: HashMap<String, EvidenceId>,
    /// Addresses that somebody tried to read and could not.
    unreadable: HashSet<String>,
}

impl SourceIndex {
    /// Takes in entries that were made without this index.
    pub(super) fn catch_up(&mut self, ledger: &Ledger) {
        for entry in ledger.evidence.iter().skip(self.known) {
            let address = entry.url.as_deref().map(plain_address);
            self.remember(entry.id, &PlainSource { address, title: plain_title(&entry.title) });
        }
        self.known = ledger.evidence.len();
    }

    /// Notes which pages a turn tried to read in vain, and which it did read.
    pub(super) fn tried(&mut self, ledger: &mut Ledger, turn: &Turn) {
        for call in turn.tool_calls.iter().filter(|call| call.tool == PAGE_TOOL) {
            let Some(url) = call.arguments.get("url").and_then(|url| url.as_str()) else {
                continue;
            };
            let address = plain_address(url);
            let in_vain = call.result.starts_with(UNREADABLE_PAGE);
            let read = turn.sources.iter().filter_map(|source| source.url.as_deref());
            let seen = !in_vain && read.map(plain_address).any(|page| page == address);
            if in_vain {
                self.unreadable.insert(address.clone());
            } else if seen {
                self.unreadable.remove(&address);
            } else {
                continue;
            }
            let known = self.by_address.get(&address);
            if let Some(entry) = known.and_then(|id| ledger.evidence.get_mut(id.index())) {
                entry.unreadable = in_vain;
            }
        }
    }

    /// Enters a citation and returns its entry, and true if the entry is new.
    pub(super) fn enter(
        &mut self,
        ledger: &mut Ledger,
        turn: &Turn,
        citation: &Citation,
    ) -> Option<(EvidenceId, bool)> {
        let url = address_of(citation);
        let (title, plain) = title_of(citation, url)?;
        let plain = PlainSource { address: url.map(plain_address), title: plain };
        let gist = citation.snippet.as_deref().unwrap_or_default().trim();
        let gist = clip(gist, GIST_TOKENS).into_owned();
        let cited = CitedBy { seat: turn.seat, round: turn.round };
        let found = self.find(ledger, &plain);
        if let Some(entry) = found.and_then(|id| ledger.evidence.get_mut(id.index())) {
            if entry.url.is_none() {
                entry.url = url.map(str::to_owned);
            }
            if entry.gist.is_empty() {
                entry.gist = gist;
            }
            if !entry.cited_by.contains(&cited) {
                entry.cited_by.push(cited);
            }
            let id = entry.id;
            self.remember(id, &plain);
            return Some((id, false));
        }
        let id = EvidenceId::from_index(ledger.evidence.len());
        ledger.evidence.push(Evidence {
            id,
            kind: EvidenceKind::Citation,
            title: title.to_owned(),
            url: url.map(str::to_owned),
            supports: Vec::new(),
            gist,
            added_round: turn.round,
            cited_by: vec![cited],
            unreadable: plain.address.as_ref().is_some_and(|it| self.unreadable.contains(it)),
        });
        self.remember(id, &plain);
        self.known = ledger.evidence.len();
        Some((id, true))
    }

    /// Finds a source by address; by title only if one of the two has no address,
    /// because many pages share a title.
    fn find(&self, ledger: &Ledger, plain: &PlainSource) -> Option<EvidenceId> {
        let titled = || self.by_title.get(&plain.title).copied();
        match &plain.address {
            None => titled(),
            Some(address) => self.by_address.get(address).copied().or_else(|| {
                titled().filter(|id| ledger.source(*id).is_some_and(|entry| entry.url.is_none()))
            }),
        }
    }

    fn remember(&mut self, id: EvidenceId, plain: &PlainSource) {
        // Most sources are known already; only a new one needs its words copied.
        if let Some(address) =
            plain.address.as_ref().filter(|it| !self.by_address.contains_key(*it))
        {
            self.by_address.insert(address.clone(), id);
        }
        if !self.by_title.contains_key(&plain.title) {
            self.by_title.insert(plain.title.clone(), id);
        }
    }
}

/// A source under the words by which it is found.
struct PlainSource {
    address: Option<String>,
    title: String,
}

impl PlainSource {
    fn of(citation: &Citation) -> Option<PlainSource> {
        let url = address_of(citation);
        let (_, title) = title_of(citation, url)?;
        Some(PlainSource { address: url.map(plain_address), title })
    }
}

/// The register of a debate, which resolves citation numbers.
#[derive(Debug)]
pub struct SourceRegister<'a> {
    ledger: &'a Ledger,
    sources: SourceIndex,
}

impl<'a> SourceRegister<'a> {
    /// `turns` in the order they were entered: a source may have been cited
    /// under several titles.
    pub fn of(ledger: &'a Ledger, turns: impl IntoIterator<Item = &'a Turn>) -> SourceRegister<'a> {
        let mut sources = SourceIndex::default();
        sources.catch_up(ledger);
        let mut register = SourceRegister { ledger, sources };
        for citation in turns.into_iter().flat_map(|turn| &turn.answer.citations) {
            let plain = PlainSource::of(citation);
            if let Some((id, plain)) =
                plain.and_then(|it| Some((register.sources.find(ledger, &it)?, it)))
            {
                register.sources.remember(id, &plain);
            }
        }
        register
    }

    /// The entry behind each of an answer's own numbers.
    pub fn cited(&self, turn: &Turn) -> BTreeMap<u32, EvidenceId> {
        let mut cited = BTreeMap::new();
        // The answer's own citations come first, as when it was entered.
        for citation in turn.answer.citations.iter().chain(&turn.sources) {
            if let Some(id) = self.find(citation) {
                cited.entry(citation.number).or_insert(id);
            }
        }
        cited
    }

    fn find(&self, citation: &Citation) -> Option<EvidenceId> {
        self.sources.find(self.ledger, &PlainSource::of(citation)?)
    }
}

fn filled(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn address_of(citation: &Citation) -> Option<&str> {
    let given = citation.url.as_deref().and_then(filled);
    // Models put an address into `source` as often as into `url`.
    given.or_else(|| {
        citation.source.as_deref().and_then(filled).filter(|source| source.contains("://"))
    })
}

/// Returns the title, else another name of the source, as it stands and in plain words;
/// punctuation alone names nothing.
fn title_of<'a>(citation: &'a Citation, url: Option<&'a str>) -> Option<(&'a str, String)> {
    [Some(citation.title.as_str()), citation.source.as_deref(), url]
        .into_iter()
        .flatten()
        .filter_map(filled)
        .map(|title| (title, plain_title(title)))
        .find(|(_, plain)| !plain.is_empty())
}

/// A title as words in lower case.
fn plain_title(title: &str) -> String {
    let lower: String = if title.is_ascii() {
        title.to_ascii_lowercase()
    } else {
        title.nfkc().flat_map(char::to_lowercase).collect()
    };
    let mut plain = String::with_capacity(lower.len());
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        plain.push_str(if plain.is_empty() { "" } else { " " });
        plain.push_str(word);
    }
    plain
}

/// Returns an address without the parts that do not change the page: scheme of
/// the web, case of the host, `www.`, default port, trailing slash, fragment,
/// tracking.
fn plain_address(url: &str) -> String {
    let (scheme, rest) = url.trim().split_once("://").unwrap_or(("https", url.trim()));
    let scheme = scheme.to_ascii_lowercase();
    let scheme = if scheme == "http" { "https" } else { &scheme };
    let rest = rest.split_once('#').map_or(rest, |(page, _)| page);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let host = host.to_lowercase();
    let host = [":80", ":443"].iter().find_map(|port| host.strip_suffix(port)).unwrap_or(&host);
    let host = host.strip_prefix("www.").unwrap_or(host).trim_end_matches('.');
    let path = path.trim_end_matches('/');
    let kept: Vec<&str> = query
        .split('&')
        .filter(|part| !part.is_empty())
        .filter(|part| !TRACKING.iter().any(|name| part.to_ascii_lowercase().starts_with(name)))
        .collect();
    [scheme, "://", host, "/", path, "?", &kept.join("&")].concat()
}

/// The citation numbers that stand in a text: `[1]`, `[1][2]`, `[1-3]`, `[1, 2]`.
pub(super) fn numbers_in(text: &str) -> Vec<u32> {
    /// A longer range is not a citation but a range of figures.
    const RANGE_AT_MOST: u32 = 50;
    let mut numbers = Vec::new();
    for opened in text.split('[').skip(1) {
        let Some((inside, _)) = opened.split_once(']') else { continue };
        for part in inside.split(',') {
            let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
            if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
            {
                let last = last.min(first.saturating_add(RANGE_AT_MOST));
                numbers.extend(first..=last);
            }
        }
    }
    numbers
}

#[cfg(test)]
#[path = "sources_tests.rs"]
mod tests;
