//! The books: every call that was sent, what was set aside for it beforehand and
//! what it came to. They are kept from the events, in the same commit as they
//! are, so that no answer is stored without its cost and no call is sent
//! without its reservation. A budget is checked here and nowhere else: under
//! the write lock, so that no two processes can both take the last of it.
//!
//! What a call is charged: its cost where it is known; else what was set aside
//! for it; nothing where it failed in a way that is never billed. A call whose
//! fate nobody knows keeps its reservation as possibly billed.

use debate::model::{AskId, Bill, Event, FailureClass, MicroUsd, Party, SeatId};

use crate::error::StoreError;
use crate::listing::signed;
use crate::script::Script;
use crate::standing::{CallRow, Standing};

const DAY_MS: i64 = 86_400_000;

/// How much may be spent. Zero is a limit too; `None` is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    pub debate: Option<MicroUsd>,
    /// For all debates of this database together, per day in UTC.
    pub day: Option<MicroUsd>,
    pub unpriced: Unpriced,
}

/// What becomes of a call whose price is not known while there is a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unpriced {
    /// Nobody can promise that it keeps within the limit.
    #[default]
    Refused,
    /// It is made, counted, and not in the sum.
    Allowed,
}

/// Which limit was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purse {
    Debate,
    Day,
}

impl Purse {
    pub fn word(self) -> &'static str {
        match self {
            Purse::Debate => "this debate's budget",
            Purse::Day => "the day's budget",
        }
    }
}

/// What some events do to the books. Made before the writer's turn.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    day: i64,
    /// Name, provider and model.
    parties: Vec<(String, String, String)>,
    /// Seats that were set anew, and the agents that take them.
    reseated: Vec<(String, String)>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
enum Entry {
    Held { ask: AskId, reserved: Option<MicroUsd> },
    Settled { ask: AskId, charge: Charge },
    Abandoned { ask: AskId },
}

#[derive(Debug, Clone, Copy)]
enum Charge {
    Known(MicroUsd),
    /// The answer came without its price: what was set aside is charged.
    Reserved,
    /// It failed, and whether it was billed nobody knows.
    Possible,
}

/// Failures that no provider bills.
const NEVER_BILLED: [FailureClass; 7] = [
    FailureClass::RateLimited,
    FailureClass::Unauthorised,
    FailureClass::OutOfCredit,
    FailureClass::BadRequest,
    FailureClass::TooLong,
    FailureClass::Blocked,
    FailureClass::Cancelled,
];

impl Charge {
    fn of(event: &Event, bill: &Bill) -> Charge {
        let tokens = bill.usage.total().unwrap_or(0);
        match (bill.cost, event) {
            (Some(cost), _) => Charge::Known(cost),
            (None, Event::Missed { gap, .. })
                if tokens == 0 && NEVER_BILLED.contains(&gap.class) =>
            {
                Charge::Known(MicroUsd::ZERO)
            }
            (None, Event::Missed { .. } | Event::ClerkFailed { .. }) => Charge::Possible,
            (None, _) => Charge::Reserved,
        }
    }
}

impl Entries {
    pub(crate) fn of(events: &[Event], at: i64) -> Entries {
        let mut all = Entries { day: at.div_euclid(DAY_MS), ..Entries::default() };
        for event in events {
            all.take(event);
        }
        all
    }

