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
use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::listing::signed;

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
const NEVER_BILLED: [FailureClass; 6] = [
    FailureClass::RateLimited,
    FailureClass::Unauthorised,
    FailureClass::OutOfCredit,
    FailureClass::BadRequest,
    FailureClass::TooLong,
    FailureClass::Blocked,
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

    /// Refuses what would pass a limit; changes nothing.
    pub(crate) async fn check(
        &self,
        connection: &mut SqliteConnection,
        id: &str,
        caps: &Caps,
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
            let bound = bound(connection, &account).await?;
            if bound + wanted > cap {
                return Err(StoreError::Budget { which, cap, bound, wanted });
            }
        }
        Ok(())
    }

    pub(crate) async fn write(
        &self,
        connection: &mut SqliteConnection,
        id: &str,
    ) -> Result<(), StoreError> {
        for (party, provider, model) in &self.parties {
            sqlx::query(
                "INSERT INTO parties (debate_id, party, provider, model) VALUES ($1, $2, $3, $4)",
            )
            .bind(id)
            .bind(party)
            .bind(provider)
            .bind(model)
            .execute(&mut *connection)
            .await?;
        }
        for (seat, agent) in &self.reseated {
            sqlx::query(
                "INSERT INTO parties (debate_id, party, provider, model)
                 SELECT debate_id, $2, provider, model FROM parties
                 WHERE debate_id = $1 AND party = $3
                 ON CONFLICT (debate_id, party) DO UPDATE
                 SET provider = excluded.provider, model = excluded.model",
            )
            .bind(id)
            .bind(seat)
            .bind(agent)
            .execute(&mut *connection)
            .await?;
        }
        let mut changes = Changes::default();
        for entry in &self.entries {
            match entry {
                Entry::Held { ask, reserved } => {
                    let row = Call { ask, state: "held", reserved: *reserved, cost: None };
                    self.insert(connection, id, &row).await?;
                    changes.add(self.day, signed(reserved.unwrap_or_default().0));
                }
                Entry::Abandoned { ask } => {
                    close(connection, id, ask, "possible", None).await?;
                }
                Entry::Settled { ask, charge } => {
                    self.settle(connection, id, ask, *charge, &mut changes).await?;
                }
            }
        }
        changes.write(connection, id).await
    }

    async fn settle(
        &self,
        connection: &mut SqliteConnection,
        id: &str,
        ask: &AskId,
        charge: Charge,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let (state, cost) = match charge {
            Charge::Known(cost) => ("settled", Some(cost)),
            Charge::Reserved => ("settled", None),
            Charge::Possible => ("possible", None),
        };
        let held = close(connection, id, ask, state, cost).await?;
        match (held, cost) {
            (Some(held), Some(cost)) => {
                changes.add(held.day, signed(cost.0).saturating_sub(held.reserved));
            }
            // Sent before there were books. What is known is settled already: an
            // answer that was held is charged when it comes in, not when it enters.
            (None, Some(cost)) if cost > MicroUsd::ZERO && !known(connection, id, ask).await? => {
                self.insert(connection, id, &Call { ask, state, reserved: None, cost: Some(cost) })
                    .await?;
                changes.add(self.day, signed(cost.0));
            }
            _ => {}
        }
        Ok(())
    }

    async fn insert(
        &self,
        connection: &mut SqliteConnection,
        id: &str,
        call: &Call<'_>,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO calls (debate_id, ask, attempt, day, provider, model, state,
                 reserved_micro, cost_micro)
             SELECT $1, $2, (SELECT COUNT(*) + 1 FROM calls WHERE debate_id = $1 AND ask = $2),
                 $3, COALESCE(p.provider, ''), COALESCE(p.model, ''), $5, $6, $7
             FROM (SELECT 1) LEFT JOIN parties p ON p.debate_id = $1 AND p.party = $4",
        )
        .bind(id)
        .bind(call.ask.to_string())
        .bind(self.day)
        .bind(party(call.ask))
        .bind(call.state)
        .bind(call.reserved.map(|amount| signed(amount.0)))
        .bind(call.cost.map(|amount| signed(amount.0)))
        .execute(connection)
        .await?;
        Ok(())
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
async fn close(
    connection: &mut SqliteConnection,
    id: &str,
    ask: &AskId,
    state: &'static str,
    cost: Option<MicroUsd>,
) -> Result<Option<Held>, StoreError> {
    let row = sqlx::query(
        "UPDATE calls SET state = $3, cost_micro = COALESCE($4, reserved_micro)
         WHERE debate_id = $1 AND ask = $2 AND state = 'held'
         RETURNING day, COALESCE(reserved_micro, 0) AS reserved",
    )
    .bind(id)
    .bind(ask.to_string())
    .bind(state)
    .bind(cost.map(|cost| signed(cost.0)))
    .fetch_optional(connection)
    .await?;
    row.map(|row| Ok(Held { day: row.try_get("day")?, reserved: row.try_get("reserved")? }))
        .transpose()
}

async fn known(
    connection: &mut SqliteConnection,
    id: &str,
    ask: &AskId,
) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT 1 FROM calls WHERE debate_id = $1 AND ask = $2 LIMIT 1")
        .bind(id)
        .bind(ask.to_string())
        .fetch_optional(connection)
        .await?;
    Ok(row.is_some())
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

    async fn write(self, connection: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
        for (day, amount) in self.0.into_iter().filter(|(_, amount)| *amount != 0) {
            sqlx::query(
                "INSERT INTO accounts (name, bound_micro) VALUES ($1, $3), ($2, $3)
                 ON CONFLICT (name) DO UPDATE SET bound_micro = bound_micro + excluded.bound_micro",
            )
            .bind(debate_account(id))
            .bind(day_account(day))
            .bind(amount)
            .execute(&mut *connection)
            .await?;
        }
        Ok(())
    }
}

fn debate_account(id: &str) -> String {
    format!("debate {id}")
}

fn day_account(day: i64) -> String {
    format!("day {day}")
}

async fn bound(connection: &mut SqliteConnection, account: &str) -> Result<MicroUsd, StoreError> {
    let row = sqlx::query("SELECT bound_micro FROM accounts WHERE name = $1")
        .bind(account)
        .fetch_optional(connection)
        .await?;
    let bound: i64 = row.map_or(Ok(0), |row| row.try_get(0))?;
    Ok(MicroUsd(u64::try_from(bound).unwrap_or(0)))
}
