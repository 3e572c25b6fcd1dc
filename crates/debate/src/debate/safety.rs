//! Answers that wait for their safety judgement. A held answer is not part of the
//! debate; it enters by the same events as any other answer, or leaves a gap with
//! the reason.

use super::Debate;
use super::fold::EventMisfit;
use crate::model::*;
use crate::prompts::{self, ClerkPrompt, TemplateError};
use crate::reading::{self, ReadJudgement};
use crate::safety;
use crate::sorting::SortRows;

/// Rounds without a finding after which the evaluator switches itself off.
const CLEAN_ROUNDS: u32 = 2;
/// A quotation shorter than this could be found in any text.
const LEAST_QUOTE: usize = 8;
/// The most of an answer that is put before the evaluator.
const ANSWER_TOKENS: usize = 6000;

/// An answer that was paid for and has not entered the debate yet.
#[derive(Debug, Clone)]
pub(super) struct HeldAnswer {
    pub ask: AskId,
    pub turn: Turn,
    pub blocked: Vec<String>,
    pub suspect: Vec<String>,
    pub judged: Option<SafetyVerdict>,
    /// True if the evaluator failed to judge it.
    pub given_up: bool,
}

impl Debate {
    /// Checks an answer on its way in, and holds it if it must be judged or looks
    /// harmful.
    pub(super) fn guarded(&self, event: Event) -> Event {
        let Event::Answered { ask, turn } = event else { return event };
        let found = safety::screen_answer(&turn.answer);
        if found.is_clean() && self.desk.watch != SafetyWatch::On {
            return Event::Answered { ask, turn };
        }
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Event::Held { ask, turn, blocked: owned(found.blocked), suspect: owned(found.suspect) }
    }

    /// Checks a person's text on its way in, and returns the event that refuses
    /// it if it must be refused.
    pub(super) fn refused(&self, what: &str, text: &str) -> Option<Event> {
        let found = safety::screen(text).blocked;
        let refused = RefusedText {
            round: self.room.current().map_or(0, |record| record.number),
            what: what.into(),
            reasons: found.iter().map(|name| (*name).to_owned()).collect(),
        };
        (!found.is_empty()).then_some(Event::TextRefused { refused })
    }

    /// Returns the next automatic event for triggers and held answers.
    pub(super) fn safety_follow_up(&self) -> Option<Event> {
        if !self.desk.due.is_empty() {
            let watch = match self.room.brief.clerk {
                Some(_) => SafetyWatch::On,
                None => SafetyWatch::Unmanned,
            };
            return Some(Event::SafetyTriggered { triggers: self.desk.due.clone(), watch });
        }
        self.desk.held.values().find_map(|held| self.settled(held))
    }

    /// Returns the next event of a held answer, if it does not wait for the
    /// evaluator.
    fn settled(&self, held: &HeldAnswer) -> Option<Event> {
        let answered = || Event::Answered { ask: held.ask, turn: Box::new(held.turn.clone()) };
        let Some(judged) = &held.judged else {
            if !held.blocked.is_empty() {
                return Some(Event::Judged {
                    verdict: SafetyVerdict {
                        round: held.ask.round,
                        seat: held.turn.seat,
                        judgement: Judgement::Block,
                        by: JudgedBy::Checks,
                        reasons: held.blocked.clone(),
                    },
                    bill: None,
                    ask: None,
                });
            }
            let waits = self.room.safety.watch == SafetyWatch::On && !held.given_up;
            return (!waits).then(answered);
        };
        let reasons = reasons(judged);
        Some(match judged.judgement {
            Judgement::Allow => answered(),
            // A turn gets one second chance, for any reason.
            Judgement::Revise if matches!(held.ask.task, Task::Speak | Task::Record) => {
                Event::Unreadable {
                    ask: held.ask,
                    problem: format!("It must be safer before the others may see it: {reasons}"),
                    raw: match held.turn.raw.as_str() {
                        raw if raw.is_empty()
                            || self.style_of(&held.ask).parts != AnswerParts::Form =>
                        {
                            held.turn.answer.reasoning.clone()
                        }
                        raw => raw.to_owned(),
                    },
                    working: String::new(),
                    missing: Vec::new(),
                    model: held.turn.model.clone(),
                    bill: held.turn.bill,
                    requests: Vec::new(),
                    tool_calls: held.turn.tool_calls.clone(),
                    sources: held.turn.sources.clone(),
                    searches: held.turn.searches,
                }
            }
            Judgement::Revise | Judgement::Block => {
                Event::Missed { ask: held.ask, gap: blocked_gap(&held.turn, &reasons) }
            }
        })
    }

