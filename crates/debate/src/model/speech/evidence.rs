//! Evidence: its types and weights, citations, and the register that gives each
//! source one entry, no matter how often and by which seat it is cited.

use serde::{Deserialize, Serialize};

use crate::model::{ClaimId, EvidenceId, Round, SeatId};

/// The kind of ground that supports a claim, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EvidenceType {
    Documented,
    Empirical,
    Precedent,
    Logical,
    Preferential,
    Speculative,
}

impl EvidenceType {
    pub const ALL: [EvidenceType; 6] = [
        EvidenceType::Documented,
        EvidenceType::Empirical,
        EvidenceType::Precedent,
        EvidenceType::Logical,
        EvidenceType::Preferential,
        EvidenceType::Speculative,
    ];

    pub fn word(self) -> &'static str {
        match self {
            EvidenceType::Documented => "DOCUMENTED",
            EvidenceType::Empirical => "EMPIRICAL",
            EvidenceType::Precedent => "PRECEDENT",
            EvidenceType::Logical => "LOGICAL",
            EvidenceType::Preferential => "PREFERENTIAL",
            EvidenceType::Speculative => "SPECULATIVE",
        }
    }

    /// The published weight; lessons move it, by domain.
    pub fn published_weight(self) -> f64 {
        match self {
            EvidenceType::Documented => 0.90,
            EvidenceType::Empirical => 0.85,
            EvidenceType::Precedent => 0.70,
            EvidenceType::Logical => 0.60,
            EvidenceType::Preferential => 0.40,
            EvidenceType::Speculative => 0.20,
        }
    }
}

/// A source as one answer cites it. Numbers are local to the answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Citation {
    pub number: u32,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl Citation {
    /// Returns whether it names an address that no real source has.
    pub fn is_invented(&self) -> bool {
        let addresses = [self.url.as_deref(), self.source.as_deref()];
        addresses.into_iter().flatten().any(is_invented_address)
    }
}

/// Top-level names that are set aside and never lead to a page (RFC 2606, 6761).
const RESERVED_ENDINGS: [&str; 6] =
    ["example", "test", "invalid", "localhost", "local", "internal"];
/// Names that stand in manuals where a real one should be put.
const PLACEHOLDER_HOSTS: [&str; 12] = [
    "example.com",
    "example.org",
    "example.net",
    "example.edu",
    "domain.com",
    "yourdomain.com",
    "mydomain.com",
    "website.com",
    "yourwebsite.com",
    "mywebsite.com",
    "url.com",
    "placeholder.com",
];

/// Returns whether an address cannot be that of a real source: its host is reserved, a
/// placeholder, or no host at all. Nothing is looked up.
pub fn is_invented_address(address: &str) -> bool {
    // No scheme holds a colon. Bytes are compared, which is quicker than to search for text:
    // this is asked of every source in every round.
    let (scheme, rest) = until(address.trim(), |byte| byte == b':');
    let Some(rest) = rest.strip_prefix("://") else { return false };
    if !["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)) {
        return false;
    }
    let (authority, _) = until(rest, |byte| matches!(byte, b'/' | b'?' | b'#'));
    let user = authority.bytes().rposition(|byte| byte == b'@').map_or(0, |at| at + 1);
    let host = authority.get(user..).unwrap_or_default();
    let (host, _) = until(host, |byte| byte == b':');
    let host = host.trim_end_matches('.');
    let www = host.get(..4).filter(|start| start.eq_ignore_ascii_case("www."));
    let host = host.get(www.map_or(0, str::len)..).unwrap_or_default();
    let Some((before, ending)) = host.rsplit_once('.') else { return true };
    // A placeholder has two names, and whatever stands before them belongs to it.
    let second = before.rsplit('.').next().unwrap_or_default();
    let site = host.get(before.len() - second.len()..).unwrap_or_default();
    RESERVED_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
        || PLACEHOLDER_HOSTS.iter().any(|known| site.eq_ignore_ascii_case(known))
}

/// Cuts a text before the first of some ASCII signs.
fn until(text: &str, is_end: impl Fn(u8) -> bool) -> (&str, &str) {
    let end = text.bytes().position(is_end).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    Citation,
    ToolOutput,
    Calculation,
}

/// One entry of the debate's evidence register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub id: EvidenceId,
    pub kind: EvidenceKind,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub supports: Vec<ClaimId>,
    /// At most 25 tokens of what the source says.
    pub gist: String,
    pub added_round: Round,
    pub cited_by: Vec<CitedBy>,
    /// True if somebody tried to read it and could not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
}

impl Evidence {
    /// True if nothing can rest on it: its address is one that no real source
    /// has, or it could not be read where that was tried.
    pub fn is_void(&self) -> bool {
        self.unreadable || self.url.as_deref().is_some_and(is_invented_address)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CitedBy {
    pub seat: SeatId,
    pub round: Round,
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
