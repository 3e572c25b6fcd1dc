//! Tracking the outcome of decisions: dated entries, the date on which to ask, and
//! undoing either. Records are only added, and only a finished debate can have an
//! outcome.

use std::collections::{BTreeMap, BTreeSet};

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{Day, JudgedDebate, PostMortem, ProgressEntry, ProgressStatus, Status};
use debate::sorting::SortRows;
use serde::{Deserialize, Serialize};
use store::{NewOutcome, OutcomeRecord, Store, StoreError, StoredOutcome};

use crate::clock;
use crate::config::Config;
use crate::error::{
    AfterDebate, At, EngineError, LengthUnit, Problem, Refusal, Remedy, SessionProblem,
    SettingName, refuse_all,
};
use crate::people::caller::Operation;
use crate::people::touch;
use crate::sessions::list;
use crate::sessions::past::PastDebates;

const MOST_TEXT: usize = 2_000;

/// All valid records about one debate, combined.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeBook {
    pub debate: String,
    pub entries: Vec<NumberedEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_on: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assessed: Option<RecordedAssessment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<JudgedDebate>,
    /// The number of its last record, and of the last valid one.
    #[serde(skip)]
    pub last: u64,
    #[serde(skip)]
    pub last_counting: Option<(u64, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NumberedEntry {
    pub number: u64,
    #[serde(flatten)]
    pub entry: ProgressEntry,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedAssessment {
    pub number: u64,
    pub post_mortem: PostMortem,
    pub judged: JudgedDebate,
}

/// A dated entry as typed or sent, before any check.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EntryForm {
    pub on: Option<String>,
    pub status: Option<String>,
    pub event: String,
    pub note: String,
    pub impact: String,
    pub time_cost: String,
    pub surprise: Option<f64>,
    /// The date on which to ask about the outcome; `never` removes it.
    pub ask_on: Option<String>,
}

/// A finished debate, whose outcome can be recorded.
pub struct DecidedDebate {
    pub id: String,
    pub debate: Debate,
    pub book: OutcomeBook,
    pub store: Store,
}

pub fn today() -> Day {
    Day::of_ms(clock::now_ms())
}

/// Returns all records, by debate.
#[boxed]
pub async fn books(config: &Config) -> Result<BTreeMap<String, OutcomeBook>, EngineError> {
    match config.read_store().await {
        Ok(store) => Ok(gathered(store.outcomes(None).await?)),
        // An older database version had no records.
        Err(StoreError::Missing { .. } | StoreError::Older { .. }) => Ok(BTreeMap::new()),
        Err(error) => Err(error.into()),
    }
}

/// Returns all records, by debate, from a store that is asked more.
#[boxed]
pub async fn books_of(
    past: &PastDebates<'_>,
) -> Result<BTreeMap<String, OutcomeBook>, EngineError> {
    match past.store().await? {
        Some(store) => Ok(gathered(store.outcomes(None).await?)),
        None => Ok(BTreeMap::new()),
    }
}

/// Combines the valid records of each debate.
pub fn gathered(noted: Vec<StoredOutcome>) -> BTreeMap<String, OutcomeBook> {
    let undone: BTreeSet<(String, u64)> = noted
        .iter()
        .filter_map(|one| match &one.record {
            OutcomeRecord::Undone { number, .. } => Some((one.debate.clone(), *number)),
            _ => None,
        })
        .collect();
    let mut books: BTreeMap<String, OutcomeBook> = BTreeMap::new();
    for StoredOutcome { debate, number, record, .. } in noted {
        let book = books.entry(debate.clone()).or_default();
        book.last = book.last.max(number);
        if undone.contains(&(debate.clone(), number)) {
            continue;
        }
        let word = record.word();
        match record {
            OutcomeRecord::Entry { entry } => book.entries.push(NumberedEntry { number, entry }),
            OutcomeRecord::AskOn { on } => book.ask_on = on,
            OutcomeRecord::Assessed { post_mortem, judged } => {
                book.assessed =
                    Some(RecordedAssessment { number, post_mortem: *post_mortem, judged: *judged });
            }
            OutcomeRecord::Imported { judged } => book.imported = Some(*judged),
            OutcomeRecord::Undone { .. } => continue,
        }
        book.last_counting = Some((number, word));
        book.debate = debate;
    }
    for (debate, book) in &mut books {
        book.debate.clone_from(debate);
        book.entries.sort_rows_by_key(|entry| (entry.entry.on, entry.number));
    }
    books
}

/// Returns the outcomes to learn from: the user's own, and imported ones of other
/// debates.
pub fn judged(books: &BTreeMap<String, OutcomeBook>) -> Vec<JudgedDebate> {
    let one = |book: &OutcomeBook| match (&book.assessed, &book.imported) {
        (Some(assessed), _) => Some(assessed.judged.clone()),
        (None, imported) => imported.clone(),
    };
    books.values().filter_map(one).collect()
}

/// Returns the debate whose id begins with `id`, if it is finished.
#[boxed]
pub async fn decided(config: &Config, id: &str) -> Result<DecidedDebate, EngineError> {
    let (store, row) = touch::steered(config, id, "recorded an outcome").await?;
    let (id, log) = list::log(&store, &row.id).await?;
    let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
    let status = &debate.room().status;
    if !matches!(status, Status::Completed { .. }) {
        let (status, wanted) = (status.clone(), AfterDebate::Outcome);
        return Err(Refusal::session(&id, SessionProblem::NotFinished { status, wanted })
            .help(Remedy::Resume { id })
            .into());
    }
    let mut books = gathered(store.outcomes(Some(&id)).await?);
    let book = books
        .remove(&id)
        .unwrap_or_else(|| OutcomeBook { debate: id.clone(), ..OutcomeBook::default() });
    Ok(DecidedDebate { id, debate, book, store })
}

impl DecidedDebate {
    /// Adds a record after the last one that this process has seen.
    #[boxed]
    pub async fn note(&self, records: Vec<OutcomeRecord>) -> Result<u64, EngineError> {
        let notes: Vec<NewOutcome> = records
            .into_iter()
            .zip(self.book.last..)
            .map(|(record, after)| NewOutcome { debate: self.id.clone(), after, record })
            .collect();
        Ok(self.store.note_outcomes(clock::now_ms(), &notes).await?)
    }

    async fn book(self) -> Result<OutcomeBook, EngineError> {
        let mut books = gathered(self.store.outcomes(Some(&self.id)).await?);
        self.store.close().await;
        Ok(books.remove(&self.id).unwrap_or_default())
    }
}

/// Adds an entry, a date on which to ask, or both.
#[boxed]
pub async fn track(
    config: &Config,
    id: &str,
    form: &EntryForm,
) -> Result<OutcomeBook, EngineError> {
    let records = checked(form)?;
    let decided = decided(config, id).await?;
    decided.note(records).await?;
    decided.book().await
}

fn checked(form: &EntryForm) -> Result<Vec<OutcomeRecord>, EngineError> {
    let mut faults = Vec::new();
    let mut records = Vec::new();
    let nothing = form.event.trim().is_empty() && form.status.is_none();
    if (!nothing || form.ask_on.is_none())
        && let Some(entry) = entry(form, &mut faults)
    {
        records.push(OutcomeRecord::Entry { entry });
    }
    if let Some(text) = &form.ask_on {
        match ask_on(text) {
            Ok(on) => records.push(OutcomeRecord::AskOn { on }),
            Err(fault) => faults.push(*fault),
        }
    }
    refuse_all(faults)?;
    Ok(records)
}

/// The form of a day.
const A_DAY: &str = "a day such as 2026-11-15";
/// The word that removes the date.
const NEVER: &str = "never";

/// Parses a date in the future, or `never`.
pub fn ask_on(text: &str) -> Result<Option<Day>, Box<Refusal>> {
    if text.trim().eq_ignore_ascii_case(NEVER) {
        return Ok(None);
    }
    let refused = |problem| Refusal::setting(SettingName::AskOn, text.trim(), problem);
    let day: Day = text
        .parse()
        .map_err(|_| Box::new(refused(Problem::malformed(A_DAY)).help(Remedy::OrNever)))?;
    if day < today() {
        return Err(Box::new(refused(Problem::out_of_range("today or a later day"))));
    }
    Ok(Some(day))
}

/// Parses a date up to today; the default is today.
pub fn past_day(text: Option<&str>) -> Result<Day, Box<Refusal>> {
    let Some(text) = text else { return Ok(today()) };
    let refused = |problem| Box::new(Refusal::setting(SettingName::OnDay, text.trim(), problem));
    let day: Day = text.parse().map_err(|_| refused(Problem::malformed(A_DAY)))?;
    if day > today() {
        return Err(refused(Problem::out_of_range("today or an earlier day")));
    }
    Ok(day)
}

fn entry(form: &EntryForm, faults: &mut Vec<Refusal>) -> Option<ProgressEntry> {
    let on = past_day(form.on.as_deref()).map_err(|fault| faults.push(*fault)).ok();
    let words: Vec<&str> = ProgressStatus::ALL.iter().map(|status| status.word()).collect();
    let status = match &form.status {
        Some(word) => ProgressStatus::find(word).or_else(|| {
            let problem = Problem::unknown(word, &words);
            faults.push(Refusal::setting(SettingName::OutcomeStatus, word, problem));
            None
        }),
        None => {
            let problem = Problem::Missing { expected: format!("one of {}", words.join(", ")) };
            faults.push(Refusal::new(At::Setting(SettingName::OutcomeStatus), problem));
            None
        }
    };
    if form.event.trim().is_empty() {
        let problem = Problem::Missing { expected: "what happened, in a few words".into() };
        faults.push(Refusal::new(At::Setting(SettingName::Event), problem));
    }
    let texts = [
        (SettingName::Event, &form.event),
        (SettingName::Note, &form.note),
        (SettingName::Impact, &form.impact),
        (SettingName::TimeCost, &form.time_cost),
    ];
    for (name, text) in texts {
        let found = text.chars().count();
        if found > MOST_TEXT {
            let allowed = format!("at most {MOST_TEXT}");
            let problem = Problem::Length { found, unit: LengthUnit::Characters, allowed };
            faults.push(Refusal::new(At::Setting(name), problem));
        }
    }
    if let Some(surprise) = form.surprise.filter(|share| !(0.0..=1.0).contains(share)) {
        let problem = Problem::out_of_range("0 to 1");
        faults.push(Refusal::setting(SettingName::Surprise, surprise.to_string(), problem));
    }
    let plain = |text: &str| text.trim().to_owned();
    Some(ProgressEntry {
        on: on?,
        status: status?,
        event: plain(&form.event),
        note: plain(&form.note),
        impact: plain(&form.impact),
        time_cost: plain(&form.time_cost),
        surprise: form.surprise,
    })
}

/// A record that was undone.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoneEntry {
    pub debate: String,
    pub number: u64,
    pub what: &'static str,
}

