//! The parts of the live page, each drawn by itself: the head, what agents ask, a tile
//! per seat, where it stands, the rounds and the controls.

use askama::Template;
use debate::Debate;
use debate::model::{
    ClaimStatus, MicroUsd, PauseReason, Priority, Room, RoundRecord, SeatNaming, Status, counted,
};
use engine::background::host::RunsWhere;
use engine::clock;
use engine::export::notices::is_example;
use std::time::Instant;

use super::seats::LiveSeats;
use super::stand::StandPart;
use crate::document::Labels;
use crate::document::escape::clean_line;
use crate::report::debate::ReportedDebate;
use crate::report::sheet::signs::{IconSign, SeatSign, ShareBar, TableSigns, icon, percent};
use crate::report::sheet::{RoundSheet, Sheet};
use crate::terminal::live::table::{LiveSeat, SeatActivity};

/// Everything in the room that a round's block shows and that can still change. A block
/// whose traits are the same is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTraits {
    answers: usize,
    gaps: usize,
    remarks: usize,
    claims: usize,
    summed_up: bool,
    closed: bool,
    /// Claims that were withdrawn, in whatever round.
    withdrawn: usize,
}

impl RoundTraits {
    fn of(room: &Room, record: &RoundRecord, withdrawn: usize) -> RoundTraits {
        RoundTraits {
            answers: record.answered().count(),
            gaps: record.gaps.len(),
            remarks: room.remarks.iter().filter(|one| one.round == record.number).count(),
            claims: record.new_claims.len(),
            summed_up: record.summary.is_some(),
            closed: record.closed,
            withdrawn,
        }
    }
}

/// Draws all parts, by name. `rounds` keeps the traits of the rounds that were drawn;
/// one that has not changed since is left out.
pub fn parts(
    id: &str,
    debate: &Debate,
    seats: &LiveSeats,
    attended: RunsWhere,
    rounds: &mut Vec<RoundTraits>,
) -> Vec<(String, String)> {
    let room = debate.room();
    let view = ReportedDebate::of_room(id, room);
    let mut sheet = Sheet::new(&view, true);
    let plan = debate::modes::find(&room.brief.mode);
    let anonymous = plan.is_some_and(|plan| plan.view.naming == SeatNaming::Anonymous);
    if anonymous {
        sheet.signs = TableSigns::masked(room);
    }
    let labels = Labels::of(&room.brief);
    let drawn = |name: &str, html: askama::Result<String>| {
        // Writing to memory cannot fail.
        let html = html.unwrap_or_default();
        (name.to_owned(), labels.map_or_else(|| html.clone(), |labels| labels.html(&html)))
    };
    let mut parts = vec![
        drawn("live-head", HeadPart::of(room, attended).render()),
        drawn("live-asks", AsksPart::of(id, room, &sheet.signs, attended).render()),
    ];
    for (index, place) in seats.places().iter().enumerate() {
        let tile =
            SeatTile::of(id, debate, &sheet.signs, index, place, seats, (anonymous, attended));
        parts.push(drawn(&format!("seat-{}", index + 1), tile.render()));
    }
    parts.push(drawn("live-stand", StandPart::of(room, &sheet.signs).render()));
    let withdrawn = room.ledger.with_status(ClaimStatus::Retracted).count();
    for (index, record) in room.rounds.iter().enumerate() {
        let traits = RoundTraits::of(room, record, withdrawn);
        if rounds.get(index) == Some(&traits) {
            continue;
        }
        let block = RoundSheet::of(&sheet, record);
        parts.push(drawn(&format!("r{}", record.number), block.render()));
        rounds.truncate(index);
        rounds.push(traits);
    }
    parts.push(drawn("live-controls", ControlsPart::of(id, room, attended).render()));
    parts
}

#[derive(Template)]
#[template(path = "live_head.html", whitespace = "preserve")]
struct HeadPart {
    topic: String,
    look: &'static str,
    word: &'static str,
    icon: IconSign,
    steps: Vec<&'static str>,
    round: String,
    cost: String,
    limit: String,
    bar: ShareBar,
    forecast: String,
}

