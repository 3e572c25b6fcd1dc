//! Words a refusal of the engine in plain sentences. The parts in which faces
//! differ (flags or parameters, commands or tools) come from the face itself,
//! which must have a word for every variant.

mod debates;
mod files;
mod money;
mod notices;
#[cfg(test)]
mod tests;

use debate::LifecycleCommand;
use debate::model::Status;
use engine::error::{
    At, EngineError, KeyFault, LengthUnit, Problem, Refusal, Remedy, SettingName, StorageProblem,
};
use engine::run::RunError;

pub use notices::notice;

/// The words in which a face differs from the others.
pub trait FaceWords {
    /// The name of a setting in front of a value.
    fn setting(&self, name: SettingName) -> &'static str;
    /// A setting as something to give or to leave out.
    fn option(&self, name: SettingName) -> String;
    fn config_key(&self, key: &str) -> String;
    fn command(&self, command: LifecycleCommand) -> &'static str;
    fn status(&self, status: &Status) -> &'static str;
    fn remedy(&self, remedy: &Remedy) -> String;
    /// The way to name a request together with an answer.
    fn name_a_request(&self) -> &'static str;
    /// The way to make a file of the kind that was expected.
    fn made_with(&self, what: engine::error::FileKind) -> &'static str;
    /// The way to seat other models.
    fn add_agents(&self) -> &'static str;
}

/// An error in sentences, one line for each thing that is wrong.
pub fn lines(trouble: &EngineError, face: &dyn FaceWords) -> Vec<String> {
    match trouble {
        EngineError::Face(lines) => lines.clone(),
        EngineError::Refused(refusals) => {
            let mut all: Vec<String> = Vec::new();
            let each = refusals.iter().flat_map(|one| own_lines(&sentence(one, face)));
            // The same is said once, however often it was met.
            for line in each.chain(debates::known_providers(refusals)) {
                if !all.contains(&line) {
                    all.push(line);
                }
            }
            all
        }
        EngineError::Store(_) | EngineError::Run(RunError::Store(_)) => {
            trouble.refusals().iter().flat_map(|one| own_lines(&sentence(one, face))).collect()
        }
        EngineError::Clerk { why } => {
            vec![format!("the clerk could not do it: {why}. Try again, or choose another clerk")]
        }
        EngineError::Run(RunError::Broken(_))
        | EngineError::Busy { .. }
        | EngineError::Fetch(_)
        | EngineError::Tape(_)
        | EngineError::Log(_) => own_lines(&trouble.to_string()),
    }
}

fn own_lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// A refusal in a sentence, with what helps behind it.
pub fn sentence(refusal: &Refusal, face: &dyn FaceWords) -> String {
    let text = problem(refusal, face);
    match &refusal.remedy {
        None => text,
        Some(remedy) => {
            let help = face.remedy(remedy);
            // A remedy on a line of its own may follow a list, which has no full stop.
            let own_line = help.starts_with('\n');
            let ended = text.ends_with(['.', '?', ':']) || (own_line && text.contains('\n'));
            let end = if ended { "" } else { "." };
            let gap = if own_line { "" } else { " " };
            format!("{text}{end}{gap}{help}")
        }
    }
}

fn problem(refusal: &Refusal, face: &dyn FaceWords) -> String {
    let at = place(&refusal.at, face);
    let value = value(refusal, &at);
    match &refusal.problem {
        Problem::Unknown { near, all } => unknown(refusal, face, near, all),
        Problem::Malformed { allowed } => format!("{value} cannot be read; allowed: {allowed}"),
        Problem::OutOfRange { allowed } => format!("{value} is not allowed; allowed: {allowed}"),
        Problem::Missing { expected } => format!("{at} is missing; allowed: {expected}"),
        Problem::Length { found, unit, allowed } => {
            let unit = match unit {
                LengthUnit::Characters => "characters",
                LengthUnit::Rows => "entries",
            };
            format!("{at} has {found} {unit}; allowed: {allowed}")
        }
        Problem::Repeated => format!("{value} stands there twice"),
        Problem::WriteAs { name } => format!("{value}: write {name:?}"),
        Problem::AsksFor { reasons } => format!(
            "{at}: a text that asks for {} is not allowed; allowed: a question about it, not a \
             request to carry it out",
            reasons.join(" and ")
        ),
        Problem::Excludes { others } => {
            let others: Vec<String> = others.iter().map(|name| face.option(*name)).collect();
            format!("{at}: it cannot be used together with {}", others.join(", "))
        }
        Problem::Needs { other } => format!("{value} needs {}", face.option(*other)),
        Problem::Unconstitutional { allowed: Some(allowed) } => {
            format!("{value} is not allowed by the constitution; allowed: {allowed}")
        }
        Problem::Unconstitutional { allowed: None } => {
            format!("{at} is not allowed: the constitution demands it for every debate")
        }
        Problem::NameTaken => format!("{at}: this name is taken"),
        Problem::NotSet => not_set(refusal, &at),
        Problem::UnfitKey { fault } => unfit(*fault, &at),
        Problem::Failed { why } if at.is_empty() => why.clone(),
        Problem::Failed { why } => format!("{at}: {why}"),
        Problem::NotCalibrated { why } => format!("{at} was not calibrated: {why}"),
        Problem::Template(error) => error.to_string(),
        Problem::File(problem) => files::sentence(refusal, &at, problem, face),
        Problem::Session(problem) => debates::session(refusal, &at, problem, face),
        Problem::Seat(problem) => debates::seat(&at, problem),
        Problem::Storage(problem) => storage(&at, problem),
        Problem::Budget(problem) => money::budget(problem, face),
        Problem::RoleForbids { role } => {
            format!("a {role} may not do this; an operator of this server can change your role")
        }
        Problem::NotAVariable => format!(
            "{at}: what stands there is not the name of an environment variable; write the name of \
             the variable that holds the key, never the key itself"
        ),
    }
}

