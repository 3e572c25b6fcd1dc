//! The tables `parties`, `calls` and `accounts`: the books, their sums, and a
//! check that they agree with themselves.

use debate::model::MicroUsd;
use sqlx::Row;
use sqlx::sqlite::{SqlitePool, SqliteRow};

use crate::error::StoreError;
use crate::log_row::signed;
use crate::people::Reach;
use crate::spending::{
    CachedLine, CallEndRow, CallStep, CostLine, CostsBy, LeastSpending, NewCall, Spender,
    SpendingPlan, day_account, day_of, debate_account, month_begins, person_day_account,
    person_month_account,
};
use crate::sqlite::statements::rows;
use crate::sqlite::statements::script::SqlScript;

/// Writes everything of a plan.
pub(crate) fn write(script: &mut SqlScript, id: &str, plan: &SpendingPlan<'_>) {
    for (party, provider, model) in plan.parties {
        script
            .say("INSERT INTO parties (debate_id, party, provider, model) VALUES (?, ?, ?, ?)")
            .with(id)
            .with(party.as_str())
            .with(provider.as_str())
            .with(model.as_str());
    }
    for (seat, agent) in plan.reseated {
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
    let mut are_inserted = false;
    for step in &plan.calls {
        let inserts = matches!(step, CallStep::Insert(_));
        if are_inserted && !inserts {
            end_insert(script, id);
        }
        match step {
            CallStep::Insert(call) => insert(script, plan.owner.as_deref(), call, are_inserted),
            CallStep::Extend { ask, reserved, used } => {
                extend(script, id, ask, (*reserved, *used));
            }
            CallStep::Close { ask, end } => close(script, id, ask, *end),
        }
        are_inserted = inserts;
    }
    if are_inserted {
        end_insert(script, id);
    }
    let accounts = plan.accounts();
    if accounts.is_empty() {
        return;
    }
    let mut before = "INSERT INTO accounts (name, bound_micro) VALUES (?, ?)";
    for (index, (name, amount)) in accounts.into_iter().enumerate() {
        if index == 0 {
            script.say(before)
        } else {
            script.and(before)
        };
        script.with(name).with(amount);
        before = ", (?, ?)";
    }
    script
        .and(" ON CONFLICT (name) DO UPDATE SET bound_micro = bound_micro + excluded.bound_micro");
}

/// Begins to insert calls, or goes on with one more.
fn insert(script: &mut SqlScript, owner: Option<&str>, call: &NewCall, goes_on: bool) {
    if goes_on {
        script.and(", ");
    } else {
        script.say("WITH n (ask, day, state, reserved, cost, owner, party) AS (VALUES ");
    }
    script
        .and("(?, ?, ?, ?, ?, ?, ?)")
        .with(call.ask.as_str())
        .with(call.day)
        .with(call.state)
        .with(call.reserved.map(|amount| signed(amount.0)))
        .with(call.cost.map(|amount| signed(amount.0)))
        .with(owner)
        .with(call.party.as_str());
}

fn end_insert(script: &mut SqlScript, id: &str) {
    script
        .and(
            ") INSERT INTO calls (debate_id, ask, attempt, day, provider, model, state,
                 reserved_micro, cost_micro, owner)
             SELECT i.id, n.ask,
                 (SELECT COUNT(*) + 1 FROM calls c WHERE c.debate_id = i.id AND c.ask = n.ask),
                 n.day, COALESCE(p.provider, ''), COALESCE(p.model, ''), n.state, n.reserved,
                 n.cost, n.owner
             FROM n CROSS JOIN (SELECT ? AS id) i
                 LEFT JOIN parties p ON p.debate_id = i.id AND p.party = n.party",
        )
        .with(id);
}

fn extend(script: &mut SqlScript, id: &str, ask: &str, (reserved, used): (MicroUsd, MicroUsd)) {
    script
        .say(
            "UPDATE calls SET reserved_micro = ?, cost_micro = ?
             WHERE debate_id = ? AND ask = ? AND state = 'held'",
        )
        .with(signed(reserved.0))
        .with(signed(used.0))
        .with(id)
        .with(ask);
}

