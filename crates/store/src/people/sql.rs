//! The statements on the tables `people`, `tokens` and `audit`, which both engines take word
//! for word. An engine names its types and its way of reading rows.

macro_rules! people_tables {
    ($Pool:ty, $Connection:ty, $Row:ty, $all:path) => {
        use debate::model::MicroUsd;
        use sqlx::Row as _;

        use crate::error::StoreError;
        use crate::log_row::signed;
        use crate::people::{
            AuditEntry, NamedToken, PeopleChange, PeopleProblem, PeopleWrite, Person, PersonBudget,
            PersonRole, TokenHash,
        };

        pub(crate) async fn people(pool: &$Pool) -> Result<Vec<Person>, StoreError> {
            let sql = "SELECT name, role, day_micro, month_micro, created FROM people
                 WHERE removed IS NULL ORDER BY name";
            $all(pool, sqlx::query(sql)).await?.iter().map(person).collect()
        }

        fn person(row: &$Row) -> Result<Person, StoreError> {
            let name: String = row.try_get("name")?;
            let role: String = row.try_get("role")?;
            let role = PersonRole::read(&role).ok_or_else(|| StoreError::Corrupt {
                what: format!("the person {name} has no role that is known"),
            })?;
            Ok(Person { role, budget: budget(row)?, created: row.try_get("created")?, name })
        }

        pub(crate) fn budget(row: &$Row) -> Result<PersonBudget, StoreError> {
            let amount = |name: &str| -> Result<Option<MicroUsd>, StoreError> {
                let found: Option<i64> = row.try_get(name)?;
                Ok(found.map(|micro| MicroUsd(u64::try_from(micro).unwrap_or(0))))
            };
            Ok(PersonBudget { day: amount("day_micro")?, month: amount("month_micro")? })
        }

        pub(crate) async fn tokens(
            pool: &$Pool,
            person: &str,
        ) -> Result<Vec<NamedToken>, StoreError> {
            let sql = "SELECT name, created, expires FROM tokens WHERE person = $1 ORDER BY name";
            $all(pool, sqlx::query(sql).bind(person)).await?.iter().map(token).collect()
        }

        fn token(row: &$Row) -> Result<NamedToken, StoreError> {
            Ok(NamedToken {
                name: row.try_get("name")?,
                created: row.try_get("created")?,
                expires: row.try_get("expires")?,
            })
        }

        /// The person with this token, if it has not expired.
        pub(crate) async fn by_token(
            pool: &$Pool,
            hash: &TokenHash,
            now: i64,
        ) -> Result<Option<Person>, StoreError> {
            let sql = "SELECT p.name, p.role, p.day_micro, p.month_micro, p.created, t.hash
                 FROM tokens t JOIN people p ON p.name = t.person
                 WHERE t.hash = $1 AND (t.expires IS NULL OR t.expires > $2)
                     AND p.removed IS NULL";
            let rows = $all(pool, sqlx::query(sql).bind(hash.bytes()).bind(now)).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let stored: Vec<u8> = row.try_get("hash")?;
            if hash.is(&stored) { person(row).map(Some) } else { Ok(None) }
        }

        pub(crate) async fn audit(pool: &$Pool, most: u32) -> Result<Vec<AuditEntry>, StoreError> {
            let sql = "SELECT at, who, did, about FROM audit ORDER BY number DESC LIMIT $1";
            let rows = $all(pool, sqlx::query(sql).bind(i64::from(most))).await?;
            let entry = |row: &$Row| -> Result<AuditEntry, StoreError> {
                Ok(AuditEntry {
                    at: row.try_get("at")?,
                    who: row.try_get("who")?,
                    did: row.try_get("did")?,
                    about: row.try_get("about")?,
                })
            };
            rows.iter().map(entry).collect()
        }

        /// Writes a change and its entry. An engine lets one of these in at a time.
        pub(crate) async fn write(
            connection: &mut $Connection,
            write: &PeopleWrite,
        ) -> Result<u64, StoreError> {
            let entry = &write.entry;
            change(connection, &write.change, entry.at).await?;
            let sql = "INSERT INTO audit (number, at, who, did, about)
                 SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4 FROM audit";
            let query = sqlx::query(sql).bind(entry.at).bind(&entry.who);
            query.bind(&entry.did).bind(&entry.about).execute(connection).await?;
            Ok(0)
        }

        /// Fails with `problem` where no row was written.
        fn written(rows: u64, name: &str, problem: PeopleProblem) -> Result<(), StoreError> {
            if rows > 0 {
                return Ok(());
            }
            Err(StoreError::People { name: name.into(), problem })
        }

        async fn change(
            connection: &mut $Connection,
            change: &PeopleChange,
            at: i64,
        ) -> Result<(), StoreError> {
            let micro = |amount: Option<MicroUsd>| amount.map(|amount| signed(amount.0));
            let (query, name, problem) = match change {
                PeopleChange::Add(new) => {
                    let sql = "INSERT INTO people (name, role, day_micro, month_micro, created)
                         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING";
                    let query = sqlx::query(sql).bind(&new.name).bind(new.role.word());
                    let query = query.bind(micro(new.budget.day)).bind(micro(new.budget.month));
                    (query.bind(new.created), &new.name, PeopleProblem::NameTaken)
                }
                PeopleChange::SetRole { name, role } => {
                    let sql = "UPDATE people SET role = $2 WHERE name = $1 AND removed IS NULL";
                    (sqlx::query(sql).bind(name).bind(role.word()), name, PeopleProblem::Unknown)
                }
                PeopleChange::SetBudget { name, budget } => {
                    let sql = "UPDATE people SET day_micro = $2, month_micro = $3
                         WHERE name = $1 AND removed IS NULL";
                    let query = sqlx::query(sql).bind(name).bind(micro(budget.day));
                    (query.bind(micro(budget.month)), name, PeopleProblem::Unknown)
                }
                PeopleChange::Remove { name } => {
                    let sql = "DELETE FROM tokens WHERE person = $1";
                    sqlx::query(sql).bind(name).execute(&mut *connection).await?;
                    let sql = "UPDATE people SET removed = $2 WHERE name = $1 AND removed IS NULL";
                    (sqlx::query(sql).bind(name).bind(at), name, PeopleProblem::Unknown)
                }
                PeopleChange::AddToken { person, token, hash } => {
                    let sql = "SELECT name FROM people WHERE name = $1 AND removed IS NULL";
                    let known = sqlx::query(sql).bind(person).fetch_all(&mut *connection).await?;
                    written(known.len() as u64, person, PeopleProblem::Unknown)?;
                    let sql = "INSERT INTO tokens (hash, person, name, created, expires)
                         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
                    let query = sqlx::query(sql).bind(hash.bytes()).bind(person).bind(&token.name);
                    let query = query.bind(token.created).bind(token.expires);
                    (query, &token.name, PeopleProblem::TokenTaken)
                }
                PeopleChange::RevokeToken { person, token } => {
                    let sql = "DELETE FROM tokens WHERE person = $1 AND name = $2";
                    (sqlx::query(sql).bind(person).bind(token), token, PeopleProblem::TokenUnknown)
                }
                PeopleChange::None => return Ok(()),
            };
            written(query.execute(connection).await?.rows_affected(), name, problem)
        }
    };
}

pub(crate) use people_tables;
