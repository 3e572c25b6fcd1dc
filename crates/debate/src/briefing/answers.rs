//! The answers of one round: in full if they fit, otherwise long ones cut first,
//! and as one line each if even that is too much. An answer always keeps its
//! vote, its confidence and the ids of its claims; in anonymous views only the
//! ids that are older than the answer.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::Write;
use std::rc::Rc;

use crate::model::{
    Choice, Critique, CritiqueOutcome, EvidenceId, Round, RoundRecord, SeatId, ShownAnswer,
    Strength, TokenUnits, Turn, ViewContents, clip, counted, tokens,
};
use crate::sorting::SortRows;

use super::view_text::{CountedLines, Cuts, ViewText};
use super::{ViewInputs, budget, ids, state, statistics};

/// The least an answer's own words get before all answers become single lines.
const LEAST_WORDS: usize = 40;
/// A part shortened to fewer tokens than this says nothing and is dropped.
const LEAST_PART: usize = 6;
/// The most that heading and statistics cost.
const HEADING: usize = 110;
const SOURCES: usize = 12;

/// The answers of one round that a reader is shown.
pub(super) struct RoundBlock<'a> {
    record: &'a RoundRecord,
    entries: Vec<AnswerEntry<'a>>,
    fence_cost: usize,
    anonymous: bool,
}

struct AnswerEntry<'a> {
    seat: SeatId,
    name: Cow<'a, str>,
    /// Role and marks, which follow the name.
    title: String,
    body: Rc<AnswerBody>,
    head_size: usize,
}

/// What an answer says, and the facts about it: the same for all who may read it.
#[derive(Debug)]
pub(super) struct AnswerBody {
    /// Vote, confidence, claims and other facts the program knows.
    facts: CountedLines,
    facts_size: usize,
    /// The agent's own words.
    parts: Vec<AnswerPart>,
    /// All parts with their titles; made for the first reader who is shown all of them.
    whole: OnceCell<CountedLines>,
    size: usize,
    /// True if it is so short that its bytes are taken for tokens, which is never too little.
    light: bool,
}

#[derive(Debug)]
struct AnswerPart {
    title: &'static str,
    text: String,
    size: usize,
    /// The cost of the text alone, once it is asked for.
    units: OnceCell<TokenUnits>,
    cuts: Cuts<CountedLines>,
}

