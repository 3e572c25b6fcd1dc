//! The argument map, laid out in layers: a column per round, so
//! that a claim stands right of what it answers. Within a column claims are
//! moved towards what they are linked with. Every box is a link to its row in
//! the table of claims and says in words what is drawn.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use debate::model::*;
use debate::sorting::SortRows;

use crate::document::escape::{clean_line, html_line as plain};
use crate::document::markup::Markup;
use crate::document::model::SvgDrawing;
use crate::document::words::count;

const BOX: (f64, f64) = (236.0, 92.0);
const GAP: (f64, f64) = (96.0, 20.0);
const MARGIN: f64 = 24.0;
const HEAD: f64 = 30.0;
const LINES: usize = 3;
const LETTERS: usize = 32;
/// More boxes would be unreadable; the weakest are left out.
const MOST: usize = 80;
/// Of claims without a link, which say nothing on a map, only the strongest.
const MOST_UNLINKED: usize = 12;
const SWEEPS: usize = 6;

/// The position of a claim: column and row.
struct Place {
    column: usize,
    row: f64,
}

/// A link between two claims: from, to, and how.
pub type ClaimLink = (ClaimId, ClaimId, Link);

/// The links between the claims of a ledger.
pub fn links(ledger: &Ledger) -> Vec<ClaimLink> {
    let mut links = Vec::new();
    for claim in &ledger.claims {
        links.extend(claim.supported_by.iter().map(|from| (*from, claim.id, Link::Supports)));
        links.extend(claim.opposition.iter().map(|from| (*from, claim.id, Link::Opposes)));
    }
    links.retain(|(from, to, _)| from != to && ledger.claim(*from).is_some());
    links.sort_rows_by_key(|(from, to, _)| (*from, *to));
    links
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Supports,
    Opposes,
}

impl Link {
    pub fn word(self) -> &'static str {
        match self {
            Link::Supports => "supports",
            Link::Opposes => "opposes",
        }
    }
}

/// The map of a ledger; nothing where it has no claims.
pub fn map(ledger: &Ledger, seats: &[Seat]) -> Option<SvgDrawing> {
    let links = links(ledger);
    let shown = shown(ledger, &links);
    if shown.is_empty() {
        return None;
    }
    let columns = columns(&shown, &links);
    let places = places(&columns);
    let rows = columns.iter().map(|(_, claims)| claims.len()).max().unwrap_or(1);
    let width = 2.0 * MARGIN + columns.len() as f64 * (BOX.0 + GAP.0) - GAP.0 + 40.0;
    let height = 2.0 * MARGIN + HEAD + rows as f64 * (BOX.1 + GAP.1) - GAP.1;
    let mut out = format!(
        "<svg class=\"map\" role=\"group\" aria-label=\"Argument map: {} and {}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\"><defs>",
        count(shown.len(), "claim"),
        count(links.len(), "link")
    );
    for link in [Link::Supports, Link::Opposes] {
        let _ = write!(
            out,
            "<marker id=\"{0}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto-start-reverse\"><path class=\"arrow-{0}\" \
             d=\"M0 0L10 5L0 10z\"/></marker>",
            link.word()
        );
    }
    out.push_str("</defs>");
    for (index, (round, _)) in columns.iter().enumerate() {
        let x = left(index) + BOX.0 / 2.0;
        let _ = write!(
            out,
            "<text class=\"soft strong\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            MARGIN + 8.0,
            if *round == 0 { "Earlier".to_owned() } else { format!("Round {round}") }
        );
    }
    for (from, to, link) in &links {
        if let (Some(start), Some(end)) = (places.get(from), places.get(to)) {
            edge(&mut out, start, end, *link, (*from, *to));
        }
    }
    for (_, claims) in &columns {
        for claim in claims {
            if let Some(place) = places.get(&claim.id) {
                node(&mut out, author(seats, claim), claim, place, &links);
            }
        }
    }
    out.push_str("</svg>");
    Some(SvgDrawing {
        anchor: String::new(),
        title: "Argument map".into(),
        svg: Markup::of(out),
        caption: legend(ledger.claims.len() - shown.len()),
        table: None,
        wide: true,
    })
}

