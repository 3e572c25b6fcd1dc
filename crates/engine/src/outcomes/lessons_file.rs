//! Lessons as a file to share: figures, names of models, and the questions and
//! viewpoints that people asked for. It contains no word of any debate. A file is
//! imported completely or not at all, and imported outcomes count half.

use debate::learning::check_domain;
use debate::model::{Day, JudgedDebate, OutcomeOrigin, domain_name};
use serde::{Deserialize, Serialize};
use store::{NewOutcome, OutcomeRecord, Store};

use crate::clock;
use crate::config::Config;
use crate::error::EngineError;
use crate::outcomes::track;

const FORMAT: &str = "roundtable-lessons";
const VERSION: u32 = 1;
const MOST_OUTCOMES: usize = 100_000;
const MOST_ROWS: usize = 100;
const MOST_TEXT: usize = 300;
/// The number of faults that are reported; more would not help.
const MOST_FAULTS: usize = 20;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LessonsFile {
    pub format: String,
    pub version: u32,
    pub exported_on: Day,
    pub outcomes: Vec<JudgedDebate>,
}

/// Exports the user's own outcomes, of one domain or of all.
pub async fn export(config: &Config, domain: Option<&str>) -> Result<LessonsFile, EngineError> {
    let books = track::books(config).await?;
    let own = books
        .values()
        .filter_map(|book| book.assessed.as_ref())
        .map(|one| without_remarks(&one.judged));
    let wanted = domain.map(domain_name);
    let chosen: Vec<JudgedDebate> =
        own.filter(|one| wanted.as_ref().is_none_or(|domain| one.domain == *domain)).collect();
    if chosen.is_empty() {
        return Err(EngineError::input(match wanted {
            Some(domain) => format!("nothing was judged in domain {domain:?}"),
            None => "no debate was judged yet; there is nothing to export".to_owned(),
        }));
    }
    Ok(LessonsFile {
        format: FORMAT.into(),
        version: VERSION,
        exported_on: track::today(),
        outcomes: chosen,
    })
}

/// Removes a person's remarks about an agent, which are not exported.
fn without_remarks(judged: &JudgedDebate) -> JudgedDebate {
    let mut judged = judged.clone();
    judged.voices.iter_mut().for_each(|voice| voice.note.clear());
    judged
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedLessons {
    pub taken: usize,
    /// The user's own, or imported before.
    pub known: usize,
}

/// Imports outcomes from another person's file.
pub async fn import(config: &Config, text: &str) -> Result<ImportedLessons, EngineError> {
    let file: LessonsFile = serde_json::from_str(text).map_err(|error| {
        EngineError::input(format!("this is not a file of lessons: {error}; nothing was taken in"))
    })?;
    let faults = faults(&file);
    if !faults.is_empty() {
        return Err(EngineError::Input(faults));
    }
    let store = Store::open(&config.paths.database).await?;
    let books = track::gathered(store.outcomes(None).await?);
    let (mut notes, mut known) = (Vec::new(), 0);
    for judged in file.outcomes {
        let judged = JudgedDebate { origin: OutcomeOrigin::Imported, ..judged };
        let book = books.get(&judged.debate);
        let own = book.is_some_and(|book| book.assessed.is_some());
        if own || book.and_then(|book| book.imported.as_ref()) == Some(&judged) {
            known += 1;
            continue;
        }
        notes.push(NewOutcome {
            debate: judged.debate.clone(),
            after: book.map_or(0, |book| book.last),
            record: OutcomeRecord::Imported { judged: Box::new(judged) },
        });
    }
    let taken = notes.len();
    store.note_outcomes(clock::now_ms(), &notes).await?;
    store.close().await;
    Ok(ImportedLessons { taken, known })
}

fn faults(file: &LessonsFile) -> Vec<String> {
    let mut faults = Vec::new();
    if file.format != FORMAT || file.version != VERSION {
        faults.push(format!(
            "format: {:?} version {} cannot be read; allowed: {FORMAT} version {VERSION}",
            file.format, file.version
        ));
    }
    if file.outcomes.len() > MOST_OUTCOMES {
        faults.push(format!(
            "outcomes: {} are too many; at most {MOST_OUTCOMES}",
            file.outcomes.len()
        ));
    }
    let mut seen = std::collections::BTreeSet::new();
    for (index, judged) in file.outcomes.iter().enumerate() {
        let place = format!("outcomes[{index}]");
        if !seen.insert(judged.debate.as_str()) {
            faults.push(format!("{place}.debate: {:?} stands in it twice", judged.debate));
        }
        faults.extend(faults_of(&place, judged));
        if faults.len() >= MOST_FAULTS {
            faults.truncate(MOST_FAULTS);
            faults.push("and more".into());
            break;
        }
    }
    faults
}

fn faults_of(place: &str, judged: &JudgedDebate) -> Vec<String> {
    let mut faults = Vec::new();
    let id = judged.debate.len();
    if !(1..=MOST_TEXT).contains(&id) {
        faults.push(format!("{place}.debate has {id} letters; allowed: 1 to {MOST_TEXT}"));
    }
    match check_domain(&judged.domain) {
        Ok(name) if name == judged.domain => {}
        Ok(name) => faults.push(format!("{place}.domain: write {name:?}")),
        Err(fault) => faults.push(format!("{place}.{fault}")),
    }
    if judged.on > track::today() {
        faults.push(format!("{place}.on: {} is still to come", judged.on));
    }
    let mut shares = vec![("accuracy", judged.accuracy)];
    shares.extend(judged.agreement.map(|share| ("agreement", share)));
    for voice in &judged.voices {
        shares.extend([
            ("voices.right", voice.right),
            ("voices.lastRight", voice.last_right),
            ("voices.told", voice.told),
        ]);
        shares.extend(voice.confidence.map(|share| ("voices.confidence", share)));
    }
    for (name, share) in shares.into_iter().filter(|(_, share)| !(0.0..=1.0).contains(share)) {
        faults.push(format!("{place}.{name}: {share} is not allowed; allowed: 0 to 1"));
    }
    let rows = [
        ("evidence", judged.evidence.len()),
        ("reliedOn", judged.relied_on.len()),
        ("voices", judged.voices.len()),
        ("questions", judged.questions.len()),
        ("askedFor", judged.asked_for.len()),
        ("perspectives", judged.perspectives.len()),
    ];
    for (name, count) in rows.into_iter().filter(|(_, count)| *count > MOST_ROWS) {
        faults.push(format!("{place}.{name} has {count} rows; at most {MOST_ROWS}"));
    }
    let texts = judged
        .asked_for
        .iter()
        .chain(&judged.perspectives)
        .chain(judged.questions.iter().map(|one| &one.question))
        .chain(judged.voices.iter().map(|voice| &voice.agent));
    for text in texts.filter(|text| text.trim().is_empty() || text.chars().count() > MOST_TEXT) {
        let length = text.chars().count();
        faults.push(format!("{place}: a text has {length} characters; allowed: 1 to {MOST_TEXT}"));
    }
    faults
}
