//! Lessons as a file to share: figures, names of models, and the questions and
//! viewpoints that people asked for. It contains no word of any debate. A file is
//! imported completely or not at all, and imported outcomes count half.

use async_recursion::async_recursion as boxed;
use debate::learning::check_domain;
use debate::model::{Day, JudgedDebate, OutcomeOrigin, domain_name};
use serde::{Deserialize, Serialize};
use store::{NewOutcome, OutcomeRecord};

use crate::clock;
use crate::config::Config;
use crate::error::{
    At, EngineError, FileKind, FileProblem, LengthUnit, Problem, Refusal, SessionProblem,
    SettingName, refuse_all,
};
use crate::outcomes::track;
use crate::people::caller::Operation;

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
#[boxed]
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
        let refusal = match wanted {
            Some(domain) => {
                let problem = Problem::Session(SessionProblem::NotJudged);
                Refusal::setting(SettingName::Domain, domain, problem)
            }
            None => Refusal::new(At::Order, Problem::Session(SessionProblem::NotJudged)),
        };
        return Err(refusal.into());
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
#[boxed]
pub async fn import(config: &Config, text: &str) -> Result<ImportedLessons, EngineError> {
    let file: LessonsFile = serde_json::from_str(text).map_err(|error| {
        let problem = FileProblem::Broken { what: FileKind::Lessons, why: error.to_string() };
        Refusal::new(At::Order, Problem::File(problem))
    })?;
    refuse_all(faults(&file))?;
    let store = config.made_store(Operation::Start).await?;
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

fn faults(file: &LessonsFile) -> Vec<Refusal> {
    let mut faults = Vec::new();
    if file.format != FORMAT || file.version != VERSION {
        let problem = Problem::malformed(format!("{FORMAT} version {VERSION}"));
        let given = format!("{} version {}", file.format, file.version);
        faults.push(field("format").given(given, problem));
    }
    if file.outcomes.len() > MOST_OUTCOMES {
        faults.push(field("outcomes").rows(file.outcomes.len(), MOST_OUTCOMES));
    }
    let mut seen = std::collections::BTreeSet::new();
    for (index, judged) in file.outcomes.iter().enumerate() {
        let place = format!("outcomes[{index}]");
        if !seen.insert(judged.debate.as_str()) {
            let at = field(format!("{place}.debate"));
            faults.push(at.given(&judged.debate, Problem::Repeated));
        }
        faults.extend(faults_of(&place, judged));
        if faults.len() >= MOST_FAULTS {
            faults.truncate(MOST_FAULTS);
            break;
        }
    }
    faults
}

fn faults_of(place: &str, judged: &JudgedDebate) -> Vec<Refusal> {
    let mut faults = Vec::new();
    let id = judged.debate.len();
    if !(1..=MOST_TEXT).contains(&id) {
        faults.push(field(format!("{place}.debate")).characters(id));
    }
    match check_domain(&judged.domain) {
        Ok(name) if name == judged.domain => {}
        Ok(name) => {
            let at = field(format!("{place}.domain"));
            faults.push(at.given(&judged.domain, Problem::WriteAs { name }));
        }
        Err(fault) => {
            let at = At::Field(format!("{place}.{}", fault.field));
            faults.push(Refusal { at, ..Refusal::from(fault) });
        }
    }
    if judged.on > track::today() {
        let problem = Problem::out_of_range("today or an earlier day");
        faults.push(field(format!("{place}.on")).given(judged.on.to_string(), problem));
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
        let problem = Problem::out_of_range("0 to 1");
        faults.push(field(format!("{place}.{name}")).given(share.to_string(), problem));
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
        faults.push(field(format!("{place}.{name}")).rows(count, MOST_ROWS));
    }
    let texts = judged
        .asked_for
        .iter()
        .chain(&judged.perspectives)
        .chain(judged.questions.iter().map(|one| &one.question))
        .chain(judged.voices.iter().map(|voice| &voice.agent));
    for text in texts.filter(|text| text.trim().is_empty() || text.chars().count() > MOST_TEXT) {
        faults.push(field(place).characters(text.chars().count()));
    }
    faults
}

/// A field of the file, by its path.
struct FileField(String);

fn field(path: impl Into<String>) -> FileField {
    FileField(path.into())
}

impl FileField {
    fn given(self, given: impl Into<String>, problem: Problem) -> Refusal {
        Refusal::new(At::Field(self.0), problem).given(given)
    }

    fn rows(self, found: usize, most: usize) -> Refusal {
        let allowed = format!("at most {most}");
        let problem = Problem::Length { found, unit: LengthUnit::Rows, allowed };
        Refusal::new(At::Field(self.0), problem)
    }

    fn characters(self, found: usize) -> Refusal {
        let allowed = format!("1 to {MOST_TEXT}");
        let problem = Problem::Length { found, unit: LengthUnit::Characters, allowed };
        Refusal::new(At::Field(self.0), problem)
    }
}