impl<'a> RoundBlock<'a> {
    pub fn prepare(
        desk: &ViewInputs<'a>,
        record: &'a RoundRecord,
        seats: &[SeatId],
        rebut: Option<SeatId>,
    ) -> RoundBlock<'a> {
        let entries = seats
            .iter()
            .filter_map(|seat| record.turn(*seat))
            .map(|turn| AnswerEntry::of(desk, record, turn, rebut))
            .collect();
        let anonymous = desk.names.anonymous();
        RoundBlock { record, entries, fence_cost: desk.fence_cost, anonymous }
    }

    pub fn round(&self) -> Round {
        self.record.number
    }

    /// Returns the cost of showing everything.
    pub fn need(&self) -> usize {
        HEADING + self.needs().iter().sum::<usize>()
    }

    fn needs(&self) -> Vec<usize> {
        let need = |entry: &AnswerEntry<'_>| entry.head_size + entry.body.size + self.fence_cost;
        self.entries.iter().map(need).collect()
    }

    pub fn write(
        &self,
        desk: &ViewInputs<'_>,
        share: usize,
        out: &mut ViewText<'_>,
        shown: &mut ViewContents,
    ) {
        let round = self.record.number;
        if round == desk.round {
            let _ = writeln!(out, "\n# Round {round} so far");
        } else {
            let _ = writeln!(out, "\n# Round {round}, the one before");
            if desk.plan.view.statistics {
                let figures = || CountedLines::new(statistics::of(self.record));
                out.push_lines(&desk.shared.figures.get(round, &desk.names, figures));
            }
        }
        if self.entries.is_empty() {
            out.push_str("Nobody whom you may hear has answered in it.\n");
            return;
        }
        let left = share.saturating_sub(HEADING);
        let shares = budget::share(&self.needs(), left);
        let poor = self.entries.iter().zip(&shares).any(|(entry, share)| {
            let least = entry.body.size.min(LEAST_WORDS) + entry.head_size + self.fence_cost;
            *share < least
        });
        for entry in &self.entries {
            shown.answers.push(ShownAnswer { round, seat: entry.seat });
        }
        if self.anonymous {
            // The list of shown answers is for the program; its order tells
            // nothing.
            let from = shown.answers.len() - self.entries.len();
            shown
                .answers
                .get_mut(from..)
                .unwrap_or_default()
                .sort_rows_by_key(|answer| answer.seat);
        }
        if poor {
            self.write_lines(desk, left, out);
            shown.left_out.push(format!("the reasoning of round {round}"));
            return;
        }
        let mut shortened = 0;
        for (entry, share) in self.entries.iter().zip(shares) {
            let words = share.saturating_sub(entry.head_size + self.fence_cost);
            shortened += usize::from(entry.body.size > words);
            entry.write(words, out);
        }
        if shortened > 0 {
            shown
                .left_out
                .push(format!("parts of {} of round {round}", counted(shortened, "answer")));
        }
    }

    /// Every answer as one line in one fence.
    fn write_lines(&self, desk: &ViewInputs<'_>, left: usize, out: &mut ViewText<'_>) {
        let head =
            |it: &AnswerEntry<'_>| format!("{}: {}", it.name, it.body.facts.text().trim_end());
        let heads: Vec<String> = self.entries.iter().map(head).collect();
        let left = left.saturating_sub(self.fence_cost);
        let each = left / self.entries.len().max(1);
        out.open_fence("answers in short");
        for (entry, head) in self.entries.iter().zip(&heads) {
            // The figures come first, but a third is kept for the words.
            let kept = each / 3 * usize::from(!entry.body.parts.is_empty());
            let head = clip(head, each - kept);
            out.push_str(&head);
            let room = each.saturating_sub(tokens(&head) + 1);
            if let Some(position) = entry.body.parts.first().filter(|_| room >= LEAST_PART) {
                let _ = write!(out, " {}", clip(&desk.fence.one_line(&position.text), room));
            }
            out.push_str("\n");
        }
        out.close_fence();
    }
}

impl<'a> AnswerEntry<'a> {
    fn of(
        desk: &ViewInputs<'a>,
        record: &RoundRecord,
        turn: &Turn,
        rebut: Option<SeatId>,
    ) -> AnswerEntry<'a> {
        let seat = turn.seat;
        let name = desk.names.seat(record.number, seat);
        let mut title = String::new();
        if !desk.names.anonymous() {
            let _ = write!(title, " ({}", desk.fence.one_line(&turn.role));
            title.push_str(if seat == desk.seat { ", you)" } else { ")" });
        }
        title.push_str(if rebut == Some(seat) { ": the answer to rebut" } else { "" });
        let made = || AnswerBody::of(desk, record, turn);
        let body = desk.shared.answers.get((record.number, seat), &desk.names, made);
        let of_name = size_of(&name, body.light) + size_of(&title, body.light);
        let head_size = of_name + body.facts_size + 6;
        AnswerEntry { seat, name, title, body, head_size }
    }

    fn write(&self, words: usize, out: &mut ViewText<'_>) {
        let _ = writeln!(out, "## {}{}", self.name, self.title);
        out.push_lines(&self.body.facts);
        out.open_fence("answer");
        let start = out.len();
        if self.body.size <= words {
            out.push_lines(self.body.whole());
        } else {
            self.body.write_shortened(words, out);
        }
        if out.len() > start {
            out.close_fence();
        } else {
            out.close_empty_fence();
        }
    }
}

