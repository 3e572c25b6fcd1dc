//! A finished round in short. Without a clerk's summary it is extracted from the
//! structured fields, without a model. Either way every claim that was new or
//! contested in the round keeps its id.

use std::fmt::Write;

use crate::model::{
    AgentMoves, Ballot, Claim, ClaimId, ContestedClaim, KeyMove, Room, Round, RoundRecord,
    RoundSummary, Seat, SeatId, SummaryBy, ViewContents, clip, clip_and_count,
};

use super::view_text::{CountedLines, Cuts, ViewText};
use super::{ViewInputs, ids};

const ONE_LINER: usize = 35;
const NOTE: usize = 20;
const ARGUMENT: usize = 25;
/// The most that the heading costs.
const AROUND: usize = 16;
/// A line that is not cut.
const WHOLE: usize = usize::MAX;
/// The number of moves of one kind that are remembered for an agent.
const MOVES: usize = 2;

/// The summary of a round from its structured fields.
pub fn summarise(room: &Room, round: Round) -> RoundSummary {
    extract(room, round, &|text, most| clip(text, most).into_owned())
}

/// Shortens a foreign text: by `clip`, after hiding names in an anonymous view.
type ShortenText<'s> = &'s dyn Fn(&str, usize) -> String;

fn extract(room: &Room, round: Round, shorten: ShortenText<'_>) -> RoundSummary {
    let Some(record) = room.round(round) else {
        return RoundSummary {
            round,
            by: SummaryBy::Extraction,
            one_liner: String::new(),
            new_claims: Vec::new(),
            new_evidence: Vec::new(),
            decisions: Vec::new(),
            by_agent: Vec::new(),
            contested: Vec::new(),
        };
    };
    let decisions = room.ledger.decisions.iter().filter(|decision| decision.round == round);
    RoundSummary {
        round,
        by: SummaryBy::Extraction,
        one_liner: clip(&one_liner(record), ONE_LINER).into_owned(),
        new_claims: record.new_claims.clone(),
        new_evidence: record.new_evidence.clone(),
        decisions: decisions.map(|it| shorten(&it.text, ARGUMENT)).collect(),
        by_agent: room.seats.iter().filter_map(|seat| moves(room, record, seat, shorten)).collect(),
        contested: record
            .contested
            .iter()
            .map(|id| both_sides(room, record, *id, shorten))
            .collect(),
    }
}

fn one_liner(record: &RoundRecord) -> String {
    let answered = record.answered().count();
    let mut out = format!("{answered} of {} answered", record.turns.len());
    let _ = write!(out, "; {} new claims", record.new_claims.len());
    let _ = write!(out, ", {} contested", record.contested.len());
    for ballot in [Ballot::Accept, Ballot::Minor, Ballot::Blocker] {
        let votes = record.answered().filter_map(|turn| turn.answer.vote.as_ref());
        match votes.filter(|vote| vote.ballot == ballot).count() {
            0 => {}
            count => {
                let _ = write!(out, "; {count} {}", ballot.word());
            }
        }
    }
    out
}

fn moves(
    room: &Room,
    record: &RoundRecord,
    seat: &Seat,
    shorten: ShortenText<'_>,
) -> Option<AgentMoves> {
    let mut moves = AgentMoves {
        seat: seat.id,
        stance: None,
        confidence: None,
        confidence_delta: None,
        vote: None,
        key_moves: Vec::new(),
    };
    let Some(turn) = record.turn(seat.id) else {
        let gap = record.gap(seat.id)?;
        let note = gap.class.word().to_owned();
        moves.key_moves.push(KeyMove { kind: "gap".into(), claim: None, note });
        return Some(moves);
    };
    moves.stance = turn.answer.stance;
    moves.confidence = turn.answer.confidence;
    moves.confidence_delta = turn.confidence_change.as_ref().map(|change| change.delta);
    moves.vote = turn.answer.vote.as_ref().map(|vote| vote.ballot);
    let retracted: Vec<ClaimId> =
        turn.answer.claims.iter().flat_map(|claim| &claim.retracts).copied().collect();
    let touched = record.touched.get(seat.id.index());
    let rows = [
        ("claim", touched.map_or(&[][..], |touched| &touched.introduced)),
        ("oppose", touched.map_or(&[][..], |touched| &touched.challenged)),
        ("retract", &retracted),
        ("support", touched.map_or(&[][..], |touched| &touched.reinforced)),
    ];
    for (kind, claims) in rows {
        for id in claims.iter().take(MOVES) {
            let text = room.ledger.claim(*id).map_or("", |claim| &claim.text);
            let note = shorten(text, NOTE);
            moves.key_moves.push(KeyMove { kind: kind.into(), claim: Some(*id), note });
        }
    }
    Some(moves)
}

