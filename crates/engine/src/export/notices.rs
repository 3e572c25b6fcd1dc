//! Notices that a reader of an export must see: suspected groupthink, missed turns,
//! actions of the safety checks, and calls of unknown fate. In plain sentences.

use agents::scripted::example::PROVIDER;
use debate::model::*;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NoticeKind {
    /// The agents were those of the scripted example.
    Example,
    /// The debate is not over.
    Unfinished,
    /// A warning about the decision.
    Warning,
    Groupthink,
    Gap,
    Safety,
    Cost,
    /// The labels have no translation into the language of the answers.
    Language,
}

impl NoticeKind {
    pub fn word(self) -> &'static str {
        match self {
            NoticeKind::Example => "Scripted example",
            NoticeKind::Unfinished => "Not over yet",
            NoticeKind::Warning => "Warning",
            NoticeKind::Groupthink => "Groupthink",
            NoticeKind::Gap => "Missing answer",
            NoticeKind::Safety => "Safety",
            NoticeKind::Cost => "Cost",
            NoticeKind::Language => "Language",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    pub kind: NoticeKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    pub text: String,
}

pub fn notices(room: &Room) -> Vec<Notice> {
    let mut all = Vec::new();
    if is_example(&room.brief) {
        let text = "the agents follow a script; no model was asked".into();
        all.push(notice(NoticeKind::Example, None, text));
    }
    unfinished(room, &mut all);
    all.extend(language(&room.brief));
    let said = room.verdict.as_ref().map(|verdict| verdict.decision.warnings.as_slice());
    let said = said.unwrap_or_default();
    all.extend(said.iter().map(|text| notice(NoticeKind::Warning, None, text.clone())));
    // The verdict warns of the signs in the last round that was analysed.
    let warned = room.rounds.iter().rev().find(|record| record.analysis.is_some());
    let warned = warned.filter(|_| room.verdict.is_some()).map(|record| record.number);
    for record in &room.rounds {
        groupthink(record, warned == Some(record.number), &mut all);
        gaps(record, &mut all);
    }
    safety(room, &mut all);
    let spent = &room.spent;
    if spent.ambiguous_calls > 0 {
        let text = format!(
            "{} cut off in flight and may have been billed, at most {}",
            calls(spent.ambiguous_calls),
            spent.possibly_billed
        );
        all.push(notice(NoticeKind::Cost, None, text));
    }
    all
}

/// Returns whether a debate is the scripted example.
pub fn is_example(brief: &Brief) -> bool {
    !brief.agents.is_empty() && brief.agents.iter().all(|agent| agent.provider == PROVIDER)
}

/// Returns whether headings and labels have a translation; English needs none.
pub fn has_labels(language: &Language) -> bool {
    ["en", "de"].contains(&language.code)
}

/// Says once that the labels are in another language than the answers.
fn language(brief: &Brief) -> Option<Notice> {
    let known = brief.known_language();
    let told = known.is_some() || brief.language.is_some();
    if !told || known.is_some_and(has_labels) {
        return None;
    }
    let name = brief.language_name();
    let text = format!("headings and labels stay in English; they have no translation into {name}");
    Some(notice(NoticeKind::Language, None, text))
}

fn notice(kind: NoticeKind, round: Option<Round>, text: String) -> Notice {
    Notice { kind, round, text }
}

fn calls(count: u32) -> String {
    if count == 1 { "one call was".into() } else { format!("{count} calls were") }
}

fn unfinished(room: &Room, all: &mut Vec<Notice>) {
    let text = match &room.status {
        Status::Completed { .. } => return,
        Status::Paused { reason } => format!("the debate is paused: {}", reason.sentence()),
        Status::Error { cause } => format!("the debate stopped with an error: {cause}"),
        Status::Created => "the debate has not begun".into(),
        Status::Active => "the debate was still going on when this was written".into(),
    };
    all.push(notice(NoticeKind::Unfinished, None, text));
}

/// Signs of which the verdict warned are not repeated.
fn groupthink(record: &RoundRecord, warned: bool, all: &mut Vec<Notice>) {
    let Some(found) = record.analysis.as_ref().map(|analysis| &analysis.groupthink) else { return };
    let mut say = |text: String| {
        all.push(notice(NoticeKind::Groupthink, Some(record.number), text));
    };
    let signs = found.indicators.join("; ");
    if found.warning && !warned {
        say(format!("signs of groupthink: {signs}"));
    }
    if let Some(why) = &found.critical_objection {
        say(format!("a round of critical objections was called for: {why}"));
    }
    if found.escalate {
        say("the round of critical objections changed nothing; a person should decide".into());
    }
}

fn gaps(record: &RoundRecord, all: &mut Vec<Notice>) {
    for gap in &record.gaps {
        let text = format!("{} gave no answer ({}): {}", gap.agent, gap.class.word(), gap.message);
        all.push(notice(NoticeKind::Gap, Some(record.number), text));
    }
}

fn safety(room: &Room, all: &mut Vec<Notice>) {
    let record = &room.safety;
    let name = |seat: SeatId| room.seats.get(seat.index()).map_or("", |seat| seat.name.as_str());
    let mut say = |round: Round, text: String| {
        all.push(notice(NoticeKind::Safety, Some(round).filter(|round| *round > 0), text));
    };
    for trigger in &record.triggers {
        say(trigger.round, format!("answers were looked at more closely: {}", trigger.what));
    }
    if record.watch == SafetyWatch::Unmanned {
        say(0, "no model was available to judge the answers".into());
    }
    for verdict in record.verdicts.iter().filter(|one| one.judgement != Judgement::Allow) {
        let done = match verdict.judgement {
            Judgement::Revise => "had to be written again",
            Judgement::Block | Judgement::Allow => "was blocked and is not part of the debate",
        };
        let who = name(verdict.seat);
        say(verdict.round, format!("{who}'s answer {done}: {}", verdict.reasons.join("; ")));
    }
    for unjudged in &record.unjudged {
        let who = name(unjudged.seat);
        say(unjudged.round, format!("{who}'s answer could not be judged: {}", unjudged.why));
    }
    for refused in &record.refused {
        let why = refused.reasons.join("; ");
        say(refused.round, format!("a {} was rejected: {why}", refused.what));
    }
}