/// The pill of a debate that is not over.
fn pill(room: &Room, attended: RunsWhere) -> (&'static str, &'static str, IconSign) {
    if room.open_requests().next().is_some() {
        return ("check", "NEEDS YOU", icon("ask"));
    }
    match (&room.status, attended) {
        (Status::Paused { .. }, RunsWhere::Draining) => ("off", "PAUSING", icon("pause")),
        (Status::Paused { .. }, _) => ("off", "PAUSED", icon("pause")),
        (_, RunsWhere::Queued) => ("off", "WAITS", icon("clock")),
        (Status::Active, RunsWhere::Nowhere) => ("check", "CUT OFF", icon("cut")),
        (Status::Created, RunsWhere::Nowhere) => ("off", "NOT STARTED", icon("clock")),
        (Status::Completed { .. }, _) => ("go", "FINISHED", icon("go")),
        (Status::Error { .. }, _) => ("und", "FAILED", icon("no")),
        _ => ("live", "RUNNING", icon("live")),
    }
}

impl HeadPart {
    fn of(room: &Room, attended: RunsWhere) -> HeadPart {
        let (look, word, icon) = pill(room, attended);
        let current = room.rounds.len() as u32;
        let rounds = room.brief.rounds.max(current);
        let closed = room.rounds.iter().filter(|record| record.closed).count() as u32;
        let step = |number: u32| match number {
            done if done <= closed => "f",
            now if now == current => "h",
            _ => "",
        };
        let spent = room.spent.cost;
        let typical = (closed > 0 && spent > MicroUsd::ZERO)
            .then(|| MicroUsd(spent.0 * u64::from(rounds) / u64::from(closed)));
        let share = |part: MicroUsd, whole: MicroUsd| part.0 as f64 / (whole.0 as f64).max(1.0);
        let most = room.brief.budget.or(typical).unwrap_or(MicroUsd(spent.0.saturating_mul(2)));
        let mut bar = ShareBar::of(share(spent, most));
        if let (Some(budget), Some(typical)) = (room.brief.budget, typical) {
            bar = bar.tick(share(typical, budget));
        }
        HeadPart {
            topic: room.brief.topic.clone(),
            look,
            word,
            icon,
            steps: (1..=rounds.min(20)).map(step).collect(),
            round: match (current, if is_example(&room.brief) { "Scripted example · " } else { "" })
            {
                (0, label) => format!("{label}{} planned", counted(rounds as usize, "round")),
                (current, label) => format!("{label}Round {current} of {rounds}"),
            },
            cost: match room.spent.unpriced_calls {
                0 => spent.to_string(),
                some => format!("{spent} and {} without a price", counted(some as usize, "call")),
            },
            limit: room.brief.budget.map(|budget| format!(" of {budget}")).unwrap_or_default(),
            bar,
            forecast: typical
                .map(|typical| format!("About {typical} when it ends"))
                .unwrap_or_default(),
        }
    }
}

#[derive(Template)]
#[template(path = "live_asks.html", whitespace = "preserve")]
struct AsksPart {
    id: String,
    asks: Vec<AskBanner>,
    notice: Option<LiveNotice>,
}

struct AskBanner {
    request: String,
    sign: SeatSign,
    question: String,
    why: String,
    required: bool,
}

/// A lasting message above the seats, with what to do.
struct LiveNotice {
    look: &'static str,
    icon: IconSign,
    title: String,
    text: String,
    /// True if the limit can be raised here.
    budget: bool,
    /// True if it can be tried again here.
    again: bool,
}

impl AsksPart {
    fn of(id: &str, room: &Room, signs: &TableSigns, attended: RunsWhere) -> AsksPart {
        let ask = |request: &debate::model::ContextRequest| AskBanner {
            request: request.id.to_string(),
            sign: signs.seat(request.seat).small(),
            question: request.question.clone(),
            why: request.why.clone(),
            required: request.priority == Priority::Required,
        };
        AsksPart {
            id: id.into(),
            asks: room.open_requests().filter(|it| !it.is_turn).map(ask).collect(),
            notice: notice(room, attended),
        }
    }
}

