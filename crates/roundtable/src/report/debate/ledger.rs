//! Claims and sources: what is contested, what is strongest, the whole ledger, the map
//! and the one list of references.

use debate::model::*;

use super::ReportedDebate;
use crate::document::svg::map as drawn;
use crate::document::{Block, NumberedItem, Phrase, Section, SectionLook, TableRow};

fn claim_link(id: ClaimId) -> Phrase {
    Phrase::default().inside(id.to_string(), id.to_string())
}

/// Claims that are disputed at the end, and where answers contradict each other.
pub fn contested(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("contested", "Still contested");
    let Some(verdict) = view.verdict() else { return section };
    let point = |conflict: &OpenConflict| {
        claim_link(conflict.claim).plain(format!(
            " {} (held by {}; opposed by {})",
            conflict.text,
            conflict.held_by.join(", "),
            conflict.opposed_by.join(", ")
        ))
    };
    let mut items: Vec<Phrase> = verdict.evidence.conflicts.iter().map(point).collect();
    let read = view.last_analysis().map(|found| found.consensus.conflicts.as_slice());
    items.extend(read.unwrap_or_default().iter().map(|conflict| {
        let sides: Vec<String> = conflict
            .positions
            .iter()
            .map(|side| format!("{}: {}", view.name(side.seat), side.says))
            .collect();
        Phrase::from(format!("{} ({})", conflict.issue, sides.join("; ")))
    }));
    section.list(items);
    section
}

/// The strongest claims, for a terminal.
pub fn strongest(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("strongest", "Strongest claims");
    let Some(verdict) = view.verdict() else { return section };
    let one = |claim: &StrongClaim| {
        claim_link(claim.claim).plain(format!(" (strength {:.2}) {}", claim.strength, claim.text))
    };
    section.list(verdict.evidence.strongest.iter().map(one).collect());
    section
}

/// The sources of the verdict, most cited first, for a terminal.
pub fn cited(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("cited", "Sources, most cited first");
    let Some(verdict) = view.verdict() else { return section };
    let one = |source: &CitedSource| {
        let place = source.url.as_deref().unwrap_or_default();
        Phrase::default()
            .plain(format!("{} {} ", source.id, source.title))
            .web(place)
            .plain(format!(" (cited by {})", source.cited_by.join(", ")))
    };
    section.list(verdict.evidence.citations.iter().map(one).collect());
    section
}

pub fn claims(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("claims", "Claims");
    let linked = |mut phrase: Phrase, word: &str, ids: &[ClaimId]| {
        for (index, id) in ids.iter().enumerate() {
            let before = match (index, phrase.is_empty()) {
                (0, true) => format!("{word} by "),
                (0, false) => format!("; {word} by "),
                _ => ", ".into(),
            };
            phrase = phrase.plain(before).inside(id.to_string(), id.to_string());
        }
        phrase
    };
    let row = |claim: &Claim| {
        let mut text = Phrase::from(&claim.text);
        for id in &claim.support {
            text = text.plain(" ").inside(format!("[{}]", id.0), format!("reference-{}", id.0));
        }
        let links = linked(Phrase::default(), "supported", &claim.supported_by);
        TableRow {
            anchor: claim.id.to_string(),
            cells: vec![
                Phrase::from(claim.id.to_string()),
                text,
                Phrase::from(format!("{}, {}", claim.label.word(), claim.evidence_type.word())),
                Phrase::from(view.names(&claim.holders)),
                Phrase::default().badge(claim.status.word(), claim.status.word()),
                Phrase::from(format!("{:.2}", claim.strength)),
                linked(links, "opposed", &claim.opposition),
            ],
        }
    };
    let rows = view.room.ledger.claims.iter().map(row).collect();
    let head = ["Id", "Claim", "Ground", "Held by", "Status", "Strength", "Links"];
    section.rows("Claims", &head, rows);
    section
}

/// The one list of sources. The numbers are those in the text.
pub fn references(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("references", "References");
    let item = |source: &Evidence| {
        let mut who: Vec<&str> = source.cited_by.iter().map(|one| view.name(one.seat)).collect();
        who.sort_unstable();
        who.dedup();
        let place = source.url.as_deref().unwrap_or_default();
        NumberedItem {
            number: source.id.0,
            anchor: format!("reference-{}", source.id.0),
            phrase: Phrase::default()
                .plain(format!("{} ", source.title))
                .web(place)
                .plain(format!(" (cited by {})", who.join(", "))),
        }
    };
    let items: Vec<NumberedItem> = view.room.ledger.evidence.iter().map(item).collect();
    if !items.is_empty() {
        section.blocks.push(Block::Numbered(items));
    }
    section
}

pub fn map(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("map", "Argument map");
    section.look = SectionLook::Drawn;
    let ledger = &view.room.ledger;
    section.blocks.extend(drawn::map(ledger, &view.room.seats).map(Block::Drawing));
    let link = |(from, to, link): &drawn::ClaimLink| {
        claim_link(*from).plain(format!(" {} ", link.word())).inside(to.to_string(), to.to_string())
    };
    let links: Vec<Phrase> = drawn::links(ledger).iter().map(link).collect();
    if !links.is_empty() {
        section.blocks.push(Block::Folded(crate::document::FoldedPart {
            name: "The links in words".into(),
            blocks: vec![Block::List(links)],
            ..Default::default()
        }));
    }
    section
}