impl AnswerBody {
    fn of(desk: &ViewInputs<'_>, record: &RoundRecord, turn: &Turn) -> AnswerBody {
        let facts = CountedLines::new(facts(desk, record, turn.seat, turn));
        let mut parts = parts(desk, turn);
        let bytes: usize = parts.iter().map(|part| part.text.len()).sum();
        let light = bytes <= 400;
        for part in &mut parts {
            let size = if light { part.text.len() } else { part.units().tokens() };
            part.size = size + tokens(part.title) + 2;
        }
        AnswerBody {
            facts_size: if light { facts.text().len() } else { facts.tokens() },
            facts,
            size: parts.iter().map(|part| part.size).sum(),
            parts,
            whole: OnceCell::new(),
            light,
        }
    }

    fn whole(&self) -> &CountedLines {
        self.whole.get_or_init(|| {
            let mut whole = String::with_capacity(self.size + 24 * self.parts.len());
            for part in &self.parts {
                let _ = writeln!(whole, "{}: {}", part.title, part.text);
            }
            whole.truncate(whole.trim_end().len());
            if !whole.is_empty() {
                whole.push('\n');
            }
            let lines = self.parts.iter().map(AnswerPart::line_units);
            match lines.sum::<Option<TokenUnits>>() {
                Some(units) => CountedLines::with_units(whole, units),
                None => CountedLines::new(whole),
            }
        })
    }

    /// The position first, then all else with the long parts cut first.
    fn write_shortened(&self, words: usize, out: &mut ViewText<'_>) {
        let Some((position, rest)) = self.parts.split_first() else { return };
        let first = position.size.min((words / 3).max(LEAST_WORDS)).min(words);
        let needs: Vec<usize> = rest.iter().map(|part| part.size).collect();
        let shares = budget::share(&needs, words - first);
        for (part, share) in self.parts.iter().zip(std::iter::once(first).chain(shares)) {
            let room = share.saturating_sub(tokens(part.title) + 2);
            if room >= LEAST_PART {
                // More room than the text needs makes no other cut.
                let room = room.min(part.units().tokens());
                let cut =
                    || CountedLines::new(format!("{}: {}\n", part.title, clip(&part.text, room)));
                out.push_lines(&part.cuts.get(room, cut));
            }
        }
    }
}

impl AnswerPart {
    fn units(&self) -> TokenUnits {
        *self.units.get_or_init(|| TokenUnits::of(&self.text))
    }

    /// The cost of the text behind its title and a colon, as lines of their own; `None` if it is
    /// not the sum of both.
    fn line_units(&self) -> Option<TokenUnits> {
        TokenUnits::of(self.title).and_behind_colon(&self.text, self.units())
    }
}

/// Returns the cost of a text of an answer; in a light one its bytes are taken for tokens.
fn size_of(text: &str, light: bool) -> usize {
    if light { text.len() } else { tokens(text) }
}

fn facts(desk: &ViewInputs<'_>, record: &RoundRecord, seat: SeatId, turn: &Turn) -> String {
    let mut out = String::with_capacity(160);
    out.push_str(&state::standing(desk, record.number, turn));
    if let Some(touched) = record.touched.get(seat.index()) {
        let named = !desk.names.anonymous();
        let rows = [
            ("claims", &touched.introduced),
            ("backs", &touched.reinforced),
            ("challenges", &touched.challenged),
        ];
        for (word, row) in rows {
            let row: Vec<_> = row.iter().filter(|id| desk.tells(record, **id)).copied().collect();
            if !row.is_empty() {
                let _ = write!(out, "; {word} ");
                ids::write_runs(&mut out, &row);
            }
        }
        let old = |id: &&EvidenceId| named || !record.new_evidence.contains(id);
        let sources: Vec<_> = touched.citations_used.iter().filter(old).copied().collect();
        if !sources.is_empty() {
            out.push_str("; sources ");
            ids::write_runs(&mut out, &sources);
        }
        if named {
            for (place, other) in touched.replies_to.iter().enumerate() {
                out.push_str(if place == 0 { "; replies to " } else { ", " });
                out.push_str(&desk.names.seat(record.number, *other));
            }
        }
    }
    write_tools(desk, turn, &mut out);
    if turn.cut_off {
        out.push_str("; cut off by the output limit");
    }
    if turn.answer.unstructured {
        out.push_str("; without structure");
    }
    out.push('\n');
    out
}

