//! Turns a finished debate and its post-mortem into the figures used for
//! learning. No word that was said in the debate is kept.

use crate::model::{
    CardKind, Choice, Claim, ClaimStatus, Day, EvidenceType, FinalWord, GENERAL_DOMAIN,
    JudgedDebate, JudgedEvidence, JudgedVoice, Label, OutcomeOrigin, PostMortem, ReliedOn, Room,
    SeatId, Verdict, WeighedAnswer, WeighedOver, Weighing, domain_name,
};

/// A number that misses the true one by this share of it counts as wrong.
const ALL_WRONG: f64 = 0.5;
/// The word a person writes if none of the answers was right.
pub const NONE_OF_THEM: &str = "none";

/// The correctness of an answer, and the weight of the outcome as a test of it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Correctness {
    share: f64,
    told: f64,
}

pub fn judge(id: &str, on: Day, room: &Room, verdict: &Verdict, post: &PostMortem) -> JudgedDebate {
    let domain = post.domain.as_deref().or(room.brief.domain.as_deref());
    let lessons = || post.lessons.iter();
    JudgedDebate {
        debate: id.to_owned(),
        on,
        domain: domain.map_or_else(|| GENERAL_DOMAIN.to_owned(), domain_name),
        accuracy: post.decision_accuracy,
        evidence: evidence(post),
        relied_on: relied_on(room, verdict),
        voices: voices(room, verdict, post),
        questions: post.questions.clone(),
        asked_for: lessons().filter_map(|lesson| lesson.question.clone()).collect(),
        perspectives: lessons().filter_map(|lesson| lesson.perspective.clone()).collect(),
        rounds: verdict.metadata.rounds,
        agreement: verdict.decision.agreement_score,
        tokens: verdict.metadata.spent.usage.total(),
        origin: OutcomeOrigin::Own,
    }
}

fn evidence(post: &PostMortem) -> Vec<JudgedEvidence> {
    let findings = post.what_went_right.iter().chain(&post.what_went_wrong);
    findings
        .filter_map(|finding| {
            Some(JudgedEvidence {
                evidence_type: finding.evidence_type?,
                validation: finding.validation?,
            })
        })
        .collect()
}

/// Counts the standing claims of the seats that hold the decision, by type.
fn relied_on(room: &Room, verdict: &Verdict) -> Vec<ReliedOn> {
    let weighing: &Weighing = &verdict.evidence.weighing;
    let decided = verdict.card.kind.is_decision();
    let Some(leading) = weighing.answers.first().filter(|_| decided) else { return Vec::new() };
    let carries = |claim: &&Claim| {
        claim.status != ClaimStatus::Retracted
            && claim.label != Label::Open
            && claim.holders.iter().any(|seat| leading.seats.contains(seat))
    };
    let of_type = |kind: EvidenceType| {
        let items = room.ledger.claims.iter().filter(carries);
        let items = items.filter(|claim| claim.evidence_type == kind).count();
        (items > 0).then(|| ReliedOn { evidence_type: kind, items: super::count(items) })
    };
    EvidenceType::ALL.into_iter().filter_map(of_type).collect()
}

fn voices(room: &Room, verdict: &Verdict, post: &PostMortem) -> Vec<JudgedVoice> {
    let weighing = &verdict.evidence.weighing;
    weighing
        .voices
        .iter()
        .filter_map(|voice| {
            let seat = room.seats.get(voice.seat.index())?;
            let agent = room.brief.agents.get(seat.agent)?;
            let word = verdict.agent_responses.iter().find(|word| word.seat == voice.seat);
            let judged = post.agents.iter().find(|one| one.agent == seat.name);
            let right = match judged {
                Some(judged) => Correctness { share: judged.accuracy, told: 1.0 },
                None => seat_right(verdict, voice.seat, word, post),
            };
            Some(JudgedVoice {
                agent: format!("{}/{}", agent.provider, agent.model),
                confidence: word.and_then(|word| word.confidence),
                right: right.share,
                last_right: right.share,
                told: right.told,
                note: judged.map(|judged| judged.note.clone()).unwrap_or_default(),
            })
        })
        .collect()
}

/// Where the right answer is named, a seat's last answer is that or it is not. Where
/// only the decision was judged, a seat whose last answer was the decision is as
/// right as the decision; about another answer the outcome says nothing.
fn seat_right(
    verdict: &Verdict,
    seat: SeatId,
    word: Option<&FinalWord>,
    post: &PostMortem,
) -> Correctness {
    const UNJUDGED: Correctness = Correctness { share: 0.0, told: 0.0 };
    let weighing = &verdict.evidence.weighing;
    if weighing.over == WeighedOver::Values
        && let Some(right) = number_right(word, post)
    {
        return right;
    }
    let holds = |answer: &&WeighedAnswer| answer.seats.contains(&seat);
    let Some(held) = weighing.answers.iter().find(holds) else {
        return UNJUDGED;
    };
    if let Some(right) = &post.right_answer {
        let same = held.answer.trim().eq_ignore_ascii_case(right.trim());
        return Correctness { share: if same { 1.0 } else { 0.0 }, told: 1.0 };
    }
    let decided = verdict.card.kind.is_decision() && verdict.card.kind != CardKind::Estimated;
    let leads = weighing.answers.first().is_some_and(|leading| leading.answer == held.answer);
    if decided && leads {
        Correctness { share: post.decision_accuracy, told: 1.0 }
    } else {
        UNJUDGED
    }
}

/// Returns the correctness of a number or a probability by its distance from the
/// truth.
fn number_right(word: Option<&FinalWord>, post: &PostMortem) -> Option<Correctness> {
    let truth: f64 = post.right_answer.as_ref()?.trim().parse().ok()?;
    let share = match word?.answer.as_ref()? {
        Choice::Number(value) => {
            let miss = (value - truth).abs() / truth.abs().max(f64::MIN_POSITIVE);
            (1.0 - miss / ALL_WRONG).clamp(0.0, 1.0)
        }
        Choice::Probability(value) => (1.0 - (value - truth).abs()).clamp(0.0, 1.0),
        Choice::Option(_) => return None,
    };
    Some(Correctness { share, told: 1.0 })
}