fn close(script: &mut SqlScript, id: &str, ask: &str, end: CallEndRow) {
    script
        .say(
            "UPDATE calls SET state = ?, cost_micro = COALESCE(?, reserved_micro),
                 input_tokens = ?, cached_tokens = ?
             WHERE debate_id = ? AND ask = ? AND state = 'held'",
        )
        .with(end.state)
        .with(end.cost.map(|cost| signed(cost.0)))
        .with(signed(end.tokens.all))
        .with(signed(end.tokens.cached))
        .with(id)
        .with(ask);
}

/// The figures of one line, the same whatever they are added up by.
macro_rules! sums {
    () => {
        "COUNT(*) AS calls,
         SUM(CASE state WHEN 'settled' THEN COALESCE(cost_micro, 0) ELSE 0 END) AS spent,
         SUM(CASE state WHEN 'held' THEN COALESCE(reserved_micro, 0) ELSE 0 END) AS held,
         SUM(CASE state WHEN 'possible' THEN COALESCE(cost_micro, 0) ELSE 0 END) AS possible,
         SUM(state = 'possible') AS ambiguous_calls,
         SUM(state = 'settled' AND cost_micro IS NULL) AS unpriced_calls,
         SUM(input_tokens) AS input_tokens, SUM(cached_tokens) AS cached_tokens
         FROM calls WHERE $1 OR owner = $2 GROUP BY 1 ORDER BY 1"
    };
}

fn sums(by: CostsBy) -> &'static str {
    match by {
        CostsBy::Day => {
            concat!("SELECT date(day * 86400, 'unixepoch') AS key, ", sums!(), " DESC")
        }
        CostsBy::Provider => concat!("SELECT provider AS key, ", sums!()),
        CostsBy::Model => concat!("SELECT provider || '/' || model AS key, ", sums!()),
        CostsBy::Debate => concat!("SELECT debate_id AS key, ", sums!(), " DESC"),
    }
}

/// The tokens from caches, by key and model.
macro_rules! cached {
    () => {
        "provider, model, SUM(cached_tokens) AS cached_tokens FROM calls
         WHERE cached_tokens > 0 AND ($1 OR owner = $2) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    };
}

pub(crate) async fn cached(
    readers: &SqlitePool,
    reach: &Reach,
    by: CostsBy,
) -> Result<Vec<CachedLine>, StoreError> {
    let sql = match by {
        CostsBy::Day => concat!("SELECT date(day * 86400, 'unixepoch') AS key, ", cached!()),
        CostsBy::Provider => concat!("SELECT provider AS key, ", cached!()),
        CostsBy::Model => concat!("SELECT provider || '/' || model AS key, ", cached!()),
        CostsBy::Debate => concat!("SELECT debate_id AS key, ", cached!()),
    };
    let line = |row: &SqliteRow| -> Result<CachedLine, StoreError> {
        let tokens: i64 = row.try_get("cached_tokens")?;
        Ok(CachedLine {
            key: row.try_get("key")?,
            provider: row.try_get("provider")?,
            model: row.try_get("model")?,
            cached_tokens: u64::try_from(tokens).unwrap_or(0),
        })
    };
    let query = sqlx::query(sql).bind(reach.is_all()).bind(&reach.person);
    rows::all(readers, query).await?.iter().map(line).collect()
}

pub(crate) async fn costs(
    readers: &SqlitePool,
    reach: &Reach,
    by: CostsBy,
) -> Result<Vec<CostLine>, StoreError> {
    let query = sqlx::query(sums(by)).bind(reach.is_all()).bind(&reach.person);
    let rows = rows::all(readers, query).await?;
    rows.iter().map(cost_line).collect()
}

