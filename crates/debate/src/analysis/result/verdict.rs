//! The verdict in four layers: the decision first, then who said what, the
//! evidence, and the course of the debate. Every sentence in it was said by an
//! agent or counted; nothing is written for the agents.

use crate::model::{
    AnalysedBy, CardKind, CitedSource, Claim, ClaimStatus, DecisionCard, DecisionLayer,
    EvidenceLayer, EvidenceType, Exit, FailureClass, FinalWord, Gap, JudgeDecision, Label,
    LearningUsed, Lessons, Metadata, ModePlan, OpenConflict, Reliability, Room, RoundAnalysis,
    RoundRecord, SeatId, Stance, StrongClaim, Turn, Verdict, WeighedOver, Weighing, WeighingFlag,
};
use crate::sorting::SortRows;

use super::card::card;
use super::decision::{self, AdviceInputs, DecisionAdvice};
use super::headline::{Headline, HeadlineInputs, headline};
use super::lead::lead;
use super::notices::safety_notices;
use super::risks::risks;
use crate::analysis::quality::quality;
use crate::analysis::voting::sampling;
use crate::analysis::voting::weighing::{decider, weigh_traced};
use crate::analysis::wording::{listed, seat_name, seat_names};

const STRONGEST: usize = 5;
const HINTS: usize = 8;

/// Returns the verdict, with the reliability of agents from the brief's lessons.
pub fn verdict(room: &Room, plan: &ModePlan, exit: &Exit) -> Verdict {
    verdict_with(room, plan, exit, &room.brief.reliability())
}

/// Returns the verdict with the given reliability of agents.
pub fn verdict_with(
    room: &Room,
    plan: &ModePlan,
    exit: &Exit,
    reliability: &Reliability,
) -> Verdict {
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    let (weighing, trace) = weigh_traced(room, plan, reliability);
    let lead = lead(room, plan, last, &weighing);
    let advice = AdviceInputs { room, plan, last, weighing: &weighing, lead: &lead };
    let mut decision = decision::decide(&advice);
    let effort = sampling::used(room, plan);
    if let Some(used) = &effort {
        decision.reason = format!("{} {}", decision.reason, used.words);
    }
    let risks = risks(room, plan);
    let inputs = HeadlineInputs {
        room,
        plan,
        lead: &lead,
        weighing: &weighing,
        trace: &trace,
        risks: &risks,
    };
    let said = headline(&inputs);
    let mut verdict = Verdict {
        card: DecisionCard::default(),
        decision: decision_layer(room, last, &weighing, decision, said),
        agent_responses: final_words(room, &weighing),
        metadata: Metadata { effort, ..metadata(room, plan, exit, last, &weighing) },
        evidence: EvidenceLayer { risks, ..evidence_layer(room, plan, last, weighing) },
    };
    verdict.card = card(room, plan, &verdict);
    verdict
}

fn decision_layer(
    room: &Room,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
    decision: DecisionAdvice,
    said: Headline,
) -> DecisionLayer {
    let differs = weighing.decider.as_ref().map(|differs| {
        format!(
            "{} decided “{}”, which differs from the weighed vote of the others, “{}”.",
            seat_name(room, differs.seat),
            differs.decided,
            differs.weighed
        )
    });
    let mut warnings: Vec<String> = differs.iter().cloned().collect();
    warnings.extend(warnings_of(room, last, weighing));
    DecisionLayer {
        answer: match differs {
            Some(differs) => format!("{differs} {}", said.text),
            None => said.text,
        },
        consensus_level: decision.level,
        agreement_score: decision.score,
        // A tie has no leading answer, a ruling is no vote, and how probable one of
        // several estimates is says nothing.
        probability: weighing
            .answers
            .first()
            .filter(|_| match said.kind {
                CardKind::Decided => true,
                // One evaluator is no vote either.
                CardKind::Judged => weighing.voices.len() > 1,
                _ => false,
            })
            .map(|answer| answer.probability),
        action_recommendation: decision.action,
        reason: decision.reason,
        warnings,
    }
}