    /// Who speaks for whom, and nothing that was spent.
    pub(crate) fn without_calls(self) -> Entries {
        Entries { entries: Vec::new(), ..self }
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Opened { brief, seats, .. } => {
                let seats = seats
                    .iter()
                    .filter_map(|seat| Some((seat_name(seat.id), brief.agents.get(seat.agent)?)));
                let clerk = brief.clerk.iter().map(|agent| ("clerk".to_string(), agent));
                let agents = (0..).zip(&brief.agents).map(|(n, agent)| (agent_name(n), agent));
                let parties = seats.chain(clerk).chain(agents);
                self.parties
                    .extend(parties.map(|(who, a)| (who, a.provider.clone(), a.model.clone())));
            }
            Event::DepthChosen { seats, .. } | Event::DomainNamed { seats, .. } => {
                let seats = seats.iter().map(|seat| (seat_name(seat.id), agent_name(seat.agent)));
                self.reseated.extend(seats);
                self.settle_call(event);
            }
            Event::Asked { intents } => self.entries.extend(
                intents.iter().map(|one| Entry::Held { ask: one.ask, reserved: one.reserved }),
            ),
            Event::Ambiguous { intents } => {
                self.entries.extend(intents.iter().map(|one| Entry::Abandoned { ask: one.ask }));
            }
            other => self.settle_call(other),
        }
    }

    fn settle_call(&mut self, event: &Event) {
        if let Some((ask, bill)) = event.ends() {
            self.entries.push(Entry::Settled { ask, charge: Charge::of(event, bill) });
        }
    }

    fn wanted(&self) -> (MicroUsd, usize) {
        let held = self.entries.iter().filter_map(|entry| match entry {
            Entry::Held { reserved, .. } => Some(reserved),
            _ => None,
        });
        let unpriced = held.clone().filter(|reserved| reserved.is_none()).count();
        (held.flatten().copied().sum(), unpriced)
    }

    /// The calls whose fate these events decide.
    pub(crate) fn asks(&self) -> Vec<String> {
        let asks = self.entries.iter().filter_map(|entry| match entry {
            Entry::Held { .. } => None,
            Entry::Settled { ask, .. } | Entry::Abandoned { ask } => Some(ask.to_string()),
        });
        asks.collect()
    }

    /// The accounts that a budget looks at.
    pub(crate) fn accounts(&self, id: &str) -> Vec<String> {
        vec![debate_account(id), day_account(self.day)]
    }

    /// Refuses what would pass a limit; changes nothing.
    pub(crate) fn check(
        &self,
        id: &str,
        caps: &Caps,
        standing: &Standing,
    ) -> Result<(), StoreError> {
        let (wanted, unpriced) = self.wanted();
        let limited = caps.debate.is_some() || caps.day.is_some();
        if limited && unpriced > 0 && caps.unpriced == Unpriced::Refused {
            return Err(StoreError::Unpriced { id: id.into(), calls: unpriced });
        }
        if wanted == MicroUsd::ZERO {
            return Ok(());
        }
        let purses = [
            (Purse::Debate, caps.debate, debate_account(id)),
            (Purse::Day, caps.day, day_account(self.day)),
        ];
        for (which, cap, account) in purses {
            let Some(cap) = cap else { continue };
            let after = standing.bound(&account) + self.settles(which, standing);
            let bound = MicroUsd(u64::try_from(after).unwrap_or(0));
            if bound + wanted > cap {
                return Err(StoreError::Budget { which, cap, bound, wanted });
            }
        }
        Ok(())
    }

    /// By how much an account changes through calls that end with these events.
    fn settles(&self, which: Purse, standing: &Standing) -> i64 {
        let change = |entry: &Entry| {
            let Entry::Settled { ask, charge: Charge::Known(cost) } = entry else { return 0 };
            let ask = ask.to_string();
            let row = standing.calls.iter().find(|row| row.held && row.ask == ask);
            let row = row.filter(|row| which == Purse::Debate || row.day == self.day);
            row.map_or(0, |row| signed(cost.0).saturating_sub(row.reserved))
        };
        self.entries.iter().map(change).sum()
    }

    /// `standing` must hold the calls of [`Entries::asks`].
    pub(crate) fn write(&self, script: &mut Script, id: &str, standing: &mut Standing) {
        for (party, provider, model) in &self.parties {
            script
                .say("INSERT INTO parties (debate_id, party, provider, model) VALUES (?, ?, ?, ?)")
                .with(id)
                .with(party.as_str())
                .with(provider.as_str())
                .with(model.as_str());
        }
        for (seat, agent) in &self.reseated {
            script
                .say(
                    "INSERT INTO parties (debate_id, party, provider, model)
                     SELECT debate_id, ?, provider, model FROM parties
                     WHERE debate_id = ? AND party = ?
                     ON CONFLICT (debate_id, party) DO UPDATE
                     SET provider = excluded.provider, model = excluded.model",
                )
                .with(seat.as_str())
                .with(id)
                .with(agent.as_str());
        }
        let mut changes = Changes::default();
        for entry in &self.entries {
            match entry {
                Entry::Held { ask, reserved } => {
                    let row = Call { ask, state: "held", reserved: *reserved, cost: None };
                    self.insert(script, id, &row, standing);
                    changes.add(self.day, signed(reserved.unwrap_or_default().0));
                }
                Entry::Abandoned { ask } => {
                    close(script, id, ask, ("possible", None), standing);
                }
                Entry::Settled { ask, charge } => {
                    self.settle(script, id, ask, *charge, standing, &mut changes);
                }
            }
        }
        changes.write(script, id);
    }

    fn settle(
        &self,
        script: &mut Script,
        id: &str,
        ask: &AskId,
        charge: Charge,
        standing: &mut Standing,
        changes: &mut Changes,
    ) {
        let (state, cost) = match charge {
            Charge::Known(cost) => ("settled", Some(cost)),
            Charge::Reserved => ("settled", None),
            Charge::Possible => ("possible", None),
        };
        let held = close(script, id, ask, (state, cost), standing);
        match (held, cost) {
            (Some(held), Some(cost)) => {
                changes.add(held.day, signed(cost.0).saturating_sub(held.reserved));
            }
            // Sent before there were books. What is known is settled already: an
            // answer that was held is charged when it comes in, not when it enters.
            (None, Some(cost)) if cost > MicroUsd::ZERO && !known(standing, ask) => {
                let call = Call { ask, state, reserved: None, cost: Some(cost) };
                self.insert(script, id, &call, standing);
                changes.add(self.day, signed(cost.0));
            }
            _ => {}
        }
    }

    fn insert(&self, script: &mut Script, id: &str, call: &Call<'_>, standing: &mut Standing) {
        let ask = call.ask.to_string();
        script
            .say(
                "INSERT INTO calls (debate_id, ask, attempt, day, provider, model, state,
                     reserved_micro, cost_micro)
                 SELECT ?, ?, (SELECT COUNT(*) + 1 FROM calls WHERE debate_id = ? AND ask = ?),
                     ?, COALESCE(p.provider, ''), COALESCE(p.model, ''), ?, ?, ?
                 FROM (SELECT 1) LEFT JOIN parties p ON p.debate_id = ? AND p.party = ?",
            )
            .with(id)
            .with(ask.as_str())
            .with(id)
            .with(ask.as_str())
            .with(self.day)
            .with(call.state)
            .with(call.reserved.map(|amount| signed(amount.0)))
            .with(call.cost.map(|amount| signed(amount.0)))
            .with(id)
            .with(party(call.ask));
        let reserved = signed(call.reserved.unwrap_or_default().0);
        let held = call.state == "held";
        standing.calls.push(CallRow { ask, held, day: self.day, reserved });
    }
}