/// The best argument for and against a contested claim.
fn both_sides(
    room: &Room,
    record: &RoundRecord,
    id: ClaimId,
    shorten: ShortenText<'_>,
) -> ContestedClaim {
    let strongest = |ids: &[ClaimId]| {
        let claims = ids.iter().filter_map(|id| room.ledger.claim(*id));
        let best = claims.max_by(|one, other| one.strength.total_cmp(&other.strength));
        best.map(|claim: &Claim| claim.text.as_str())
    };
    let claim = room.ledger.claim(id);
    let pro = claim.and_then(|claim| strongest(&claim.supported_by));
    let con = claim.and_then(|claim| strongest(&claim.opposition));
    let critiques = || record.answered().flat_map(|turn| &turn.answer.critiques);
    let critique = || critiques().find(|it| it.claim == id).map(|it| it.text.as_str());
    let own = || claim.map(|claim| claim.text.as_str());
    ContestedClaim {
        claim: id,
        best_pro: shorten(pro.or_else(own).unwrap_or_default(), ARGUMENT),
        best_con: shorten(con.or_else(critique).unwrap_or_default(), ARGUMENT),
    }
}

/// The lines of a summary: the same for all who may read them.
#[derive(Debug)]
pub(super) struct SummaryLines {
    one_liner: SummaryLine,
    /// The ids of the round.
    contested: SummaryLine,
    claims: SummaryLine,
    sources: SummaryLine,
    decisions: Vec<SummaryLine>,
    agents: Vec<AgentLine>,
    /// The best argument for and against each contested claim.
    both_sides: Vec<SummaryLine>,
}

#[derive(Debug)]
struct AgentLine {
    seat: SeatId,
    /// True if an answer stands behind it, or anything else that may be shown without names.
    answered: bool,
    /// In a named view with the seat's name, otherwise without it: there each reader knows
    /// the seat by another name.
    line: SummaryLine,
}

/// A line with its cost, without the line break that ends it.
#[derive(Debug)]
struct SummaryLine {
    line: CountedLines,
    cost: usize,
    cuts: Cuts<SummaryLine>,
}

impl SummaryLine {
    /// A line that is cut to `most` tokens for all readers.
    fn of(text: &str, most: usize) -> SummaryLine {
        let (text, units) = clip_and_count(text, most);
        let line = CountedLines::line(&text, units);
        SummaryLine { line, cost: units.tokens(), cuts: Cuts::default() }
    }

    fn text(&self) -> &str {
        self.line.text().strip_suffix('\n').unwrap_or_default()
    }
}

/// Writes the summary of a round, by the clerk or by extraction, within the
/// budget.
pub(super) fn write(
    desk: &ViewInputs<'_>,
    record: &RoundRecord,
    out: &mut ViewText<'_>,
    shown: &mut ViewContents,
) {
    let lines =
        desk.shared.summaries.get(record.number, &desk.names, || SummaryLines::of(desk, record));
    let start = out.len();
    let _ = writeln!(out, "\n# Round {}, in short", record.number);
    out.open_fence("summary");
    let inside = out.len();
    let mut page =
        LineBudget { left: desk.budget.summary.saturating_sub(desk.fence_cost + AROUND), cut: 0 };
    page.line(out, &lines.one_liner, WHOLE);
    // At most half of the space, because all of them stand in the state as well.
    page.line(out, &lines.contested, page.left / 2);
    page.line(out, &lines.claims, page.left / 3);
    page.line(out, &lines.sources, page.left / 3);
    for decision in &lines.decisions {
        page.line(out, decision, WHOLE);
    }
    write_agents(desk, &mut page, record, &lines, out);
    for contested in &lines.both_sides {
        page.line(out, contested, WHOLE);
    }
    let empty = out.len() == inside;
    out.close_fence();
    // Every line was counted; only a window too small for the fence itself can
    // have been exceeded.
    let crowded = desk.budget.summary < desk.fence_cost + AROUND;
    if empty || crowded && out.tokens_from(start) > desk.budget.summary {
        // The window is too small for a fence: the state must do.
        out.truncate(start);
        shown.left_out.push(format!("round {}", record.number));
        return;
    }
    shown.summaries.push(record.number);
    if page.cut > 0 {
        shown.left_out.push(format!("details of round {}", record.number));
    }
}

/// The tokens left for lines, and the number of lines that found no space.
struct LineBudget {
    left: usize,
    cut: usize,
}

impl LineBudget {
    /// Writes a line, cut to `most` tokens, if there is space for it.
    fn line(&mut self, out: &mut ViewText<'_>, line: &SummaryLine, most: usize) {
        if line.cost > most {
            let cut = line.cuts.get(most, || SummaryLine::of(line.text(), most));
            self.whole(out, &cut);
        } else {
            self.whole(out, line);
        }
    }

    fn whole(&mut self, out: &mut ViewText<'_>, line: &SummaryLine) {
        if line.text().is_empty() {
            return;
        }
        match self.left.checked_sub(line.cost + 1) {
            Some(left) => {
                self.left = left;
                out.push_lines(&line.line);
            }
            None => self.cut += 1,
        }
    }
}

