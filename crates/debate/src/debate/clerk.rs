//! The clerk's asks, and the events made of its replies. The clerk sees answers
//! under numbers and in an order that does not reveal the seats.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Debate, propositions};
use crate::briefing::{self, ClerkMaterial};
use crate::model::*;
use crate::prompts::{self, ClerkPrompt, StandsAsk, TemplateError};
use crate::reading::{self, ReadConsensus, ReadSummary, SummaryScope};

/// Clerks write little and must not wander.
const MAX_TOKENS: u32 = 2048;
const TEMPERATURE: f64 = 0.0;

impl Debate {
    pub(super) fn clerk_ask(&self, id: AskId) -> Result<Ask, TemplateError> {
        if matches!(id.task, Task::Safety | Task::Recheck) {
            return self.safety_ask(id);
        }
        let brief = &self.room.brief;
        let fence = Fence::new(&brief.fence_key, &id);
        let order = self.clerk_order(id);
        let names: Vec<String> = match id.task {
            Task::Summary => order.iter().map(|seat| self.room.seat(*seat).name.clone()).collect(),
            _ => (1..=order.len()).map(|number| format!("Participant {number}")).collect(),
        };
        let material = match self.room.round(id.round) {
            Some(record) => briefing::for_clerk(&self.room, record, &order, &names, &fence),
            None => ClerkMaterial::default(),
        };
        let clerk = ClerkPrompt {
            topic: &brief.topic,
            language: self.language_name(),
            material: &material.text,
            fence_mark: fence.mark(),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let kept = |names: &[&str], make: &dyn Fn() -> serde_json::Value| {
            prompts::clerk_schema(id.task, names, make)
        };
        let ((system, user), schema) = match id.task {
            Task::Summary => {
                let claims = self.claims_of(id.round);
                let words = prompts::clerk_summary(&self.words, &clerk, id.round, &names, &claims)?;
                (words, kept(&names, &|| prompts::summary_schema(&names)))
            }
            Task::Perspectives => {
                let count = self.room.seats.len();
                let words = prompts::clerk_perspectives(&self.words, &clerk, count)?;
                (words, kept(&[], &prompts::perspectives_schema))
            }
            Task::Complexity => {
                let words = prompts::clerk_complexity(&self.words, &clerk)?;
                (words, kept(&[], &prompts::complexity_schema))
            }
            Task::Domain => {
                let known = brief.lessons.iter().map(|lessons| lessons.domain.as_str());
                // The general domain is not a choice.
                let known: Vec<&str> = known.filter(|name| *name != GENERAL_DOMAIN).collect();
                let words = prompts::clerk_domain(&self.words, &clerk, &known)?;
                (words, kept(&[], &prompts::domain_schema))
            }
            _ => {
                let open = propositions::open_list(&self.room, id.round);
                let material = match open.as_str() {
                    "" => Cow::Borrowed(material.text.as_str()),
                    open => {
                        let fenced = fence.wrap("propositions so far", open);
                        Cow::Owned(format!("{fenced}\n{}", material.text))
                    }
                };
                let clerk = ClerkPrompt { material: &material, ..clerk };
                let continued = !open.is_empty();
                let ask = StandsAsk { round: id.round, participants: &names, continued };
                let words = prompts::clerk_consensus(&self.words, &clerk, &ask)?;
                (words, kept(&names, &|| prompts::consensus_schema(&names)))
            }
        };
        let known = known_inside(&user, &material.text, material.known);
        Ok(self.as_clerk(id, system, TokenCounted::with_known(user, known), schema))
    }

    pub(super) fn as_clerk(
        &self,
        id: AskId,
        system: String,
        user: impl Into<TokenCounted<String>>,
        schema: Arc<TokenCounted<serde_json::Value>>,
    ) -> Ask {
        let brief = &self.room.brief;
        Ask {
            id,
            agent: None,
            speaker: brief.clerk.as_ref().map_or_else(String::new, |clerk| clerk.name.clone()),
            system: prompts::clerk_system(system),
            user: user.into(),
            schema,
            max_output_tokens: MAX_TOKENS,
            temperature: TEMPERATURE,
            timeout_seconds: brief.limits.timeout_seconds,
            tools: ToolPolicy::NONE,
            form: Default::default(),
            shown: ViewContents::default(),
        }
    }

    pub(super) fn rated(&self, ask: AskId, reply: &Reply) -> Event {
        match reading::read_complexity(&reply.text) {
            Some(rated) => self.depth_chosen(Some(&rated), Some(reply.bill)),
            None => failed(ask, "the rating could not be read", reply),
        }
    }

    pub(super) fn domain_named(&self, ask: AskId, reply: &Reply) -> Event {
        match reading::read_domain(&reply.text) {
            Some(domain) => {
                let brief = self.room.brief.clone().in_domain(domain.clone());
                let seats = crate::casting::seats(self.plan, &brief);
                Event::DomainNamed { domain, seats, bill: reply.bill }
            }
            None => failed(ask, "the domain could not be read", reply),
        }
    }

    /// The seats that answered, shuffled for the analysis and in seat order for
    /// the summary, which names them.
    fn clerk_order(&self, id: AskId) -> Vec<SeatId> {
        let mut seats: Vec<SeatId> = self
            .room
            .round(id.round)
            .map(|record| record.answered().map(|turn| turn.seat).collect())
            .unwrap_or_default();
        if id.task == Task::Consensus {
            let key = &self.room.brief.fence_key;
            // A mark that cannot be guessed makes a shuffle that cannot be
            // guessed.
            seats.sort_by_cached_key(|seat| {
                Fence::new(key, &AskId { about: Some(*seat), ..id }).mark().to_owned()
            });
        }
        seats
    }

    /// The claims a summary of the round must name.
    fn claims_of(&self, round: Round) -> Vec<ClaimId> {
        let mut claims =
            self.room.round(round).map(|record| record.new_claims.clone()).unwrap_or_default();
        claims.extend(self.room.ledger.with_status(ClaimStatus::Contested).map(|claim| claim.id));
        claims.sort_unstable();
        claims.dedup();
        claims
    }

    pub(super) fn perspectives_named(&self, ask: AskId, reply: &Reply) -> Event {
        match reading::read_perspectives(&reply.text).filter(|named| !named.is_empty()) {
            Some(named) => {
                let seats =
                    crate::casting::deal_perspectives(&named, &self.room.brief, &self.room.seats);
                Event::PerspectivesNamed { seats, bill: reply.bill }
            }
            None => failed(ask, "the perspectives could not be read", reply),
        }
    }

    /// Puts the clerk's words into the extracted summary: the figures stay our
    /// own, and a claim the clerk forgot stays in.
    pub(super) fn summed_up(&self, ask: AskId, reply: &Reply) -> Event {
        let speakers: Vec<String> =
            self.clerk_order(ask).iter().map(|seat| self.room.seat(*seat).name.clone()).collect();
        let scope = SummaryScope {
            speakers: &speakers,
            known_claims: self.room.ledger.claims.len(),
            known_evidence: self.room.ledger.evidence.len(),
        };
        match reading::read_summary(&reply.text, &scope) {
            Some(read) => {
                let summary = self.joined(ask, read);
                Event::Summarised { summary, bill: Some(reply.bill) }
            }
            None => failed(ask, "the summary could not be read", reply),
        }
    }

    fn joined(&self, ask: AskId, read: ReadSummary) -> RoundSummary {
        let mut summary = briefing::summarise(&self.room, ask.round);
        let order = self.clerk_order(ask);
        summary.by = SummaryBy::Clerk;
        summary.one_liner = read.one_liner;
        summary.decisions.extend(read.decisions);
        for moves in read.by_agent {
            let seat = order.get(moves.speaker);
            let own = summary.by_agent.iter_mut().find(|own| Some(&own.seat) == seat);
            if let Some(own) = own.filter(|_| !moves.key_moves.is_empty()) {
                own.key_moves = moves.key_moves;
            }
        }
        for contested in read.contested {
            if let Some(own) = summary.contested.iter_mut().find(|c| c.claim == contested.claim) {
                *own = contested;
            }
        }
        summary
    }

    pub(super) fn stands_read(&self, ask: AskId, reply: &Reply) -> Event {
        let order = self.clerk_order(ask);
        match reading::read_consensus(&reply.text, order.len()) {
            Ok(read) => Event::StandsRead {
                round: ask.round,
                stands: Box::new(propositions::numbered(
                    seated(read, &order),
                    &propositions::known(&self.room, ask.round),
                )),
                bill: reply.bill,
            },
            Err(why) => failed(ask, &why, reply),
        }
    }
}

pub(super) fn failed(ask: AskId, why: &str, reply: &Reply) -> Event {
    Event::ClerkFailed { ask, why: why.into(), bill: reply.bill }
}

/// Participants' numbers turned back into seats.
fn seated(read: ReadConsensus, order: &[SeatId]) -> ClerkConsensus {
    let seat = |participant: usize| order.get(participant.wrapping_sub(1)).copied();
    ClerkConsensus {
        clusters: read
            .clusters
            .into_iter()
            .map(|cluster| Cluster {
                theme: cluster.theme,
                seats: cluster.participants.into_iter().filter_map(seat).collect(),
                summary: cluster.summary,
            })
            .collect(),
        propositions: read
            .propositions
            .into_iter()
            .map(|proposition| Proposition {
                id: proposition.id,
                text: proposition.text,
                settled: proposition.settled,
                stands: proposition
                    .stands
                    .into_iter()
                    .filter_map(|(who, side)| Some(SeatStand { seat: seat(who)?, side }))
                    .collect(),
            })
            .collect(),
        common_ground: read.common_ground,
        disagreements: read.disagreements,
        nuances: read.nuances,
        conflicts: read
            .conflicts
            .into_iter()
            .map(|conflict| Conflict {
                issue: conflict.issue,
                positions: conflict
                    .positions
                    .into_iter()
                    .filter_map(|(who, says)| Some(ConflictSide { seat: seat(who)?, says }))
                    .collect(),
            })
            .collect(),
        summary: read.summary,
        reasoning: read.reasoning,
        rating: read.rating,
    }
}