fn notice(room: &Room, attended: RunsWhere) -> Option<LiveNotice> {
    let made = |look, icon, title: &str, text: String, budget| {
        let again = lost_quorum(room);
        Some(LiveNotice { look, icon, title: title.into(), text, budget, again })
    };
    match &room.status {
        Status::Paused { reason: PauseReason::NeedsContext { .. } } => None,
        Status::Paused { reason: PauseReason::Asked } => made(
            "",
            icon("pause"),
            "Paused.",
            "Everything that was answered is kept.".into(),
            false,
        ),
        Status::Paused { reason: reason @ PauseReason::Budget { .. } } => {
            let title = "Paused before the next call, which could pass the limit.";
            made("warn", icon("check"), title, reason.sentence(), true)
        }
        Status::Paused { reason } => {
            made("fail", icon("pause"), "Paused.", reason.sentence(), false)
        }
        Status::Active if attended == RunsWhere::Nowhere => {
            let text = "Nothing that was answered is lost. Go on to pick up where it left off.";
            made(
                "warn",
                icon("cut"),
                "The process that ran this debate has ended.",
                text.into(),
                false,
            )
        }
        _ if attended == RunsWhere::Elsewhere => {
            let text = "It runs in another process; this page follows it and can steer it.";
            made("info", icon("live"), "Live from elsewhere.", text.into(), false)
        }
        _ if attended == RunsWhere::Queued => {
            made("", icon("clock"), "It waits for other debates to end.", String::new(), false)
        }
        _ => None,
    }
}

#[derive(Template)]
#[template(path = "live_seat.html", whitespace = "preserve")]
struct SeatTile {
    id: String,
    number: usize,
    sign: SeatSign,
    name: String,
    model: String,
    look: &'static str,
    icon: IconSign,
    state: String,
    /// Milliseconds since 1970, while a time is counted.
    since: i64,
    until: i64,
    writing: bool,
    note: String,
    steps: Vec<String>,
    before: String,
    answer: String,
    read: String,
    footer: String,
    /// True if the round can be tried again now.
    again: bool,
    /// True if the seat may be dropped.
    drop: bool,
    /// The turn of the person who sits here, where they are asked now.
    turn: Option<PersonsTurn>,
}

/// The form in which a person answers for their own seat.
struct PersonsTurn {
    request: String,
    question: String,
    why: String,
}

impl PersonsTurn {
    fn of(request: &debate::model::ContextRequest) -> PersonsTurn {
        PersonsTurn {
            request: request.id.to_string(),
            question: request.question.clone(),
            why: request.why.clone(),
        }
    }
}

/// The look, the icon and the word of what a seat does; and a note about it.
fn looks_of(doing: &SeatActivity) -> (&'static str, IconSign, &'static str, String) {
    match doing {
        SeatActivity::Nothing => ("", icon("dash"), "not asked yet", String::new()),
        SeatActivity::Waiting => ("", icon("clock"), "waits for its turn", String::new()),
        SeatActivity::Asked => ("on", icon("think"), "thinking", "No words yet.".into()),
        SeatActivity::AskedAgain => {
            let note = "Its first answer could not be used; it was asked again.";
            ("on", icon("again"), "answering again", note.into())
        }
        SeatActivity::Thinking => ("on", icon("think"), "thinking", "No words yet.".into()),
        SeatActivity::Searching(_) => ("on", icon("find"), "searching", String::new()),
        SeatActivity::Writing(_) => ("on", icon("pen"), "writing", String::new()),
        SeatActivity::Retrying { why, .. } => ("wait", icon("again"), "retrying", why.clone()),
        SeatActivity::TakenOver(why) => ("wait", icon("again"), "another model", why.clone()),
        SeatActivity::Held => ("wait", icon("clock"), "being checked", String::new()),
        SeatActivity::Done(_) => ("ok", icon("go"), "answered", String::new()),
        SeatActivity::Failed(why) => ("bad", icon("check"), "failed", why.clone()),
        SeatActivity::PersonsTurn => ("wait", icon("ask"), "your turn", String::new()),
        SeatActivity::Passed => ("", icon("dash"), "passed", String::new()),
        SeatActivity::Left => ("", icon("dash"), "left", "Dropped; it is asked no more.".into()),
    }
}

