//! Changing people, their tokens and their budgets, and the audit log that tells who did it.

use async_recursion::async_recursion as boxed;
use debate::model::{Day, MicroUsd};
use serde::Serialize;
use store::{
    AuditEntry, NamedToken, PeopleChange, PeopleProblem, Person, PersonBudget, PersonRole, Store,
    StoreError, TokenHash,
};

use crate::clock;
use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, refuse_all};
use crate::people::caller::{MACHINE, Operation};
use crate::table::money;

const LONGEST_NAME: usize = 64;
/// The beginning of every token, so that a scanner of leaked secrets can know it.
pub const TOKEN_PREFIX: &str = "rt_";
const DAY_MS: i64 = 86_400_000;
/// The days after which a token expires if nothing else is said.
pub const USUAL_DAYS: i64 = 90;

/// A person with what they have spent, for operators.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonLine {
    pub name: String,
    pub role: &'static str,
    pub daily_usd: Option<f64>,
    pub monthly_usd: Option<f64>,
    /// Spent or reserved today and this month, in UTC.
    pub today_usd: f64,
    pub month_usd: f64,
    pub tokens: Vec<TokenLine>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenLine {
    pub name: String,
    /// The first day on which it is refused.
    pub expires: Option<Day>,
    pub has_expired: bool,
}

/// One thing that was done.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditLine {
    /// As `2026-11-15T08:00:00Z`.
    pub at: String,
    pub who: String,
    pub did: String,
    pub about: String,
}

/// A person as typed or sent; an amount of `0` is no limit.
#[derive(Debug, Clone, Default)]
pub struct PersonForm {
    pub role: Option<String>,
    pub daily: Option<String>,
    pub monthly: Option<String>,
}

/// Returns everybody, by name.
#[boxed]
pub async fn list(config: &Config) -> Result<Vec<PersonLine>, EngineError> {
    let Some(store) = look(config).await? else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for person in store.people().await? {
        lines.push(line(&store, person).await?);
    }
    store.close().await;
    Ok(lines)
}

/// Returns the tokens of a person, by name.
#[boxed]
pub async fn tokens(config: &Config, name: &str) -> Result<Vec<TokenLine>, EngineError> {
    let people = list(config).await?;
    let person = people.into_iter().find(|person| person.name == name);
    Ok(person.ok_or_else(|| unknown(name))?.tokens)
}

async fn line(store: &Store, person: Person) -> Result<PersonLine, EngineError> {
    let now = clock::now_ms();
    let own =
        store.reaching(store::Reach { person: Some(person.name.clone()), ..Default::default() });
    let spent = own.least_spending("", now).await?;
    let token = |token: NamedToken| TokenLine {
        name: token.name,
        expires: token.expires.map(Day::of_ms),
        has_expired: token.expires.is_some_and(|at| at <= now),
    };
    let tokens = store.tokens(&person.name).await?.into_iter().map(token).collect();
    Ok(PersonLine {
        role: person.role.word(),
        daily_usd: person.budget.day.map(MicroUsd::usd),
        monthly_usd: person.budget.month.map(MicroUsd::usd),
        today_usd: spent.owner_day.usd(),
        month_usd: spent.owner_month.usd(),
        tokens,
        name: person.name,
    })
}

/// Adds a person; without a role, a member.
#[boxed]
pub async fn add(config: &Config, name: &str, form: &PersonForm) -> Result<(), EngineError> {
    let mut faults = Vec::new();
    let name = checked_name(name, "name", &mut faults);
    let role =
        form.role.as_deref().map_or(Some(PersonRole::Member), |word| role(word, &mut faults));
    let budget = budget(PersonBudget::default(), form, &mut faults);
    refuse_all(faults)?;
    let role = role.unwrap_or(PersonRole::Member);
    let person = Person { name: name.clone(), role, budget, created: clock::now_ms() };
    change(config, PeopleChange::Add(person), "added a person", &name).await
}

#[boxed]
pub async fn set_role(config: &Config, name: &str, word: &str) -> Result<(), EngineError> {
    let mut faults = Vec::new();
    let role = role(word, &mut faults);
    refuse_all(faults)?;
    let role = role.unwrap_or(PersonRole::Reader);
    let done = PeopleChange::SetRole { name: name.into(), role };
    change(config, done, &format!("set the role to {}", role.word()), name).await
}

/// Changes the limits that are given.
#[boxed]
pub async fn set_budget(config: &Config, name: &str, form: &PersonForm) -> Result<(), EngineError> {
    let before = look(config).await?.ok_or_else(|| unknown(name))?;
    let person = before.people().await?.into_iter().find(|person| person.name == name);
    before.close().await;
    let mut faults = Vec::new();
    let budget = budget(person.ok_or_else(|| unknown(name))?.budget, form, &mut faults);
    refuse_all(faults)?;
    let shown = |limit: Option<MicroUsd>| limit.map_or("none".into(), |limit| limit.to_string());
    let did = format!(
        "set the budget to {} a day and {} a month",
        shown(budget.day),
        shown(budget.month)
    );
    change(config, PeopleChange::SetBudget { name: name.into(), budget }, &did, name).await
}