struct Call<'a> {
    ask: &'a AskId,
    state: &'static str,
    reserved: Option<MicroUsd>,
    cost: Option<MicroUsd>,
}

fn seat_name(seat: SeatId) -> String {
    format!("s{}", seat.index())
}

fn agent_name(index: usize) -> String {
    format!("a{index}")
}

fn party(ask: &AskId) -> String {
    match ask.party {
        Party::Seat(seat) => seat_name(seat),
        Party::Clerk => "clerk".into(),
    }
}

/// A call that was held until now.
struct Held {
    day: i64,
    reserved: i64,
}

/// Ends a call that is held; without a cost it is charged what was set aside.
fn close(
    script: &mut Script,
    id: &str,
    ask: &AskId,
    (state, cost): (&'static str, Option<MicroUsd>),
    standing: &mut Standing,
) -> Option<Held> {
    let ask = ask.to_string();
    let row = standing.calls.iter_mut().find(|row| row.held && row.ask == ask)?;
    row.held = false;
    let held = Held { day: row.day, reserved: row.reserved };
    script
        .say(
            "UPDATE calls SET state = ?, cost_micro = COALESCE(?, reserved_micro)
             WHERE debate_id = ? AND ask = ? AND state = 'held'",
        )
        .with(state)
        .with(cost.map(|cost| signed(cost.0)))
        .with(id)
        .with(ask);
    Some(held)
}

fn known(standing: &Standing, ask: &AskId) -> bool {
    let ask = ask.to_string();
    standing.calls.iter().any(|row| row.ask == ask)
}

/// Sums to add to the accounts of some days, and of the debate.
#[derive(Default)]
struct Changes(Vec<(i64, i64)>);

impl Changes {
    fn add(&mut self, day: i64, amount: i64) {
        match self.0.iter_mut().find(|(known, _)| *known == day) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => self.0.push((day, amount)),
        }
    }

    fn write(self, script: &mut Script, id: &str) {
        for (day, amount) in self.0.into_iter().filter(|(_, amount)| *amount != 0) {
            script
                .say(
                    "INSERT INTO accounts (name, bound_micro) VALUES (?, ?), (?, ?)
                     ON CONFLICT (name) DO UPDATE
                     SET bound_micro = bound_micro + excluded.bound_micro",
                )
                .with(debate_account(id))
                .with(amount)
                .with(day_account(day))
                .with(amount);
        }
    }
}

fn debate_account(id: &str) -> String {
    format!("debate {id}")
}

fn day_account(day: i64) -> String {
    format!("day {day}")
}
