//! The argument map: nested lists that CSS draws as a tree, with the decision as the
//! root. Every claim is drawn once, under the strongest claim it bears on; its other
//! links are words. Lines have no coordinates and cannot cross.

use askama::Template;
use debate::model::{Claim, ClaimId, ClaimStatus, Label, SeatId};
use debate::sorting::SortRows;

use super::Sheet;
use super::signs::SeatSign;

/// Levels that are drawn as nodes; deeper claims are listed inside theirs.
const LEVELS: usize = 3;
/// Reasons of a single voice stand alone up to this number.
const FEW_VOICES: usize = 2;

/// Folded reasons that carry the signs of their agents.
const MOST_SIGNED: usize = 60;

#[derive(Template)]
#[template(path = "sheet_map.html", whitespace = "preserve")]
pub struct MapSheet {
    root: String,
    title: &'static str,
    nodes: Vec<MapNode>,
    /// Reasons that one agent each holds.
    single: Vec<ClaimLine>,
    withdrawn: Vec<ClaimLine>,
    pub claims: usize,
}

/// A claim with the claims that bear on it.
#[derive(Template)]
#[template(path = "map_node.html", whitespace = "preserve")]
struct MapNode {
    id: String,
    text: String,
    look: &'static str,
    sign: &'static str,
    sign_label: &'static str,
    disputed: bool,
    holders: Vec<SeatSign>,
    opposers: Vec<SeatSign>,
    sources: Vec<String>,
    also: Vec<(String, &'static str)>,
    said: String,
    kind: String,
    deeper: Vec<ClaimLine>,
    nodes: Vec<MapNode>,
}

struct ClaimLine {
    id: String,
    text: String,
    holders: Vec<SeatSign>,
    sources: Vec<String>,
}

/// A link from a claim to the claim it bears on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BearingLink {
    on: ClaimId,
    supports: bool,
}

struct MapMaker<'a> {
    sheet: &'a Sheet<'a>,
    holders: Vec<SeatId>,
    /// By claim: the link it is drawn under.
    parents: Vec<Option<BearingLink>>,
}

impl MapSheet {
    pub fn of(sheet: &Sheet<'_>) -> Option<MapSheet> {
        let claims = &sheet.view.room.ledger.claims;
        let card = &sheet.view.verdict()?.card;
        if claims.is_empty() {
            return None;
        }
        let parents = parents(claims);
        let maker = MapMaker { sheet, holders: sheet.holders(), parents };
        let drawn = |claim: &&Claim| claim.status != ClaimStatus::Retracted;
        let roots = claims.iter().filter(drawn).filter(|claim| maker.is_root(claim));
        let (mut single, mut nodes): (Vec<&Claim>, Vec<&Claim>) =
            roots.partition(|claim| maker.is_single(claim));
        if single.len() <= FEW_VOICES {
            nodes.append(&mut single);
        }
        maker.sort(&mut nodes);
        let gone = claims.iter().filter(|claim| claim.status == ClaimStatus::Retracted);
        Some(MapSheet {
            root: card.decision.clone(),
            title: card.title(),
            nodes: nodes.into_iter().map(|claim| maker.node(claim, 1)).collect(),
            single: single.into_iter().map(|claim| maker.line(claim)).collect(),
            withdrawn: gone.map(|claim| maker.line(claim)).collect(),
            claims: claims.len(),
        })
    }
}

impl MapSheet {
    /// Returns true if so many reasons are folded that their signs would weigh more than
    /// their words; names stand there instead.
    fn is_crowded(&self) -> bool {
        self.single.len() > MOST_SIGNED
    }
}

/// The strongest claim that each claim bears on, without circles.
fn parents(claims: &[Claim]) -> Vec<Option<BearingLink>> {
    let mut parents: Vec<Option<BearingLink>> = vec![None; claims.len()];
    for claim in claims {
        let mut links = links(claims, claim.id);
        let strength = |id: ClaimId| claims.get(id.index()).map_or(0.0, |claim| claim.strength);
        links.sort_rows_by(|a, b| strength(b.on).total_cmp(&strength(a.on)).then(a.on.cmp(&b.on)));
        let free = links.into_iter().find(|link| {
            let mut above = Some(link.on);
            let mut steps = 0;
            while let Some(id) = above {
                steps += 1;
                if id == claim.id || steps > claims.len() {
                    return false;
                }
                above = parents.get(id.index()).copied().flatten().map(|link| link.on);
            }
            true
        });
        if let Some(place) = parents.get_mut(claim.id.index()) {
            *place = free;
        }
    }
    parents
}

