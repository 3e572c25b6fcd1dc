//! The sources with the agents who cited them and the claims they support, and what each
//! agent cost.

use askama::Template;
use debate::model::{Bill, Evidence, SeatId, Tally, Turn, is_invented_address};

use super::Sheet;
use super::signs::SeatSign;
use crate::document::escape::web_address;
use crate::document::words::{cost, thousands};

#[derive(Template)]
#[template(path = "sheet_sources.html", whitespace = "preserve")]
pub struct SourcesSheet {
    pub rows: Vec<SourceLine>,
}

pub struct SourceLine {
    id: String,
    title: String,
    address: Option<String>,
    host: String,
    gist: String,
    invented: bool,
    unreadable: bool,
    supports: Vec<String>,
    cited_by: Vec<SeatSign>,
}

impl SourcesSheet {
    pub fn of(sheet: &Sheet<'_>) -> Option<SourcesSheet> {
        let sources = &sheet.view.room.ledger.evidence;
        let rows: Vec<SourceLine> = sources.iter().map(|one| line(sheet, one)).collect();
        (!rows.is_empty()).then_some(SourcesSheet { rows })
    }
}

fn line(sheet: &Sheet<'_>, source: &Evidence) -> SourceLine {
    let mut seats: Vec<SeatId> = source.cited_by.iter().map(|cited| cited.seat).collect();
    seats.sort();
    seats.dedup();
    let url = source.url.as_deref().unwrap_or_default();
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let title = if source.title.trim().is_empty() { url } else { &source.title };
    SourceLine {
        id: source.id.to_string(),
        title: title.into(),
        address: web_address(url).filter(|_| !is_invented_address(url)),
        host: host.strip_prefix("www.").unwrap_or(host).into(),
        gist: source.gist.clone(),
        invented: is_invented_address(url),
        unreadable: source.unreadable,
        supports: source.supports.iter().map(ToString::to_string).collect(),
        cited_by: sheet.signs.seats(&seats),
    }
}

#[derive(Template)]
#[template(path = "sheet_cost.html", whitespace = "preserve")]
pub struct CostSheet {
    rows: Vec<SeatCost>,
    all: SeatCost,
}

struct SeatCost {
    sign: Option<SeatSign>,
    name: String,
    model: String,
    calls: u32,
    read: String,
    written: String,
    cost: String,
}

impl CostSheet {
    pub fn of(sheet: &Sheet<'_>) -> CostSheet {
        let room = sheet.view.room;
        let mut left = room.spent;
        let mut rows = Vec::new();
        for seat in &room.seats {
            let turns = room.rounds.iter().filter_map(|record| record.turn(seat.id));
            let gaps = room.rounds.iter().filter_map(|record| record.gap(seat.id));
            let model = room.brief.agents.get(seat.agent).map(|agent| agent.model.clone());
            let mut tally = Tally::default();
            turns
                .map(|turn: &Turn| &turn.bill)
                .chain(gaps.map(|gap| &gap.bill))
                .for_each(|bill: &Bill| tally.add(bill));
            left = minus(left, tally);
            let sign = Some(sheet.signs.seat(seat.id).small());
            rows.push(row(sign, seat.name.clone(), model.unwrap_or_default(), &tally));
        }
        if left.calls > 0 {
            let clerk = room.brief.clerk.as_ref().map(|clerk| clerk.model.clone());
            let name = "Clerk and repairs".to_owned();
            rows.push(row(None, name, clerk.unwrap_or_default(), &left));
        }
        CostSheet { rows, all: row(None, "All".into(), String::new(), &room.spent) }
    }
}

fn minus(all: Tally, part: Tally) -> Tally {
    let less = |a: Option<u64>, b: Option<u64>| a.map(|a| a.saturating_sub(b.unwrap_or(0)));
    let mut left = all;
    left.calls = all.calls.saturating_sub(part.calls);
    left.unpriced_calls = all.unpriced_calls.saturating_sub(part.unpriced_calls);
    left.cost.0 = all.cost.0.saturating_sub(part.cost.0);
    left.usage.input = less(all.usage.input, part.usage.input);
    left.usage.output = less(all.usage.output, part.usage.output);
    left
}

fn row(sign: Option<SeatSign>, name: String, model: String, tally: &Tally) -> SeatCost {
    let tokens = |count: Option<u64>| count.map_or_else(|| "–".into(), thousands);
    SeatCost {
        sign,
        name,
        model,
        calls: tally.calls,
        read: tokens(tally.usage.input),
        written: tokens(tally.usage.output),
        cost: cost(tally.calls, tally.cost, tally.unpriced_calls).unwrap_or_else(|| "–".into()),
    }
}