fn warnings_of(room: &Room, last: Option<&RoundAnalysis>, weighing: &Weighing) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(found) = last {
        if found.answered < found.seats {
            warnings.push(format!(
                "The analysis rests on {} of {} agents.",
                found.answered, found.seats
            ));
        }
        if let Some(why) = &found.consensus.fallback_reason {
            warnings.push(match found.consensus.by {
                AnalysedBy::Votes => {
                    format!("The votes were counted without the clerk's words: {why}.")
                }
                AnalysedBy::Basic | AnalysedBy::Clerk => {
                    format!("The clerk's table was not used: {why}.")
                }
            });
        }
        warnings.extend(found.consensus.notes.iter().cloned());
        warnings.extend(found.held_back.iter().cloned());
        if found.groupthink.warning {
            warnings.push(format!("Groupthink: {}.", found.groupthink.indicators.join("; ")));
        }
        for one in &found.overconfident {
            warnings.push(format!(
                "{} states {:.2}, but its evidence supports at most {:.2}.",
                seat_name(room, one.seat),
                one.stated,
                one.band[1]
            ));
        }
    }
    for seat in &weighing.abstained {
        warnings.push(format!("{} could not say and has no vote.", seat_name(room, *seat)));
    }
    for dropped in &room.dropped {
        let when = match dropped.round {
            0 => "before the first round".into(),
            round => format!("in round {round}"),
        };
        let name = seat_name(room, dropped.seat);
        warnings.push(format!("{name} was dropped by a person {when} and not asked again."));
    }
    warnings.extend(room.seats.iter().filter_map(|seat| missed(room, seat.id)));
    // Who is to weigh both sides need not say that it takes none.
    let argues = |turn: &&Turn| {
        let stance = room.seats.get(turn.seat.index()).and_then(|seat| seat.stance);
        turn.stance_forced && stance != Some(Stance::Neutral)
    };
    for turn in room.rounds.iter().flat_map(RoundRecord::answered).filter(argues) {
        warnings.push(format!(
            "{} did not take its assigned stance in round {}; the assigned one was recorded.",
            seat_name(room, turn.seat),
            turn.round
        ));
    }
    warnings.extend(weighing.flags.iter().map(|flag| flag_words(room, weighing, *flag)));
    warnings.extend(safety_notices(room));
    warnings
}

fn flag_words(room: &Room, weighing: &Weighing, flag: WeighingFlag) -> String {
    let word = flag.word();
    match flag {
        WeighingFlag::SharedErrorRisk => format!(
            "{word}: all agree, but they are of one family or cite nothing, so they may all be wrong."
        ),
        WeighingFlag::Collapse => format!(
            "{word}: the first answers differed and the difference vanished without new evidence."
        ),
        WeighingFlag::MinorityReport => {
            let reports: Vec<String> = weighing
                .minority
                .iter()
                .map(|one| format!("{}: “{}”", seat_names(room, &one.holders(weighing)), one.words))
                .collect();
            format!("{word}: {}", reports.join("; "))
        }
    }
}

fn final_words(room: &Room, weighing: &Weighing) -> Vec<FinalWord> {
    let word = |seat: SeatId| {
        let turns = || room.rounds.iter().filter_map(move |round| round.turn(seat));
        let (first, last) = (turns().next()?, turns().next_back()?);
        let mut types: Vec<EvidenceType> =
            last.answer.claims.iter().map(|claim| claim.evidence_type).collect();
        types.sort_unstable();
        types.dedup();
        let moved = (first.round != last.round)
            .then(|| Some(last.answer.confidence? - first.answer.confidence?))
            .flatten();
        Some(FinalWord {
            seat,
            agent: last.agent.clone(),
            model: last.model.clone(),
            role: last.role.clone(),
            perspective: last.perspective.clone(),
            round: last.round,
            position: last.answer.position.clone(),
            key_points: last.answer.key_points.clone(),
            confidence: last.answer.confidence,
            calibrated_confidence: calibrated(room, seat, last.answer.confidence),
            confidence_change: moved,
            stance: last.answer.stance,
            vote: last.answer.vote.as_ref().map(|vote| vote.ballot),
            answer: last.answer.answer.clone(),
            ruling: last.answer.ruling,
            abstained: weighing.abstained.contains(&seat),
            evidence_used: types.into_iter().map(|kind| kind.word().to_owned()).collect(),
        })
    };
    (0..room.seats.len()).map(SeatId).filter_map(word).collect()
}