impl SeatTile {
    fn of(
        debate_id: &str,
        debate: &Debate,
        signs: &TableSigns,
        index: usize,
        place: &LiveSeat,
        seats: &LiveSeats,
        (anonymous, attended): (bool, RunsWhere),
    ) -> SeatTile {
        let room = debate.room();
        let seat = room.seats.get(index);
        let id = debate::model::SeatId(index);
        let asked = room.open_requests().find(|request| request.seat == id);
        let turn = asked.filter(|request| request.is_turn).map(PersonsTurn::of);
        let asks = asked.is_some() && turn.is_none();
        let (mut look, mut sign, mut state, mut note) = looks_of(&place.doing);
        // Nothing is on its way while it is paused and no process runs it.
        let rests = matches!(room.status, Status::Paused { .. }) && attended == RunsWhere::Nowhere;
        let active = place.doing.is_active() && !rests;
        if place.doing.is_active() && rests {
            (look, sign, state, note) = ("", icon("pause"), "waits", String::new());
        }
        if turn.is_some() {
            (look, sign, state, note) = looks_of(&SeatActivity::PersonsTurn);
        } else if asks && !active {
            (look, sign, state) = ("wait", icon("ask"), "asks you");
        }
        let agent = seat.and_then(|seat| room.brief.agents.get(seat.agent));
        let role = seat.map(|seat| seat.perspective.as_ref().map_or(&seat.role, |one| &one.name));
        let now = room.current().and_then(|record| record.turn(id));
        let earlier = room.rounds.iter().rev().skip(1).find_map(|record| record.turn(id));
        let done = matches!(place.doing, SeatActivity::Done(_)) || now.is_some();
        let said = if done { now.or(earlier) } else { earlier };
        let shown = said.map(|turn| turn.answer.position.clone()).unwrap_or_default();
        let confidence = said.and_then(|turn| turn.answer.confidence);
        let now_ms = clock::now_ms();
        let counted = active;
        let until = match &place.doing {
            SeatActivity::Retrying { at, .. } if active => {
                now_ms + at.saturating_duration_since(Instant::now()).as_millis() as i64
            }
            _ => 0,
        };
        let trouble = has_trouble(&place.doing);
        let failed = matches!(place.doing, SeatActivity::Failed(_));
        SeatTile {
            id: debate_id.into(),
            number: index + 1,
            sign: signs.seat(id).large(),
            name: if anonymous { signs.seat(id).name } else { clean_line(&place.name) },
            model: match (anonymous, agent) {
                (true, _) | (_, None) => String::new(),
                (false, Some(agent)) => match role {
                    Some(role) if !role.is_empty() => format!("{} · {role}", agent.model),
                    _ => agent.model.clone(),
                },
            },
            look,
            icon: sign,
            state: state.into(),
            since: if counted { since(place, now_ms) } else { 0 },
            until,
            writing: active && matches!(place.doing, SeatActivity::Writing(_)),
            note,
            steps: seats.searches(index).to_vec(),
            before: match said {
                Some(turn) if !done => format!("Answer of round {}", turn.round),
                _ => String::new(),
            },
            answer: shown,
            read: match said.filter(|_| done) {
                Some(turn) => format!("round-{}-seat-{}", turn.round, index + 1),
                None => String::new(),
            },
            footer: confidence.map(|c| format!("confidence {}", percent(c))).unwrap_or_default(),
            again: failed && lost_quorum(room),
            drop: trouble && debate.may_drop(id).is_ok(),
            turn,
        }
    }
}

fn has_trouble(doing: &SeatActivity) -> bool {
    let retries = matches!(doing, SeatActivity::Retrying { .. } | SeatActivity::TakenOver(_));
    retries || matches!(doing, SeatActivity::Failed(_))
}

/// Returns true if the debate waits because too few answered, so that going on asks the
/// silent ones again.
fn lost_quorum(room: &Room) -> bool {
    matches!(room.status, Status::Paused { reason: PauseReason::QuorumLost { .. } })
}

/// The moment a seat was asked, to the second, so that an equal tile stays equal.
fn since(place: &LiveSeat, now_ms: i64) -> i64 {
    let elapsed = place.since.elapsed().as_millis() as i64;
    (now_ms - elapsed + 500) / 1_000 * 1_000
}

#[derive(Template)]
#[template(path = "live_controls.html", whitespace = "preserve")]
struct ControlsPart {
    id: String,
    runs: bool,
    can_go_on: bool,
    focus: String,
}

impl ControlsPart {
    fn of(id: &str, room: &Room, attended: RunsWhere) -> ControlsPart {
        let paused = matches!(room.status, Status::Paused { .. });
        let waits = room.required_requests().next().is_some();
        let nowhere = attended == RunsWhere::Nowhere;
        ControlsPart {
            id: id.into(),
            runs: !paused && !nowhere,
            // One that runs here is still waiting for answers on their way.
            can_go_on: (paused || nowhere)
                && !waits
                && !matches!(attended, RunsWhere::Draining | RunsWhere::Here),
            focus: room.focus.clone().unwrap_or_default(),
        }
    }
}
