//! The tables `parties`, `calls` and `accounts`: the books, their sums, and a check that they
//! agree with themselves.

use debate::model::MicroUsd;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use crate::error::StoreError;
use crate::log_row::signed;
use crate::people::Reach;
use crate::spending::{
    CachedLine, CallStep, CostLine, CostsBy, LeastSpending, NewCall, Spender, SpendingPlan,
    day_account, day_of, debate_account, month_begins, person_day_account, person_month_account,
};

/// Writes everything of a plan.
pub(crate) async fn write(
    connection: &mut PgConnection,
    id: &str,
    plan: &SpendingPlan<'_>,
) -> Result<(), StoreError> {
    for (party, provider, model) in plan.parties {
        let sql = "INSERT INTO parties (debate_id, party, provider, model) VALUES ($1, $2, $3, $4)";
        let query = sqlx::query(sql).bind(id).bind(party).bind(provider).bind(model);
        query.execute(&mut *connection).await?;
    }
    for (seat, agent) in plan.reseated {
        let sql = "INSERT INTO parties (debate_id, party, provider, model)
             SELECT debate_id, $1, provider, model FROM parties WHERE debate_id = $2 AND party = $3
             ON CONFLICT (debate_id, party) DO UPDATE
             SET provider = excluded.provider, model = excluded.model";
        sqlx::query(sql).bind(seat).bind(id).bind(agent).execute(&mut *connection).await?;
    }
    for step in &plan.calls {
        match step {
            CallStep::Insert(call) => {
                insert(connection, (id, plan.owner.as_deref()), call).await?;
            }
            CallStep::Extend { ask, reserved, used } => {
                let sql = "UPDATE calls SET reserved_micro = $3, cost_micro = $4
                     WHERE debate_id = $1 AND ask = $2 AND state = 'held'";
                let query = sqlx::query(sql).bind(id).bind(ask);
                let query = query.bind(signed(reserved.0)).bind(signed(used.0));
                query.execute(&mut *connection).await?;
            }
            CallStep::Close { ask, end } => {
                let sql = "UPDATE calls SET state = $3, cost_micro = COALESCE($4, reserved_micro),
                         input_tokens = $5, cached_tokens = $6
                     WHERE debate_id = $1 AND ask = $2 AND state = 'held'";
                let query = sqlx::query(sql).bind(id).bind(ask).bind(end.state);
                let query = query.bind(end.cost.map(|cost| signed(cost.0)));
                let query = query.bind(signed(end.tokens.all)).bind(signed(end.tokens.cached));
                query.execute(&mut *connection).await?;
            }
        }
    }
    add_to_accounts(connection, plan.accounts()).await
}

async fn insert(
    connection: &mut PgConnection,
    (id, owner): (&str, Option<&str>),
    call: &NewCall,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO calls (debate_id, ask, attempt, day, provider, model, state,
             reserved_micro, cost_micro, owner)
         SELECT $1, $2, (SELECT COUNT(*) + 1 FROM calls WHERE debate_id = $1 AND ask = $2),
             $3, COALESCE(p.provider, ''), COALESCE(p.model, ''), $4, $5, $6, $8
         FROM (SELECT 1) AS one LEFT JOIN parties p ON p.debate_id = $1 AND p.party = $7",
    )
    .bind(id)
    .bind(&call.ask)
    .bind(call.day)
    .bind(call.state)
    .bind(call.reserved.map(|amount| signed(amount.0)))
    .bind(call.cost.map(|amount| signed(amount.0)))
    .bind(&call.party)
    .bind(owner)
    .execute(connection)
    .await?;
    Ok(())
}

/// In the order of their names, as everywhere, so that no two requests wait for each other.
async fn add_to_accounts(
    connection: &mut PgConnection,
    mut accounts: Vec<(String, i64)>,
) -> Result<(), StoreError> {
    if accounts.is_empty() {
        return Ok(());
    }
    accounts.sort_unstable();
    let (names, amounts): (Vec<String>, Vec<i64>) = accounts.into_iter().unzip();
    sqlx::query(
        "INSERT INTO accounts (name, bound_micro)
         SELECT name, micro FROM unnest($1::text[], $2::int8[]) AS added (name, micro)
         ORDER BY name
         ON CONFLICT (name) DO UPDATE
         SET bound_micro = accounts.bound_micro + excluded.bound_micro",
    )
    .bind(names)
    .bind(amounts)
    .execute(connection)
    .await?;
    Ok(())
}

/// The figures of one line, the same whatever they are added up by.
macro_rules! sums {
    ($key:literal, $order:literal) => {
        concat!(
            "SELECT ",
            $key,
            " AS key, COUNT(*) AS calls,
             SUM(CASE state WHEN 'settled' THEN COALESCE(cost_micro, 0) ELSE 0 END)::int8 AS spent,
             SUM(CASE state WHEN 'held' THEN COALESCE(reserved_micro, 0) ELSE 0 END)::int8 AS held,
             SUM(CASE state WHEN 'possible' THEN COALESCE(cost_micro, 0) ELSE 0 END)::int8
                 AS possible,
             COUNT(*) FILTER (WHERE state = 'possible') AS ambiguous_calls,
             COUNT(*) FILTER (WHERE state = 'settled' AND cost_micro IS NULL) AS unpriced_calls,
             SUM(input_tokens)::int8 AS input_tokens, SUM(cached_tokens)::int8 AS cached_tokens
             FROM calls WHERE $1 OR owner = $2 GROUP BY 1 ORDER BY 1",
            $order
        )
    };
}