/// Undoes a record by number, or the last valid one. It stays readable.
#[boxed]
pub async fn undo(
    config: &Config,
    id: &str,
    number: Option<u64>,
    reason: &str,
) -> Result<UndoneEntry, EngineError> {
    let store = match config.existing_store(Operation::Steer).await {
        Err(StoreError::Missing { .. }) => {
            return Err(Refusal::session(id, SessionProblem::NothingNoted).into());
        }
        other => other?,
    };
    let noted = store.outcomes(None).await?;
    let id = known(&store, &noted, id).await?;
    let own: Vec<StoredOutcome> = noted.into_iter().filter(|one| one.debate == id).collect();
    let undone: BTreeSet<u64> = own
        .iter()
        .filter_map(|one| match one.record {
            OutcomeRecord::Undone { number, .. } => Some(number),
            _ => None,
        })
        .collect();
    let counts = |one: &&StoredOutcome| {
        !matches!(one.record, OutcomeRecord::Undone { .. }) && !undone.contains(&one.number)
    };
    let counting: Vec<&StoredOutcome> = own.iter().filter(counts).collect();
    let found = match number {
        Some(number) => counting.iter().find(|one| one.number == number),
        None => counting.iter().max_by_key(|one| one.number),
    };
    let Some(found) = found else {
        let counting: Vec<(u64, &'static str)> =
            counting.iter().map(|one| (one.number, one.record.word())).collect();
        let problem = if counting.is_empty() {
            SessionProblem::NothingNoted
        } else {
            SessionProblem::NoSuchRecord { counting }
        };
        return Err(Refusal::session(&id, problem).into());
    };
    let (number, what) = (found.number, found.record.word());
    let after = own.iter().map(|one| one.number).max().unwrap_or(0);
    let record = OutcomeRecord::Undone { number, reason: reason.trim().to_owned() };
    let note = NewOutcome { debate: id.clone(), after, record };
    store.note_outcomes(clock::now_ms(), &[note]).await?;
    store.close().await;
    Ok(UndoneEntry { debate: id, number, what })
}

/// Completes an id of a debate, or of a deleted debate that left its outcome.
async fn known(store: &Store, noted: &[StoredOutcome], id: &str) -> Result<String, EngineError> {
    let mut left: Vec<&str> =
        noted.iter().map(|one| one.debate.as_str()).filter(|one| one.starts_with(id)).collect();
    left.dedup();
    match (store.find(id).await, left.as_slice()) {
        (Ok(found), _) => Ok(found.id),
        (Err(StoreError::Unknown { .. }), [only]) => Ok((*only).to_owned()),
        (Err(error), _) => Err(error.into()),
    }
}

/// One line about the outcome of a decision.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeLine {
    pub id: String,
    pub topic: String,
    pub decided_on: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    pub entries: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_status: Option<ProgressStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_on: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
}