fn author<'a>(seats: &'a [Seat], claim: &Claim) -> &'a str {
    seats.get(claim.author.index()).map_or("", |seat| seat.name.as_str())
}

fn shown<'a>(ledger: &'a Ledger, links: &[ClaimLink]) -> Vec<&'a Claim> {
    let linked = |id: ClaimId| links.iter().any(|(from, to, _)| *from == id || *to == id);
    let mut claims: Vec<&Claim> = ledger.claims.iter().collect();
    claims.sort_rows_by(|a, b| {
        linked(b.id)
            .cmp(&linked(a.id))
            .then(b.strength.total_cmp(&a.strength))
            .then(a.id.cmp(&b.id))
    });
    let with_links = claims.iter().filter(|claim| linked(claim.id)).count();
    claims.truncate(MOST.min(with_links + MOST_UNLINKED));
    claims.sort_rows_by_key(|claim| claim.id);
    claims
}

type Columns<'a> = Vec<(Round, Vec<&'a Claim>)>;

/// One column per round, its claims ordered by where their neighbours stand.
fn columns<'a>(shown: &[&'a Claim], links: &[ClaimLink]) -> Columns<'a> {
    let mut by_round: BTreeMap<Round, Vec<&Claim>> = BTreeMap::new();
    for claim in shown {
        by_round.entry(claim.introduced_round).or_default().push(claim);
    }
    let mut columns: Columns<'a> = by_round.into_iter().collect();
    for _ in 0..SWEEPS {
        for index in 0..columns.len() {
            let places = places(&columns);
            let Some((_, claims)) = columns.get_mut(index) else { continue };
            let mut keyed: Vec<(f64, &Claim)> =
                claims.iter().map(|claim| (pull(claim.id, links, &places), *claim)).collect();
            keyed.sort_rows_by(|a, b| a.0.total_cmp(&b.0).then(a.1.id.cmp(&b.1.id)));
            *claims = keyed.into_iter().map(|(_, claim)| claim).collect();
        }
    }
    columns
}

/// The mean row of a claim's neighbours, its own where it has none.
fn pull(id: ClaimId, links: &[ClaimLink], places: &BTreeMap<ClaimId, Place>) -> f64 {
    let neighbours = links.iter().filter_map(|(from, to, _)| match (*from == id, *to == id) {
        (true, _) => places.get(to),
        (_, true) => places.get(from),
        _ => None,
    });
    let rows: Vec<f64> = neighbours.map(|place| place.row).collect();
    match rows.len() {
        0 => places.get(&id).map_or(0.0, |place| place.row),
        count => rows.iter().sum::<f64>() / count as f64,
    }
}

/// Columns are centred against the longest one.
fn places(columns: &Columns<'_>) -> BTreeMap<ClaimId, Place> {
    let most = columns.iter().map(|(_, claims)| claims.len()).max().unwrap_or(0) as f64;
    let mut places = BTreeMap::new();
    for (column, (_, claims)) in columns.iter().enumerate() {
        let first = (most - claims.len() as f64) / 2.0;
        for (index, claim) in claims.iter().enumerate() {
            places.insert(claim.id, Place { column, row: first + index as f64 });
        }
    }
    places
}

fn left(column: usize) -> f64 {
    MARGIN + column as f64 * (BOX.0 + GAP.0)
}

fn top(row: f64) -> f64 {
    MARGIN + HEAD + row * (BOX.1 + GAP.1)
}

