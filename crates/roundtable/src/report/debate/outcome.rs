//! Why the result is what it is: the reason, the clerk's reading, who moved, who
//! dissents, the last positions and the vote.

use debate::model::*;

use super::{ReportedDebate, if_any, words};
use crate::document::words::{percent, share};
use crate::document::{Phrase, Section};

pub fn why(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("why", "Why");
    let Some(verdict) = view.verdict() else { return section };
    section.text(&verdict.decision.reason);
    if let Some(decided) = &verdict.evidence.decided {
        section.text(
            Phrase::default()
                .strong(&*decided.agent)
                .plain(format!(", who decides, in round {}: {}", decided.round, decided.text)),
        );
    }
    let figures = &verdict.card.figures;
    let mut facts =
        vec![format!("Agreement: {} ({})", share(figures.agreement), figures.level.word())];
    facts.extend(figures.probability.map(|one| format!("Weighed vote: {}", percent(one))));
    let last = view.last_analysis();
    let status = last.and_then(|found| found.convergence.status);
    facts.extend(status.map(|status| format!("Convergence: {}", words::convergence(status))));
    section.list(facts);
    let Some(consensus) = last.map(|found| &found.consensus) else { return section };
    section.titled("Common ground", consensus.common_ground.clone());
    let nuances = &consensus.nuances;
    section.titled("Partial agreement", nuances.partial_agreements.clone());
    section.titled("Conditions", nuances.conditional_positions.clone());
    section.titled("Uncertain", nuances.uncertainties.clone());
    section
}

/// First and final vote, and every change of mind.
pub fn moved(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("moved", "Who moved");
    let Some(verdict) = view.verdict() else { return section };
    let change = |one: &CardMove| {
        Phrase::default().strong(&*one.agent).plain(format!(
            " in round {}, {}: from “{}” to “{}”",
            one.round, one.by, one.from, one.to
        ))
    };
    section.list(verdict.card.moved.iter().map(change).collect());
    let weighing = &verdict.evidence.weighing;
    let first = if weighing.first_vote_sealed {
        "Before the debate (answers given without seeing the others)"
    } else {
        "First vote"
    };
    // A vote that stayed as it was is said once, below.
    let held = |votes: &[VoteShare]| -> Vec<(String, Vec<SeatId>)> {
        votes.iter().map(|one| (one.answer.clone(), one.seats.clone())).collect()
    };
    if held(&weighing.first_vote) != held(&weighing.final_vote) {
        section.titled(first, votes(view, &weighing.first_vote));
    }
    if_any(section)
}

fn votes(view: &ReportedDebate<'_>, votes: &[VoteShare]) -> Vec<Phrase> {
    let one = |share: &VoteShare| {
        let said = if share.words.is_empty() { &share.answer } else { &share.words };
        Phrase::default().strong(format!("{}:", view.names(&share.seats))).plain(format!(" {said}"))
    };
    votes.iter().filter(|share| !share.seats.is_empty()).map(one).collect()
}

/// Those who lost, in their own words, and the objections that stand.
pub fn dissent(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("dissent", "Dissent");
    let Some(verdict) = view.verdict() else { return section };
    let weighing = &verdict.evidence.weighing;
    let mut items = Vec::new();
    items.extend(weighing.decider.as_ref().map(|differs| {
        Phrase::from(format!(
            "{} decided for {}; the weighed vote is for {}",
            view.name(differs.seat),
            differs.decided,
            differs.weighed
        ))
    }));
    items.extend(weighing.minority.iter().map(|minority| {
        Phrase::default().strong("Minority report").plain(format!(
            ", {} of the weight, {} in round {}: {}",
            percent(minority.share),
            view.name(minority.seat),
            minority.round,
            minority.words
        ))
    }));
    let objections = view.last_analysis().map(|found| found.votes.objections.as_slice());
    items.extend(objections.unwrap_or_default().iter().map(|objection| {
        Phrase::default().strong(view.name(objection.seat)).plain(format!(
            " ({}): {}",
            objection.ballot.word(),
            objection.text
        ))
    }));
    section.list(items);
    section
}