/// Writes the number of calls of each tool.
fn write_tools(desk: &ViewInputs<'_>, turn: &Turn, out: &mut String) {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for call in &turn.tool_calls {
        match counts.iter_mut().find(|(tool, _)| *tool == call.tool) {
            Some((_, count)) => *count += 1,
            None => counts.push((&call.tool, 1)),
        }
    }
    for (place, (tool, count)) in counts.iter().take(6).enumerate() {
        out.push_str(if place == 0 { "; tools " } else { ", " });
        // A tool's name stands outside the fence, so it must look like one.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let tool = if tool.len() <= 40 && tool.bytes().all(plain) { tool } else { "unknown" };
        let _ = write!(out, "{} x{count}", desk.names.line(tool));
    }
}

/// The agent's own words, the position first.
fn parts(desk: &ViewInputs<'_>, turn: &Turn) -> Vec<AnswerPart> {
    let answer = &turn.answer;
    let mut parts = Vec::with_capacity(6);
    let mut push = |title, text: Cow<'_, str>| {
        if !text.is_empty() {
            let (text, units, cuts) = (text.into_owned(), OnceCell::new(), Cuts::default());
            parts.push(AnswerPart { title, text, size: 0, units, cuts });
        }
    };
    push("Position", desk.names.text(&answer.position));
    match &answer.answer {
        Some(Choice::Option(option)) => push("Answer", desk.names.line(option)),
        Some(Choice::Number(value)) => push("Answer", Cow::Owned(value.to_string())),
        Some(Choice::Probability(value)) => {
            push("Answer", Cow::Owned(format!("probability {value}")));
        }
        None => {}
    }
    if let Some(objection) = answer.vote.as_ref().and_then(|vote| vote.objection.as_deref()) {
        push("Objection", desk.names.text(objection));
    }
    if let Some(reason) = answer.confidence_reason.as_deref() {
        push("Why this confidence", desk.names.text(reason));
    }
    if !answer.key_points.is_empty() {
        push("Key points", desk.names.text(&answer.key_points.join("; ")));
    }
    if !answer.critiques.is_empty() {
        push("Critiques", Cow::Owned(critiques(desk, &answer.critiques)));
    }
    push("Reasoning", desk.names.text(&answer.reasoning));
    if !answer.citations.is_empty() {
        let mut list = String::new();
        for citation in answer.citations.iter().take(SOURCES) {
            let place = citation.url.as_ref().or(citation.source.as_ref());
            let place = place.map_or("", String::as_str);
            let _ = write!(list, "[{}] {} {place}; ", citation.number, citation.title);
        }
        let list = list.trim_end_matches("; ");
        push("Citations", desk.names.line(list));
    }
    parts
}

fn critiques(desk: &ViewInputs<'_>, critiques: &[Critique]) -> String {
    let mut out = String::new();
    for critique in critiques {
        let strength = match critique.strength {
            Strength::High => "high",
            Strength::Medium => "medium",
            Strength::Low => "low",
        };
        let outcome = match critique.outcome {
            CritiqueOutcome::Alternative => "alternative",
            CritiqueOutcome::Synthesis => "synthesis",
            CritiqueOutcome::Concession => "concession",
        };
        let kind = critique.evidence_type.word();
        let _ = write!(out, "\non {} ({kind} {strength}; {outcome}): ", critique.claim);
        out.push_str(&desk.names.line(&critique.text));
        if let Some(counter) = &critique.counter_evidence {
            let _ = write!(out, " Counter-evidence: {}", desk.names.line(counter));
        }
    }
    out
}