/// Returns the stated confidence corrected by earlier outcomes of the seat's
/// model.
fn calibrated(room: &Room, seat: SeatId, stated: Option<f64>) -> Option<f64> {
    let agent = room.brief.agents.get(room.seats.get(seat.index())?.agent)?;
    let line = room.brief.learned()?.calibration.get(&agent.name)?;
    Some(line.calibrated(stated?))
}

fn evidence_layer(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: Weighing,
) -> EvidenceLayer {
    let names = |seats: &[SeatId]| -> Vec<String> {
        seats.iter().map(|seat| seat_name(room, *seat).to_owned()).collect()
    };
    let conflict = |claim: &Claim| OpenConflict {
        claim: claim.id,
        text: claim.text.clone(),
        held_by: names(&claim.holders),
        opposed_by: names(&claim.opposers),
    };
    EvidenceLayer {
        citations: citations(room),
        conflicts: room.ledger.with_status(ClaimStatus::Contested).map(conflict).collect(),
        consensus_summary: last.map(|found| found.consensus.summary.clone()).unwrap_or_default(),
        clusters: last.map(|found| found.consensus.clusters.clone()).unwrap_or_default(),
        groupthink: last.map(|found| found.groupthink.indicators.clone()).unwrap_or_default(),
        groupthink_recommendation: last.and_then(|found| found.groupthink.recommendation.clone()),
        strongest: strongest(room),
        weighing,
        decided: decided(room, plan),
        risks: Vec::new(),
        depth: room.depth.clone(),
        safety: room.safety.clone(),
    }
}

/// Returns the last decision of the deciding seat, in its own words.
fn decided(room: &Room, plan: &ModePlan) -> Option<JudgeDecision> {
    let seat = decider(room, plan)?;
    let turn = room.rounds.iter().rev().find_map(|round| round.turn(seat))?;
    Some(JudgeDecision {
        seat,
        agent: turn.agent.clone(),
        round: turn.round,
        ruling: turn.answer.ruling,
        text: turn.answer.position.clone(),
    })
}

/// Most-cited first, then in register order.
fn citations(room: &Room) -> Vec<CitedSource> {
    let mut sources: Vec<CitedSource> = room
        .ledger
        .evidence
        .iter()
        .map(|source| {
            let mut seats: Vec<SeatId> = source.cited_by.iter().map(|cited| cited.seat).collect();
            seats.sort_unstable();
            seats.dedup();
            CitedSource {
                id: source.id,
                title: source.title.clone(),
                url: source.url.clone(),
                cited_by: seats.iter().map(|seat| seat_name(room, *seat).to_owned()).collect(),
            }
        })
        .collect();
    sources.sort_rows_by_key(|source| (std::cmp::Reverse(source.cited_by.len()), source.id));
    sources
}

fn strongest(room: &Room) -> Vec<StrongClaim> {
    let standing =
        |claim: &&Claim| claim.status != ClaimStatus::Retracted && claim.label != Label::Open;
    let mut claims: Vec<&Claim> = room.ledger.claims.iter().filter(standing).collect();
    claims.sort_rows_by(|a, b| b.strength.total_cmp(&a.strength).then(a.id.cmp(&b.id)));
    claims
        .into_iter()
        .take(STRONGEST)
        .map(|claim| StrongClaim {
            claim: claim.id,
            text: claim.text.clone(),
            strength: claim.strength,
        })
        .collect()
}

