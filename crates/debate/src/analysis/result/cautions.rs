//! Reasons for caution in short clauses, gravest first: what the card warns of.

use crate::model::{
    ModePlan, Room, RoundAnalysis, RoundRecord, Turn, Weighing, WeighingFlag, counted, listed,
};

use crate::analysis::votes::standing_blockers;
use crate::analysis::voting::voters::is_voter;
use crate::analysis::wording::{seat_name, seat_names};

pub fn cautions(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(blockers(room, plan));
    if let Some(first) = &weighing.held_first {
        found.push(format!(
            "“{first}” is the answer of the first votes; those who left it brought nothing to check"
        ));
    }
    found.extend(weighing.flags.iter().filter_map(|flag| flag_clause(*flag)).map(str::to_owned));
    found.extend(without_evidence(room));
    found.extend(groupthink(room, last));
    for report in &weighing.minority {
        let seats = report.holders(weighing);
        let verb = if seats.len() > 1 { "hold" } else { "holds" };
        found.push(format!("{} {verb} “{}”", seat_names(room, &seats), report.answer));
    }
    if !weighing.abstained.is_empty() {
        found.push(format!("{} could not say", seat_names(room, &weighing.abstained)));
    }
    found.extend(room.dropped.iter().map(|one| {
        format!(
            "{} was dropped by a person in round {}",
            seat_name(room, one.seat),
            one.round.max(1)
        )
    }));
    if let Some(found_last) = last {
        if found_last.answered < found_last.seats {
            found.push(format!(
                "only {} of {} agents answered in the last round",
                found_last.answered, found_last.seats
            ));
        }
        if let Some(why) = &found_last.consensus.fallback_reason {
            found.push(format!("the clerk's table was not used: {why}"));
        }
    }
    if room.ledger.evidence.is_empty() {
        found.push("no agent cited a source".into());
    }
    found.extend(overconfident(room, last));
    found
}

/// Answers that lack required evidence, counted and named.
pub fn without_evidence(room: &Room) -> Option<String> {
    let answers = room.rounds.iter().flat_map(RoundRecord::answered);
    let bare: Vec<&Turn> = answers.filter(|turn| turn.is_without_evidence()).collect();
    let mut names: Vec<&str> = bare.iter().map(|turn| seat_name(room, turn.seat)).collect();
    names.sort_unstable();
    names.dedup();
    let answers = counted(bare.len(), "answer");
    (!bare.is_empty()).then(|| format!("{answers} without evidence, by {}", listed(&names)))
}

fn blockers(room: &Room, plan: &ModePlan) -> Vec<String> {
    let up_to = room.rounds.last().map_or(0, |round| round.number);
    let standing = standing_blockers(room, up_to).into_iter();
    let voting = standing.filter(|blocker| is_voter(room, plan, blocker.seat));
    let clause = |blocker: crate::model::Objection| {
        let name = seat_name(room, blocker.seat);
        match blocker.text.trim() {
            "" => format!("{name} says it must change before it can stand"),
            text => format!("{name} says it must change first: “{text}”"),
        }
    };
    voting.map(clause).collect()
}

fn flag_clause(flag: WeighingFlag) -> Option<&'static str> {
    match flag {
        WeighingFlag::SharedErrorRisk => {
            Some("all agree, but they are of one family or cite nothing, so all may be wrong")
        }
        WeighingFlag::Collapse => {
            Some("the first answers differed, and the difference vanished without new evidence")
        }
        WeighingFlag::MinorityReport => None,
    }
}

fn groupthink(room: &Room, last: Option<&RoundAnalysis>) -> Option<String> {
    let failed = |round: &RoundRecord| {
        round.analysis.as_ref().is_some_and(|found| found.groupthink.escalate)
    };
    if room.rounds.iter().any(failed) {
        return Some(
            "a round of forced objections changed nothing, which suggests groupthink".into(),
        );
    }
    let found = &last?.groupthink;
    let suspected = found.warning || found.trigger.is_some();
    suspected.then(|| format!("groupthink is possible: {}", found.indicators.join("; ")))
}

fn overconfident(room: &Room, last: Option<&RoundAnalysis>) -> Option<String> {
    let seats: Vec<&str> =
        last?.overconfident.iter().map(|one| seat_name(room, one.seat)).collect();
    match seats.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is surer than its evidence allows")),
        several => Some(format!("{} are surer than their evidence allows", listed(several))),
    }
}