/// The claims that are not withdrawn and on which this one bears.
fn links(claims: &[Claim], id: ClaimId) -> Vec<BearingLink> {
    let standing = claims.iter().filter(|one| one.status != ClaimStatus::Retracted);
    standing
        .filter(|one| one.id != id)
        .filter_map(|one| {
            let supports = one.supported_by.contains(&id);
            (supports || one.opposition.contains(&id))
                .then_some(BearingLink { on: one.id, supports })
        })
        .collect()
}

impl MapMaker<'_> {
    fn claims(&self) -> &[Claim] {
        &self.sheet.view.room.ledger.claims
    }

    fn parent(&self, claim: &Claim) -> Option<BearingLink> {
        self.parents.get(claim.id.index()).copied().flatten()
    }

    fn is_root(&self, claim: &Claim) -> bool {
        self.parent(claim).is_none()
    }

    fn children(&self, claim: &Claim) -> Vec<&Claim> {
        let below = |one: &&Claim| {
            one.status != ClaimStatus::Retracted
                && self.parent(one).is_some_and(|link| link.on == claim.id)
        };
        self.claims().iter().filter(below).collect()
    }

    /// A reason for the decision that one agent holds and nothing bears on.
    fn is_single(&self, claim: &Claim) -> bool {
        claim.holders.len() <= 1
            && claim.status != ClaimStatus::Contested
            && self.for_decision(claim)
            && self.children(claim).is_empty()
    }

    fn for_decision(&self, claim: &Claim) -> bool {
        self.holders.is_empty() || claim.holders.iter().any(|seat| self.holders.contains(seat))
    }

    /// Strongest first, disputed ones after the others.
    fn sort(&self, claims: &mut [&Claim]) {
        claims.sort_rows_by(|a, b| {
            let disputed = |claim: &Claim| claim.status == ClaimStatus::Contested;
            disputed(a)
                .cmp(&disputed(b))
                .then(b.strength.total_cmp(&a.strength))
                .then(a.id.cmp(&b.id))
        });
    }

    fn node(&self, claim: &Claim, level: usize) -> MapNode {
        let supports = match self.parent(claim) {
            Some(link) => link.supports,
            None => self.for_decision(claim),
        };
        let mut below = self.children(claim);
        self.sort(&mut below);
        let (nodes, deeper) = if level < LEVELS {
            (below.iter().map(|one| self.node(one, level + 1)).collect(), Vec::new())
        } else {
            (Vec::new(), self.all_below(claim))
        };
        let disputed = claim.status == ClaimStatus::Contested;
        let shown = self.parent(claim).map(|link| link.on);
        let others =
            links(self.claims(), claim.id).into_iter().filter(|link| Some(link.on) != shown);
        let signs = &self.sheet.signs;
        MapNode {
            id: claim.id.to_string(),
            text: claim.text.clone(),
            look: if supports { "pro" } else { "con" },
            sign: if supports { "+" } else { "−" },
            sign_label: if supports { "supports" } else { "speaks against" },
            disputed,
            holders: signs.seats(&claim.holders),
            opposers: signs.seats(&claim.opposers),
            sources: claim.support.iter().map(ToString::to_string).collect(),
            also: others
                .map(|link| (link.on.to_string(), if link.supports { "for" } else { "against" }))
                .collect(),
            said: said(claim),
            kind: kind(claim),
            deeper,
            nodes,
        }
    }

    /// Everything below a claim that has no node of its own.
    fn all_below(&self, claim: &Claim) -> Vec<ClaimLine> {
        let mut lines = Vec::new();
        for child in self.children(claim) {
            lines.push(self.line(child));
            lines.extend(self.all_below(child));
        }
        lines
    }

    fn line(&self, claim: &Claim) -> ClaimLine {
        ClaimLine {
            id: claim.id.to_string(),
            text: claim.text.clone(),
            holders: self.sheet.signs.seats(&claim.holders),
            sources: claim.support.iter().map(ToString::to_string).collect(),
        }
    }
}

fn said(claim: &Claim) -> String {
    match (claim.introduced_round, claim.last_updated_round) {
        (0, 0) => "an earlier debate".into(),
        (0, last) => format!("an earlier debate, last taken up in round {last}"),
        (first, last) if last > first => format!("round {first}, last taken up in round {last}"),
        (first, _) => format!("round {first}"),
    }
}

fn kind(claim: &Claim) -> String {
    let label = match claim.label {
        Label::Fact => "a fact",
        Label::Infer => "an inference",
        Label::Assume => "an assumption",
        Label::Open => "an open question",
    };
    format!("{label}, {}", claim.evidence_type.word().to_lowercase())
}