fn sums(by: CostsBy) -> &'static str {
    match by {
        CostsBy::Day => {
            sums!("to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYY-MM-DD')", " DESC")
        }
        CostsBy::Provider => sums!("provider", ""),
        CostsBy::Model => sums!("provider || '/' || model", ""),
        CostsBy::Debate => sums!("debate_id", " DESC"),
    }
}

pub(crate) async fn costs(
    pool: &PgPool,
    reach: &Reach,
    by: CostsBy,
) -> Result<Vec<CostLine>, StoreError> {
    let query = sqlx::query(sums(by)).bind(reach.is_all()).bind(&reach.person);
    query.fetch_all(pool).await?.iter().map(cost_line).collect()
}

fn cost_line(row: &PgRow) -> Result<CostLine, StoreError> {
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

/// The tokens from caches, by key and model.
macro_rules! cached {
    ($key:literal) => {
        concat!(
            "SELECT ",
            $key,
            " AS key, provider, model, SUM(cached_tokens)::int8 AS cached_tokens
             FROM calls WHERE cached_tokens > 0 AND ($1 OR owner = $2) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
    };
}

pub(crate) async fn cached(
    pool: &PgPool,
    reach: &Reach,
    by: CostsBy,
) -> Result<Vec<CachedLine>, StoreError> {
    let sql = match by {
        CostsBy::Day => {
            cached!("to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYY-MM-DD')")
        }
        CostsBy::Provider => cached!("provider"),
        CostsBy::Model => cached!("provider || '/' || model"),
        CostsBy::Debate => cached!("debate_id"),
    };
    let line = |row: &PgRow| -> Result<CachedLine, StoreError> {
        let tokens: i64 = row.try_get("cached_tokens")?;
        Ok(CachedLine {
            key: row.try_get("key")?,
            provider: row.try_get("provider")?,
            model: row.try_get("model")?,
            cached_tokens: u64::try_from(tokens).unwrap_or(0),
        })
    };
    let query = sqlx::query(sql).bind(reach.is_all()).bind(&reach.person);
    query.fetch_all(pool).await?.iter().map(line).collect()
}

/// Takes what held calls have reserved beyond what they used, of debates whose lease runs, from
/// the accounts.
pub(crate) async fn least_spending(
    pool: &PgPool,
    spender: Spender<'_>,
    now: i64,
) -> Result<LeastSpending, StoreError> {
    let (day, owner) = (day_of(now), spender.owner.unwrap_or_default());
    let query = sqlx::query(
        "WITH free AS (
             SELECT c.debate_id, c.day, c.owner,
                 COALESCE(c.reserved_micro, 0) - COALESCE(c.cost_micro, 0) AS micro
             FROM calls c JOIN runs r ON r.debate_id = c.debate_id
             WHERE c.state = 'held' AND r.owner IS NOT NULL AND r.lease_until > $1)
         SELECT (COALESCE((SELECT bound_micro FROM accounts WHERE name = $2), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE debate_id = $3), 0))::int8 AS debate,
             (COALESCE((SELECT bound_micro FROM accounts WHERE name = $4), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE day = $5), 0))::int8 AS day,
             (COALESCE((SELECT bound_micro FROM accounts WHERE name = $6), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE owner = $8 AND day = $5), 0))::int8
                 AS owner_day,
             (COALESCE((SELECT bound_micro FROM accounts WHERE name = $7), 0)
                 - COALESCE((SELECT SUM(micro) FROM free WHERE owner = $8 AND day >= $9), 0))::int8
                 AS owner_month",
    );
    let query = query.bind(now).bind(debate_account(spender.debate)).bind(spender.debate);
    let query = query.bind(day_account(day)).bind(day);
    let query = query.bind(person_day_account(owner, day)).bind(person_month_account(owner, day));
    let row = query.bind(owner).bind(month_begins(day)).fetch_one(pool).await?;
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

/// Accounts that are not the sum of their calls.
pub(crate) async fn discrepancies(pool: &PgPool) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "WITH charged AS (
             SELECT debate_id, day, owner, CASE state WHEN 'held' THEN COALESCE(reserved_micro, 0)
                 ELSE COALESCE(cost_micro, 0) END AS micro FROM calls),
         sums AS (
             SELECT 'debate ' || debate_id AS name, SUM(micro) AS micro FROM charged GROUP BY 1
             UNION ALL SELECT 'day ' || day, SUM(micro) FROM charged GROUP BY 1
             UNION ALL SELECT 'person ' || owner || ' day ' || day, SUM(micro)
                 FROM charged WHERE owner IS NOT NULL GROUP BY 1
             UNION ALL SELECT 'person ' || owner || ' month ' ||
                     to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYY-MM'), SUM(micro)
                 FROM charged WHERE owner IS NOT NULL GROUP BY 1)
         SELECT COALESCE(s.name, a.name) AS name
         FROM sums s FULL JOIN accounts a ON a.name = s.name
         WHERE COALESCE(a.bound_micro, 0) <> COALESCE(s.micro, 0) ORDER BY 1",
    );
    let line = |row: &PgRow| -> Result<String, StoreError> {
        let name: String = row.try_get(0)?;
        Ok(format!("the account of {name} is not the sum of its calls"))
    };
    rows.fetch_all(pool).await?.iter().map(line).collect()
}