/// Returns every finished debate with its outcome, newest first.
#[boxed]
pub async fn list(config: &Config) -> Result<Vec<OutcomeLine>, EngineError> {
    let store = match config.read_store().await {
        Ok(store) => store,
        Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let books = gathered(store.outcomes(None).await?);
    let line = |one: store::FinishedDebate| {
        let book = books.get(&one.id);
        OutcomeLine {
            decided_on: Day::of_ms(one.at),
            entries: book.map_or(0, |book| book.entries.len()),
            last_status: book.and_then(|book| book.entries.last()).map(|last| last.entry.status),
            ask_on: book.and_then(|book| book.ask_on),
            accuracy: book.and_then(|b| b.assessed.as_ref()).map(|a| a.judged.accuracy),
            id: one.id,
            topic: one.topic,
            project: one.project,
            domain: one.domain,
        }
    };
    Ok(store.finished().await?.into_iter().map(line).collect())
}

/// Returns the decisions whose date has come and that no person has judged, longest
/// due first.
#[boxed]
pub async fn due(config: &Config) -> Result<Vec<OutcomeLine>, EngineError> {
    let now = today();
    let mut lines = list(config).await?;
    lines.retain(|line| line.accuracy.is_none() && line.ask_on.is_some_and(|day| day <= now));
    lines.sort_rows_by_key(|line| line.ask_on);
    Ok(lines)
}