/// Takes what held calls have reserved beyond what they used, of debates whose
/// lease runs, from the accounts.
pub(crate) async fn least_spending(
    readers: &SqlitePool,
    spender: Spender<'_>,
    now: i64,
) -> Result<LeastSpending, StoreError> {
    let (day, owner) = (day_of(now), spender.owner.unwrap_or_default());
    let query = sqlx::query(
        "WITH free AS (
             SELECT c.debate_id, c.day, c.owner,
                 COALESCE(c.reserved_micro, 0) - COALESCE(c.cost_micro, 0) AS micro
             FROM runs r CROSS JOIN calls c ON c.debate_id = r.debate_id
             WHERE c.state = 'held' AND r.owner IS NOT NULL AND r.lease_until > $1)
         SELECT COALESCE((SELECT bound_micro FROM accounts WHERE name = $2), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE debate_id = $3), 0) AS debate,
             COALESCE((SELECT bound_micro FROM accounts WHERE name = $4), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE day = $5), 0) AS day,
             COALESCE((SELECT bound_micro FROM accounts WHERE name = $6), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE owner = $8 AND day = $5), 0)
                 AS owner_day,
             COALESCE((SELECT bound_micro FROM accounts WHERE name = $7), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE owner = $8 AND day >= $9), 0)
                 AS owner_month",
    );
    let query = query.bind(now).bind(debate_account(spender.debate)).bind(spender.debate);
    let query = query.bind(day_account(day)).bind(day);
    let query = query.bind(person_day_account(owner, day)).bind(person_month_account(owner, day));
    let rows = rows::all(readers, query.bind(owner).bind(month_begins(day))).await?;
    let Some(row) = rows.first() else { return Ok(LeastSpending::default()) };
    let amount = |name: &str| -> Result<MicroUsd, StoreError> {
        Ok(MicroUsd(u64::try_from(row.try_get::<i64, _>(name)?).unwrap_or(0)))
    };
    Ok(LeastSpending {
        debate: amount("debate")?,
        day: amount("day")?,
        owner_day: amount("owner_day")?,
        owner_month: amount("owner_month")?,
    })
}

fn cost_line(row: &SqliteRow) -> Result<CostLine, StoreError> {
    let number = |name: &str| -> Result<u64, StoreError> {
        Ok(u64::try_from(row.try_get::<i64, _>(name)?).unwrap_or(0))
    };
    Ok(CostLine {
        key: row.try_get("key")?,
        calls: number("calls")?,
        spent: MicroUsd(number("spent")?),
        held: MicroUsd(number("held")?),
        possibly_billed: MicroUsd(number("possible")?),
        ambiguous_calls: number("ambiguous_calls")?,
        unpriced_calls: number("unpriced_calls")?,
        input_tokens: number("input_tokens")?,
        cached_tokens: number("cached_tokens")?,
    })
}

/// Accounts that are not the sum of their calls.
pub(crate) async fn discrepancies(readers: &SqlitePool) -> Result<Vec<String>, StoreError> {
    let rows = rows::all(
        readers,
        sqlx::query(
            "WITH charged AS (
             SELECT debate_id, day, owner, CASE state WHEN 'held' THEN COALESCE(reserved_micro, 0)
                 ELSE COALESCE(cost_micro, 0) END AS micro FROM calls),
         sums AS (
             SELECT 'debate ' || debate_id AS name, SUM(micro) AS micro FROM charged GROUP BY 1
             UNION ALL SELECT 'day ' || day, SUM(micro) FROM charged GROUP BY 1
             UNION ALL SELECT 'person ' || owner || ' day ' || day, SUM(micro)
                 FROM charged WHERE owner IS NOT NULL GROUP BY 1
             UNION ALL SELECT 'person ' || owner || ' month ' ||
                     strftime('%Y-%m', day * 86400, 'unixepoch'), SUM(micro)
                 FROM charged WHERE owner IS NOT NULL GROUP BY 1)
         SELECT s.name FROM sums s LEFT JOIN accounts a ON a.name = s.name
         WHERE COALESCE(a.bound_micro, 0) <> s.micro
         UNION SELECT a.name FROM accounts a LEFT JOIN sums s ON s.name = a.name
         WHERE a.bound_micro <> COALESCE(s.micro, 0)",
        ),
    )
    .await?;
    let line = |row: &SqliteRow| -> Result<String, StoreError> {
        let name: String = row.try_get(0)?;
        Ok(format!("the account of {name} is not the sum of its calls"))
    };
    rows.iter().map(line).collect()
}