fn metadata(
    room: &Room,
    plan: &ModePlan,
    exit: &Exit,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> Metadata {
    Metadata {
        exit_reason: exit.rule.clone(),
        exit_details: exit.details.clone(),
        rounds: u32::try_from(room.rounds.len()).unwrap_or(u32::MAX),
        answered: last.map_or(0, |found| found.answered),
        seats: room.seats.len(),
        analysed_by: last.map_or(AnalysedBy::Basic, |found| found.consensus.by),
        gaps: room.rounds.iter().flat_map(|round| round.gaps.iter().cloned()).collect(),
        spent: room.spent,
        searches: room.searches,
        has_more_details: room.rounds.iter().any(|round| round.answered().next().is_some()),
        verification_hints: hints(room, plan, last, weighing),
        quality: quality(room, plan),
        effort: None,
        learning: room.brief.learned().map(|lessons| LearningUsed {
            domain: lessons.domain.clone(),
            outcomes: outcomes_behind(lessons),
            used: lessons.used.clone(),
        }),
    }
}

/// The outcomes behind lessons: those of the domain, or of other domains where the
/// domain has none.
fn outcomes_behind(lessons: &Lessons) -> u32 {
    let elsewhere = lessons.reliability.by_agent.values().map(|record| record.outcomes);
    let stated = lessons.calibration.values().map(|line| line.outcomes);
    lessons.outcomes.max(elsewhere.chain(stated).max().unwrap_or(0))
}

/// Returns the points to check before relying on the result, most telling first.
fn hints(
    room: &Room,
    plan: &ModePlan,
    last: Option<&RoundAnalysis>,
    weighing: &Weighing,
) -> Vec<String> {
    let mut hints = Vec::new();
    for claim in room.ledger.with_status(ClaimStatus::Contested) {
        hints.push(format!("Settle {}, which agents dispute: {}", claim.id, claim.text));
    }
    let standing = room.ledger.claims.iter().filter(|c| c.status != ClaimStatus::Retracted);
    for claim in standing.filter(|c| c.label == Label::Fact && c.support.is_empty()) {
        hints.push(format!(
            "Find a source for {}, called a fact without one: {}",
            claim.id, claim.text
        ));
    }
    let basic = last.is_some_and(|found| found.consensus.by == AnalysedBy::Basic);
    if let Some(seat) = decider(room, plan).filter(|_| basic && weighing.decider.is_none())
        && weighing.over == WeighedOver::Clusters
    {
        hints.push(format!(
            "Compare what {} decided with the weighed vote: words alone cannot tell whether they \
             agree.",
            seat_name(room, seat)
        ));
    }
    let unread = |round: &RoundRecord| -> Vec<SeatId> {
        round.answered().filter(|turn| turn.answer.unstructured).map(|turn| turn.seat).collect()
    };
    for round in room.rounds.last().into_iter() {
        for seat in unread(round) {
            let name = seat_name(room, seat);
            hints.push(format!(
                "Read {name}'s last answer yourself: its structure could not be read."
            ));
        }
    }
    if room.ledger.evidence.is_empty() {
        hints.push("No agent cited a source: check the facts elsewhere.".into());
    }
    hints.truncate(HINTS);
    hints
}

/// The rounds in which a seat gave no answer, in one sentence.
fn missed(room: &Room, seat: SeatId) -> Option<String> {
    // That a person dropped it is said elsewhere.
    let told = |gap: &&Gap| room.is_dropped(seat) && gap.class == FailureClass::Cancelled;
    let gaps = room.rounds.iter().flat_map(|round| &round.gaps);
    let gaps = gaps.filter(|gap| gap.seat == seat).filter(|gap| !told(gap));
    let rounds: Vec<String> =
        gaps.map(|gap| format!("round {} ({})", gap.round, gap.class.word())).collect();
    let name = seat_name(room, seat);
    (!rounds.is_empty()).then(|| format!("{name} gave no answer in {}.", listed(&rounds)))
}