/// The place of a fault, in front of what is wrong with it.
fn place(at: &At, face: &dyn FaceWords) -> String {
    match at {
        At::Setting(name) => face.setting(*name).to_owned(),
        At::ConfigKey(key) => face.config_key(key),
        At::Field(path) => path.clone(),
        At::Flag(key) => format!("flag {key}"),
        At::Threshold(name) => format!("threshold {name}"),
        At::Variable(name) => name.clone(),
        At::File(path) | At::Database(path) => path.display().to_string(),
        At::Line { file, line } => format!("{}, line {line}", file.display()),
        At::Keys => "the key".into(),
        At::Keyring => "the system keyring".into(),
        At::Agent(name) => format!("agent \"{name}\""),
        At::Provider(name) | At::Client(name) | At::Request(name) | At::Embedder(name) => {
            name.clone()
        }
        At::Session(id) => format!("debate {id}"),
        At::Weights(name) => format!("weights \"{name}\""),
        At::Within { name, at } => match place(at, face) {
            inner if inner.is_empty() => name.clone(),
            inner => format!("{name}: {inner}"),
        },
        At::Order => String::new(),
    }
}

/// The place with the value that was given there; a number stands without quotes.
fn value(refusal: &Refusal, at: &str) -> String {
    match &refusal.given {
        None => at.to_owned(),
        Some(given) if given.parse::<f64>().is_ok_and(f64::is_finite) => format!("{at}: {given}"),
        Some(given) => format!("{at}: {given:?}"),
    }
}

fn unknown(refusal: &Refusal, face: &dyn FaceWords, near: &[String], all: &[String]) -> String {
    let hint = match (near, all) {
        ([], []) => "there are none yet".to_owned(),
        ([], all) => format!("there are: {}", all.join(", ")),
        (near, _) => format!("did you mean {}?", near.join(", ")),
    };
    let given = refusal.given.as_deref().unwrap_or_default();
    match &refusal.at {
        At::Agent(name) => format!("there is no agent {name:?} in this debate; {hint}"),
        At::Provider(name) => format!("unknown provider {name:?}; {hint}"),
        At::Client(name) => format!("there is no client {name:?}; {hint}"),
        At::Weights(name) => format!("there are no weights {name:?} to fetch; {hint}"),
        At::ConfigKey(key) if key == given => format!("there is no setting {key:?}; {hint}"),
        other => format!("{} is unknown; {hint}", value(refusal, &place(other, face))),
    }
}

fn not_set(refusal: &Refusal, at: &str) -> String {
    match (&refusal.at, &refusal.given) {
        (At::Provider(name), _) => format!("no key of {name} is kept here"),
        (_, Some(given)) => format!("{at} names {given}, which is not set"),
        (_, None) => format!("{at}: the config file does not set it"),
    }
}

fn unfit(fault: KeyFault, at: &str) -> String {
    let why = match fault {
        KeyFault::Empty => "it is empty; nothing was changed",
        KeyFault::TooLong => "it is far too long to be one",
        KeyFault::StrangeCharacters => "it has spaces, line breaks or letters that no key has",
        KeyFault::NoKeyring => {
            "this build has none; build it with the feature `keyring`, or keep the key in the file"
        }
    };
    format!("{at} cannot be used: {why}")
}

fn storage(at: &str, problem: &StorageProblem) -> String {
    match problem {
        StorageProblem::Missing => format!("There is no Roundtable database at {at}."),
        StorageProblem::NotOurs { why } => {
            format!("{at} is not a Roundtable database ({why}). It was left as it is.")
        }
        StorageProblem::Newer { found, known } => format!(
            "{at} was written by a newer Roundtable (format {found}, this one knows {known}). It \
             was left as it is; update Roundtable to open it."
        ),
        StorageProblem::Occupied => format!("{at} already exists and was left as it is."),
        StorageProblem::Damaged { what } => format!("The database is damaged: {what}."),
        StorageProblem::EntryDamaged { seq, what } => {
            format!("Entry {seq} of {at} is damaged ({what}) and is not shown.")
        }
        StorageProblem::Io { what } => {
            format!("The database could not be read or written: {what}.")
        }
        StorageProblem::Other { why } => why.clone(),
    }
}