/// The risk register, where no vote is taken.
pub fn risks(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("risks", "Risk register");
    let Some(verdict) = view.verdict() else { return section };
    let row = |risk: &RiskEntry| {
        let answers: Vec<String> =
            risk.answers.iter().map(|one| format!("{}: {}", one.agent, one.text)).collect();
        let claim = risk.claim.map(|claim| claim.to_string()).unwrap_or_default();
        vec![
            Phrase::default().inside(claim.clone(), claim),
            Phrase::from(&risk.attack),
            Phrase::from(risk.by.join(", ")),
            Phrase::from(risk.state.word()),
            Phrase::from(answers.join(" ")),
        ]
    };
    let rows = verdict.evidence.risks.iter().map(row).collect();
    section.table("Risk register", &["Claim", "Attack", "By", "State", "Answer"], rows);
    section
}

/// The last positions; those who say the same word for word stand together.
pub fn positions(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("positions", "Last positions");
    let Some(verdict) = view.verdict() else { return section };
    let mut rows: Vec<(Vec<&FinalWord>, &str)> = Vec::new();
    for word in &verdict.agent_responses {
        match rows.iter_mut().find(|(_, position)| *position == word.position) {
            Some((words, _)) => words.push(word),
            None => rows.push((vec![word], &word.position)),
        }
    }
    let row = |(said, position): &(Vec<&FinalWord>, &str)| {
        let names: Vec<&str> = said.iter().map(|word| word.agent.as_str()).collect();
        vec![Phrase::from(names.join(", ")), Phrase::from(*position), Phrase::from(together(said))]
    };
    let rows = rows.iter().map(row).collect();
    section.table("Last positions", &["Agent", "Position", "Standing"], rows);
    section
}

/// The standing of those who say the same: what all share is said once.
fn together(said: &[&FinalWord]) -> String {
    let facts = |word: &FinalWord| {
        let mut facts = vec![word.perspective.clone().unwrap_or_else(|| word.role.clone())];
        let (change, choice) = (word.confidence_change, word.answer.as_ref());
        facts.extend(words::standing(word.confidence, change, word.stance, word.vote, choice));
        facts.extend(word.calibrated_confidence.map(|one| format!("calibrated {one:.2}")));
        facts
    };
    let all: Vec<Vec<String>> = said.iter().map(|word| facts(word)).collect();
    let Some(first) = all.first() else { return String::new() };
    let (shared, own): (Vec<&String>, Vec<&String>) =
        first.iter().partition(|fact| all.iter().all(|facts| facts.contains(fact)));
    let mut parts: Vec<String> = shared.into_iter().cloned().collect();
    if !own.is_empty() {
        for (word, facts) in said.iter().zip(&all) {
            let own: Vec<&str> =
                facts.iter().filter(|fact| !parts.contains(fact)).map(String::as_str).collect();
            parts.push(match said {
                [_] => own.join(", "),
                _ => format!("{} {}", word.agent, own.join(", ")),
            });
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

pub fn vote(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("vote", "The vote");
    let Some(verdict) = view.verdict() else { return section };
    let weighing = &verdict.evidence.weighing;
    let held = weighing.answers.iter().filter(|answer| !answer.seats.is_empty());
    let mut rows: Vec<Vec<Phrase>> = held
        .map(|one| {
            vec![
                Phrase::from(percent(one.probability)),
                Phrase::from(&one.answer),
                Phrase::from(view.names(&one.seats)),
            ]
        })
        .collect();
    let rest = weighing.something_else.filter(|_| !rows.is_empty());
    rows.extend(rest.map(|rest| {
        vec![Phrase::from(percent(rest)), Phrase::from("none of these"), Phrase::default()]
    }));
    // Estimates lead with the combined figure; a share of each says nothing.
    let combined = verdict.card.kind == CardKind::Estimated;
    if combined {
        section.list(votes(view, &weighing.final_vote));
    } else {
        section.table("The vote", &["Weighed", "Answer", "Held by"], rows);
    }
    let abstained = view.names(&weighing.abstained);
    if !abstained.is_empty() {
        section.text(format!("Could not say: {abstained}"));
    }
    section
}