fn edge(out: &mut String, from: &Place, to: &Place, link: Link, ids: (ClaimId, ClaimId)) {
    let (y1, y2) = (top(from.row) + BOX.1 / 2.0, top(to.row) + BOX.1 / 2.0);
    let (x1, x2, bend1, bend2) = match from.column.cmp(&to.column) {
        std::cmp::Ordering::Greater => {
            let (x1, x2) = (left(from.column), left(to.column) + BOX.0);
            (x1, x2, x1 - GAP.0 * 0.6, x2 + GAP.0 * 0.6)
        }
        std::cmp::Ordering::Less => {
            let (x1, x2) = (left(from.column) + BOX.0, left(to.column));
            (x1, x2, x1 + GAP.0 * 0.6, x2 - GAP.0 * 0.6)
        }
        std::cmp::Ordering::Equal => {
            let x = left(from.column) + BOX.0;
            (x, x, x + 46.0, x + 46.0)
        }
    };
    let word = link.word();
    let _ = write!(
        out,
        "<path class=\"edge {word}\" data-link=\"{}-{}\" d=\"M{x1:.1} {y1:.1}C{bend1:.1} {y1:.1} \
         {bend2:.1} {y2:.1} {x2:.1} {y2:.1}\" marker-end=\"url(#{word})\"/>",
        ids.0, ids.1
    );
}

fn node(out: &mut String, author: &str, claim: &Claim, place: &Place, links: &[ClaimLink]) {
    let (x, y) = (left(place.column), top(place.row));
    let status = claim.status.word();
    let mut said = format!(
        "{}, {status}, strength {:.2}, by {author}: {}",
        claim.id, claim.strength, claim.text
    );
    for (_, to, link) in links.iter().filter(|(from, ..)| *from == claim.id) {
        let _ = write!(said, " It {} {to}.", link.word());
    }
    let _ = write!(
        out,
        "<a class=\"node\" href=\"#{0}\"><desc>{1}</desc><rect class=\"box\" x=\"{x:.1}\" \
         y=\"{y:.1}\" width=\"{2}\" height=\"{3}\" rx=\"8\"/><rect class=\"side-{status}\" \
         x=\"{x:.1}\" y=\"{4:.1}\" width=\"5\" height=\"{5:.1}\"/>",
        claim.id,
        plain(&said),
        BOX.0,
        BOX.1,
        y + 8.0,
        BOX.1 - 16.0
    );
    let head: String = format!("{} · {author} · {status}", claim.id).chars().take(34).collect();
    let _ = write!(
        out,
        "<text class=\"strong\" x=\"{:.1}\" y=\"{:.1}\">{} </text>",
        x + 14.0,
        y + 20.0,
        plain(&head)
    );
    for (index, line) in wrapped(&claim.text).iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{} </text>",
            x + 14.0,
            y + 38.0 + 15.0 * index as f64,
            plain(line)
        );
    }
    let track = BOX.0 - 28.0;
    let _ = write!(
        out,
        "<rect class=\"track\" x=\"{0:.1}\" y=\"{1:.1}\" width=\"{track:.1}\" height=\"3\"/>\
         <rect class=\"fill\" x=\"{0:.1}\" y=\"{1:.1}\" width=\"{2:.1}\" height=\"3\"/></a>",
        x + 14.0,
        y + BOX.1 - 9.0,
        track * claim.strength.clamp(0.0, 1.0)
    );
}

fn wrapped(text: &str) -> Vec<String> {
    let line = clean_line(text);
    let mut lines: Vec<String> =
        textwrap::wrap(&line, LETTERS).into_iter().map(|line| line.into_owned()).collect();
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}…", last.chars().take(LETTERS - 1).collect::<String>().trim_end());
        }
    }
    lines
}

fn legend(left_out: usize) -> String {
    let mut text = String::from(
        "An unbroken green arrow supports, a broken red one opposes. The bar at the foot of a box \
         is the claim's strength, from 0 to 1; the stripe at its left says how it stands: green \
         accepted, red contested, yellow open, grey retracted.",
    );
    if left_out > 0 {
        let _ =
            write!(text, " Not drawn: {}, the weakest without links.", count(left_out, "claim"));
    }
    text
}