    /// The evaluator's open asks.
    pub(super) fn safety_asks(&self) -> Vec<AskId> {
        let waiting = self.desk.held.values().filter(|held| self.settled(held).is_none());
        waiting
            .map(|held| AskId {
                party: Party::Clerk,
                task: match held.ask.task {
                    Task::Repair => Task::Recheck,
                    _ => Task::Safety,
                },
                about: Some(held.turn.seat),
                ..held.ask
            })
            .collect()
    }

    pub(super) fn safety_ask(&self, id: AskId) -> Result<Ask, TemplateError> {
        let brief = &self.room.brief;
        let fence = Fence::new(&brief.fence_key, &id);
        let held = id.about.and_then(|seat| self.desk.held.get(&seat));
        let text = held.map(|held| whole(&held.turn.answer)).unwrap_or_default();
        let material = fence.wrap("the answer", &clip(&text, ANSWER_TOKENS));
        let clerk = ClerkPrompt {
            topic: &brief.topic,
            language: self.language_name(),
            material: &material,
            fence_mark: fence.mark(),
        };
        let (system, user) = prompts::clerk_safety(&self.words, &clerk, id.round)?;
        let schema = prompts::clerk_schema(id.task, &[], prompts::safety_schema);
        Ok(self.as_clerk(id, system, user, schema))
    }

    pub(super) fn judged(&self, ask: AskId, reply: &Reply) -> Event {
        let read = reading::read_judgement(&reply.text);
        let read = read.map(|read| self.borne_out(ask, read));
        match (read, ask.about) {
            (Ok(read), Some(seat)) => Event::Judged {
                verdict: SafetyVerdict {
                    round: ask.round,
                    seat,
                    judgement: read.judgement,
                    by: JudgedBy::Evaluator,
                    reasons: read.reasons,
                },
                bill: Some(reply.bill),
                ask: Some(ask),
            },
            (Ok(_), None) => super::clerk::failed(ask, "it names no answer to judge", reply),
            (Err(why), _) => super::clerk::failed(ask, &why, reply),
        }
    }

    /// A judgement against an answer counts only with the passage that does harm:
    /// without one it judges something else than harm.
    fn borne_out(&self, ask: AskId, read: ReadJudgement) -> ReadJudgement {
        if read.judgement == Judgement::Allow {
            return read;
        }
        let held = ask.about.and_then(|seat| self.desk.held.get(&seat));
        let brief = &self.room.brief;
        let options = brief.question.options().unwrap_or_default().join("\n");
        let topic = plain_words(&format!("{}\n{options}", brief.topic));
        let quoted = held.is_some_and(|held| {
            let text = plain_words(&whole(&held.turn.answer));
            let raw = plain_words(&held.turn.raw);
            read.quotes.iter().map(|quote| plain_words(quote)).any(|quote| {
                let own = text.contains(&quote) || raw.contains(&quote);
                quote.len() >= LEAST_QUOTE && own && !topic.contains(&quote)
            })
        });
        let fault = match (quoted, read.harm) {
            (true, Some(HarmKind::Nothing)) => "it names no harm",
            (true, _) => return read,
            (false, _) => "it quotes no passage of the answer",
        };
        let why = format!("{} was not counted: {fault}", read.judgement.word());
        let reasons = std::iter::once(why).chain(read.reasons).collect();
        ReadJudgement { judgement: Judgement::Allow, reasons, quotes: Vec::new(), ..read }
    }

    /// Returns whether the evaluator has seen enough.
    pub(super) fn relaxes(&self) -> bool {
        self.room.safety.watch == SafetyWatch::On && self.room.safety.clean_rounds >= CLEAN_ROUNDS
    }