fn write_agents(
    desk: &ViewInputs<'_>,
    page: &mut LineBudget,
    record: &RoundRecord,
    lines: &SummaryLines,
    out: &mut ViewText<'_>,
) {
    let mut seats: Vec<_> =
        lines.agents.iter().map(|moves| moves.seat).filter(|seat| desk.sees(*seat)).collect();
    desk.names.arrange(record.number, &mut seats);
    let of = |seat| lines.agents.iter().find(|moves| moves.seat == seat);
    let agents: Vec<&AgentLine> = seats.into_iter().filter_map(of).collect();
    // An equal part for each, so that the last one listed is not always the one
    // cut.
    let each = (page.left * 2 / 3 / agents.len().max(1)).max(12);
    for agent in agents {
        if !desk.names.anonymous() {
            page.line(out, &agent.line, each);
        } else if agent.answered {
            // A gap would reveal its seat; gaps are counted in the state.
            let name = desk.names.seat(record.number, agent.seat);
            page.whole(out, &SummaryLine::of(&format!("{name}{}", agent.line.text()), each));
        }
    }
}

impl SummaryLines {
    fn of(desk: &ViewInputs<'_>, record: &RoundRecord) -> SummaryLines {
        let extracted;
        // A name must be hidden before a cut could halve it, so a stored extract is
        // made again in an anonymous view.
        let stored = record.summary.as_ref();
        let stored = stored.filter(|it| it.by == SummaryBy::Clerk || !desk.names.anonymous());
        let summary = match stored {
            Some(summary) => summary,
            None => {
                let shorten = |text: &str, most| clip(&desk.names.line(text), most).into_owned();
                extracted = extract(desk.room, record.number, &shorten);
                &extracted
            }
        };
        let new = [&*summary.new_claims, &*record.new_claims].concat();
        let of_summary = summary.contested.iter().map(|contested| contested.claim);
        let contested: Vec<ClaimId> = of_summary.chain(record.contested.iter().copied()).collect();
        let evidence = [&*summary.new_evidence, &*record.new_evidence].concat();
        let decision = |text: &String| {
            let text = desk.names.line(text);
            SummaryLine::of(&format!("Decided: {}", clip(&text, ARGUMENT)), WHOLE)
        };
        SummaryLines {
            one_liner: SummaryLine::of(&desk.names.line(&summary.one_liner), ONE_LINER),
            contested: id_line("Contested: ", &contested),
            claims: id_line("New claims: ", &new),
            sources: id_line("New sources: ", &evidence),
            decisions: summary.decisions.iter().map(decision).collect(),
            agents: summary.by_agent.iter().map(|it| AgentLine::of(desk, record, it)).collect(),
            both_sides: summary.contested.iter().map(|it| sides_line(desk, it)).collect(),
        }
    }
}

/// Names the ids of the round: those in the summary and those it should have had.
fn id_line<I: ids::LetteredId>(word: &str, ids: &[I]) -> SummaryLine {
    let mut line = String::new();
    if !ids.is_empty() {
        line.push_str(word);
        ids::write_runs(&mut line, ids);
    }
    SummaryLine::of(&line, WHOLE)
}

fn sides_line(desk: &ViewInputs<'_>, contested: &ContestedClaim) -> SummaryLine {
    let (pro, con) = (desk.names.line(&contested.best_pro), desk.names.line(&contested.best_con));
    let mut line = format!("{} for: {}", contested.claim, clip(&pro, ARGUMENT));
    if !con.is_empty() {
        let _ = write!(line, " | against: {}", clip(&con, ARGUMENT));
    }
    SummaryLine::of(&line, WHOLE)
}

impl AgentLine {
    fn of(desk: &ViewInputs<'_>, record: &RoundRecord, moves: &AgentMoves) -> AgentLine {
        let anonymous = desk.names.anonymous();
        let mut line = String::with_capacity(160);
        if !anonymous {
            line.push_str(&desk.names.seat(record.number, moves.seat));
        }
        line.push(':');
        if let Some(stance) = moves.stance {
            let _ = write!(line, " {}", stance.word());
        }
        if let Some(confidence) = moves.confidence {
            let _ = write!(line, " {confidence:.2}");
        }
        if let Some(delta) = moves.confidence_delta {
            let _ = write!(line, " ({delta:+.2})");
        }
        if let Some(vote) = moves.vote {
            let _ = write!(line, " {}", vote.word());
        }
        let told = |step: &&KeyMove| step.claim.is_none_or(|id| desk.tells(record, id));
        let fresh = moves.key_moves.iter().filter(|step| !told(step));
        for step in fresh.chain(moves.key_moves.iter().filter(told)) {
            // The first author of a claim would reveal the order of the seats.
            let kind = match (anonymous, step.kind.as_str()) {
                (true, "claim") => "support",
                (_, kind) => kind,
            };
            let _ = write!(line, "; {}", desk.names.line(kind));
            if let Some(claim) = step.claim.filter(|_| told(&step)) {
                let _ = write!(line, " {claim}");
            }
            let _ = write!(line, " {}", clip(&desk.names.line(&step.note), NOTE));
        }
        let answered = moves.confidence.is_some()
            || moves.vote.is_some()
            || !moves.key_moves.iter().all(|step| step.kind == "gap");
        AgentLine { seat: moves.seat, answered, line: SummaryLine::of(&line, WHOLE) }
    }
}