/// Removes a person and revokes their tokens. Their debates stay, for operators.
#[boxed]
pub async fn remove(config: &Config, name: &str) -> Result<(), EngineError> {
    change(config, PeopleChange::Remove { name: name.into() }, "removed a person", name).await
}

/// Makes a token and returns it; it is stored nowhere. `expires`: a day, `30d`, or `never`.
#[boxed]
pub async fn add_token(
    config: &Config,
    person: &str,
    token: &str,
    expires: Option<&str>,
) -> Result<String, EngineError> {
    let mut faults = Vec::new();
    let token = checked_name(token, "token", &mut faults);
    let expires = end(expires, &mut faults);
    refuse_all(faults)?;
    let secret = format!("{TOKEN_PREFIX}{}{}", clock::new_secret(), clock::new_secret());
    let about = format!("{person}/{token}");
    let token = NamedToken { name: token, created: clock::now_ms(), expires };
    let hash = TokenHash::of(&secret);
    let done = PeopleChange::AddToken { person: person.into(), token, hash };
    change(config, done, "added a token", &about).await?;
    Ok(secret)
}

#[boxed]
pub async fn revoke_token(config: &Config, person: &str, token: &str) -> Result<(), EngineError> {
    let done = PeopleChange::RevokeToken { person: person.into(), token: token.into() };
    change(config, done, "revoked a token", &format!("{person}/{token}")).await
}

/// Returns what operators did last, newest first.
#[boxed]
pub async fn audit(config: &Config, most: u32) -> Result<Vec<AuditLine>, EngineError> {
    let Some(store) = look(config).await? else { return Ok(Vec::new()) };
    let line = |entry: AuditEntry| AuditLine {
        at: jiff::Timestamp::from_millisecond(entry.at / 1000 * 1000)
            .map(|at| at.to_string())
            .unwrap_or_default(),
        who: entry.who,
        did: entry.did,
        about: entry.about,
    };
    let entries = store.audit(most).await?;
    store.close().await;
    Ok(entries.into_iter().map(line).collect())
}

/// The database, for operators; `None` where there is none yet.
async fn look(config: &Config) -> Result<Option<Store>, EngineError> {
    allowed(config)?;
    match config.existing_store(Operation::People).await {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Refuses callers who may not look after people.
fn allowed(config: &Config) -> Result<(), EngineError> {
    config.caller.allowed(Operation::People)
}

fn unknown(name: &str) -> EngineError {
    StoreError::People { name: name.into(), problem: PeopleProblem::Unknown }.into()
}

async fn change(
    config: &Config,
    change: PeopleChange,
    did: &str,
    about: &str,
) -> Result<(), EngineError> {
    allowed(config)?;
    let store = config.made_store(Operation::People).await?;
    let who = config.caller.name().to_owned();
    let entry = AuditEntry { at: clock::now_ms(), who, did: did.into(), about: about.into() };
    let done = store.change_people(change, entry).await;
    store.close().await;
    Ok(done?)
}

/// A name of small letters, digits and a few signs, so that it can stand anywhere.
fn checked_name(given: &str, field: &str, faults: &mut Vec<Refusal>) -> String {
    let name = given.trim().to_lowercase();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_@+".contains(c);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fits) || name == MACHINE {
        let allowed =
            format!("1 to {LONGEST_NAME} letters, digits and . - _ @ +, and not {MACHINE:?}");
        let problem = Problem::malformed(allowed);
        faults.push(Refusal::new(At::Field(field.into()), problem).given(given));
    }
    name
}

fn role(word: &str, faults: &mut Vec<Refusal>) -> Option<PersonRole> {
    let found = PersonRole::read(&word.trim().to_lowercase());
    if found.is_none() {
        let problem = Problem::unknown(word, &PersonRole::ALL.map(PersonRole::word));
        faults.push(Refusal::new(At::Field("role".into()), problem).given(word));
    }
    found
}

fn budget(before: PersonBudget, form: &PersonForm, faults: &mut Vec<Refusal>) -> PersonBudget {
    let mut limit = |name: &str, given: &Option<String>, before| match given {
        Some(text) => money::amount(At::Field(name.into()), text, faults),
        None => before,
    };
    PersonBudget {
        day: limit("daily", &form.daily, before.day),
        month: limit("monthly", &form.monthly, before.month),
    }
}

/// The moment at which a token ends.
fn end(given: Option<&str>, faults: &mut Vec<Refusal>) -> Option<i64> {
    let now = clock::now_ms();
    let Some(text) = given else { return Some(now + USUAL_DAYS * DAY_MS) };
    let text = text.trim().to_lowercase();
    if text == "never" {
        return None;
    }
    let span = text.strip_suffix('d').and_then(|days| days.parse::<i64>().ok());
    let span = span.filter(|days| (1..=3650).contains(days)).map(|days| now + days * DAY_MS);
    let day = || text.parse::<Day>().ok().map(|day| i64::from(day.0) * DAY_MS);
    let end = span.or_else(day).filter(|end| *end > now);
    if end.is_none() {
        let problem =
            Problem::malformed("a span such as 30d, a later day such as 2027-03-01, or never");
        faults.push(Refusal::new(At::Field("expires".into()), problem).given(text));
    }
    end
}