    pub(super) fn apply_safety(&mut self, event: Event) -> Result<(), EventMisfit> {
        match event {
            Event::SafetyTriggered { triggers, watch } => self.triggered(triggers, watch),
            Event::Held { ask, turn, blocked, suspect } => {
                let known = turn.seat.index() < self.room.seats.len();
                if !known || self.room.round(ask.round).is_none() {
                    return Err(EventMisfit);
                }
                let (judged, given_up) = (None, false);
                self.hold(HeldAnswer { ask, turn: *turn, blocked, suspect, judged, given_up });
            }
            Event::Judged { verdict, bill, .. } => {
                if let Some(bill) = bill {
                    self.room.spent.add(&bill);
                }
                let held = self.desk.held.get_mut(&verdict.seat).ok_or(EventMisfit)?;
                held.judged = Some(verdict.clone());
                let verdicts = &mut self.room.safety.verdicts;
                verdicts.push(verdict);
                verdicts.sort_rows_by_key(|verdict| (verdict.round, verdict.seat));
            }
            Event::TextRefused { refused } => self.room.safety.refused.push(refused),
            Event::SafetyRelaxed { round } => {
                self.room.safety.watch = SafetyWatch::Off;
                self.room.safety.clean_rounds = 0;
                self.room.safety.relaxed_after.push(round);
            }
            _ => return Err(EventMisfit),
        }
        Ok(())
    }

    fn hold(&mut self, held: HeldAnswer) {
        self.room.spent.add(&held.turn.bill);
        let seat = held.turn.seat;
        let mut found: Vec<&String> = held.blocked.iter().chain(&held.suspect).collect();
        found.dedup();
        self.desk.due.extend(found.into_iter().map(|what| SafetyTrigger {
            kind: TriggerKind::Intent,
            round: held.ask.round,
            seat: Some(seat),
            what: what.clone(),
        }));
        self.desk.held.insert(seat, held);
    }

    fn triggered(&mut self, triggers: Vec<SafetyTrigger>, watch: SafetyWatch) {
        self.desk.due.clear();
        self.room.safety.clean_rounds = 0;
        let safety = &mut self.room.safety;
        safety.triggers.extend(triggers);
        safety.triggers.sort_rows_by_key(|trigger| (trigger.round, trigger.seat));
        safety.watch = watch;
    }

    /// Counts a closed round toward switching off: clean only if every answer in
    /// it was judged and allowed at once.
    pub(super) fn count_clean(&mut self, round: Round) {
        let Some(record) = self.room.round(round) else { return };
        let safety = &self.room.safety;
        let judged: Vec<&SafetyVerdict> =
            safety.verdicts.iter().filter(|verdict| verdict.round == round).collect();
        let allowed = |turn: &Turn| judged.iter().any(|verdict| verdict.seat == turn.seat);
        let clean = safety.watch == SafetyWatch::On
            && judged.iter().all(|verdict| verdict.judgement == Judgement::Allow)
            && record.answered().all(allowed)
            && safety.triggers.iter().all(|trigger| trigger.round != round);
        self.room.safety.clean_rounds = if clean { safety.clean_rounds + 1 } else { 0 };
    }
}

fn reasons(verdict: &SafetyVerdict) -> String {
    match verdict.reasons.as_slice() {
        [] => "no reason was given".into(),
        reasons => reasons.join("; "),
    }
}

/// Returns the notice in place of a blocked answer.
fn blocked_gap(turn: &Turn, reasons: &str) -> Gap {
    Gap {
        seat: turn.seat,
        agent: turn.agent.clone(),
        round: turn.round,
        wave: turn.wave,
        class: FailureClass::Blocked,
        message: format!("the answer was blocked: {reasons}"),
        tries: 1,
        bill: turn.bill,
    }
}

/// A text without what copying changes: case, line breaks and quotation marks.
fn plain_words(text: &str) -> String {
    let words: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .flat_map(char::to_lowercase)
        .collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Everything of an answer that others would read.
fn whole(answer: &Answer) -> String {
    let mut lines = vec![answer.position.clone()];
    lines.extend(answer.key_points.iter().map(|point| format!("- {point}")));
    lines.extend(answer.claims.iter().map(|claim| format!("- {}", claim.text)));
    lines.extend(answer.critiques.iter().map(|critique| format!("- {}", critique.text)));
    lines.extend(answer.vote.iter().filter_map(|vote| vote.objection.clone()));
    lines.push(answer.reasoning.clone());
    lines.join("\n")
}
