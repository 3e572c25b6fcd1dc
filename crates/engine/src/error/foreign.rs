//! Turns the errors of the other crates into refusals, from their fields and
//! never from their sentences.

use agents::PanelError;
use agents::agent_spec::SpecError;
use agents::command::CommandError;
use agents::http::HttpError;
use agents::providers::BadUrl;
use agents::recorded::TapeError;
use agents::scripted::ScriptError;
use agents::search_engines::SearchEngineError;
use debate::casting::{BriefFault, BriefField, BriefValue};
use debate::learning::{OutcomeFault, OutcomeProblem};
use debate::{OpenError, RefusedCommand};
use store::{DebateHint, RunOwner, Store, StoreError};

use super::{
    At, EngineError, FileKind, FileProblem, LengthUnit, Problem, Refusal, Remedy, SeatProblem,
    SessionName, SessionProblem, SettingName, StorageProblem,
};

pub fn of_store(error: &StoreError) -> Refusal {
    let storage = |problem| Refusal::new(At::Order, Problem::Storage(problem));
    let at = |path: &std::path::Path, problem| {
        Refusal::new(At::Database(path.into()), Problem::Storage(problem))
    };
    match error {
        StoreError::Missing { path } => at(path, StorageProblem::Missing),
        StoreError::NotOurs { path, why } => {
            at(path, StorageProblem::NotOurs { why: why.clone() }).help(Remedy::ChooseOther)
        }
        StoreError::Newer { path, found, known } => {
            at(path, StorageProblem::Newer { found: *found, known: *known })
        }
        StoreError::Occupied { path } => {
            at(path, StorageProblem::Occupied).help(Remedy::ChooseOther)
        }
        StoreError::Corrupt { what } => {
            storage(StorageProblem::Damaged { what: what.clone() }).help(Remedy::RunDoctor)
        }
        StoreError::Damaged { id, seq, what } => {
            let problem = StorageProblem::EntryDamaged { seq: *seq, what: what.clone() };
            Refusal::new(At::Session(id.clone()), Problem::Storage(problem)).help(Remedy::RunDoctor)
        }
        StoreError::Io { what } => {
            storage(StorageProblem::Io { what: what.clone() }).help(Remedy::RunDoctorOrMove)
        }
        StoreError::Unknown { asked, recent } => {
            let remedy = if recent.is_empty() { Remedy::StartDebate } else { Remedy::ListSessions };
            Refusal::session(asked, SessionProblem::Unknown { recent: names(recent) }).help(remedy)
        }
        StoreError::Ambiguous { asked, candidates } => {
            let problem = SessionProblem::Ambiguous { candidates: names(candidates) };
            Refusal::session(asked, problem).help(Remedy::GiveWholeId)
        }
        StoreError::Exists { id } => Refusal::session(id, SessionProblem::Exists),
        StoreError::Taken { id, owner, .. } => Refusal::session(
            id,
            SessionProblem::Taken { process: RunOwner::parse(owner).map(|one| one.pid) },
        ),
        StoreError::Older { .. }
        | StoreError::Locked
        | StoreError::Full
        | StoreError::ReadOnly
        | StoreError::Unreadable { .. }
        | StoreError::NotRunner { .. }
        | StoreError::Conflict { .. }
        | StoreError::Budget { .. }
        | StoreError::Unpriced { .. }
        | StoreError::Unstorable { .. }
        | StoreError::Vanished { .. }
        | StoreError::Crashed
        | StoreError::Unreachable { .. }
        | StoreError::Away { .. }
        | StoreError::NotEmpty { .. }
        | StoreError::NotAFile { .. }
        | StoreError::People { .. }
        | StoreError::Closed => storage(StorageProblem::Other { why: error.to_string() }),
    }
}

/// Refuses a debate by its id if there is no database yet.
pub fn existing(opened: Result<Store, StoreError>, id: &str) -> Result<Store, EngineError> {
    match opened {
        Err(StoreError::Missing { .. }) => {
            Err(Refusal::session(id, SessionProblem::NoneHeld).help(Remedy::StartDebate).into())
        }
        opened => Ok(opened?),
    }
}

fn names(candidates: &[DebateHint]) -> Vec<SessionName> {
    let name = |one: &DebateHint| SessionName { id: one.id.clone(), topic: one.topic.clone() };
    candidates.iter().map(name).collect()
}

impl From<OpenError> for EngineError {
    fn from(error: OpenError) -> EngineError {
        match error {
            OpenError::Brief(faults) => {
                EngineError::Refused(faults.into_iter().map(Refusal::from).collect())
            }
            OpenError::Words(error) => {
                Refusal::new(At::Setting(SettingName::Words), Problem::Template(error)).into()
            }
        }
    }
}

impl From<BriefFault> for Refusal {
    fn from(fault: BriefFault) -> Refusal {
        let at = match fault.field {
            BriefField::Topic => At::Setting(SettingName::Topic),
            BriefField::Mode => At::Setting(SettingName::Mode),
            BriefField::Agents => At::Setting(SettingName::Agents),
            BriefField::Rounds => At::Setting(SettingName::Rounds),
            BriefField::Options | BriefField::Option { .. } => At::Setting(SettingName::Options),
            BriefField::MaxOutputTokens => At::Setting(SettingName::MaxOutputTokens),
            BriefField::Temperature => At::Setting(SettingName::Temperature),
            BriefField::TimeoutSeconds => At::Setting(SettingName::Timeout),
            BriefField::Depth => At::Setting(SettingName::Depth),
            BriefField::Effort => At::Setting(SettingName::Effort),
            BriefField::Importance => At::Setting(SettingName::Importance),
            BriefField::Perspectives | BriefField::Perspective { .. } => {
                At::Setting(SettingName::Perspectives)
            }
            BriefField::Assignment { .. } => At::Setting(SettingName::Assignment),
            BriefField::Samples => At::Setting(SettingName::Samples),
            BriefField::TeamOrder => At::Setting(SettingName::TeamOrder),
            BriefField::Tolerance => At::Setting(SettingName::Tolerance),
            BriefField::Flag(name) => At::Flag(name.into()),
            BriefField::Threshold(name) => At::Threshold(name.into()),
            BriefField::Agent { .. }
            | BriefField::Clerk { .. }
            | BriefField::Case
            | BriefField::CaseRounds
            | BriefField::FenceKey
            | BriefField::Text(_) => At::Field(fault.field.to_string()),
        };
        let allowed = fault.allowed;
        let (given, problem) = match fault.value {
            BriefValue::Empty => (None, Problem::Missing { expected: allowed }),
            BriefValue::Text(value) | BriefValue::Number(value) => {
                (Some(value), Problem::OutOfRange { allowed })
            }
            BriefValue::Characters(found) => {
                (None, Problem::Length { found, unit: LengthUnit::Characters, allowed })
            }
            BriefValue::List(found) => {
                (None, Problem::Length { found, unit: LengthUnit::Rows, allowed })
            }
            BriefValue::AsksFor(reasons) => (None, Problem::AsksFor { reasons }),
        };
        Refusal { at, given, problem, remedy: None }
    }
}

impl From<OutcomeFault> for Refusal {
    fn from(fault: OutcomeFault) -> Refusal {
        let problem = match fault.problem {
            OutcomeProblem::Missing { expected } => Problem::Missing { expected: expected.into() },
            OutcomeProblem::OutOfRange { allowed } => Problem::OutOfRange { allowed },
            OutcomeProblem::TooLong { characters, most } => Problem::Length {
                found: characters,
                unit: LengthUnit::Characters,
                allowed: format!("at most {most}"),
            },
            OutcomeProblem::TooManyRows { rows, most } => Problem::Length {
                found: rows,
                unit: LengthUnit::Rows,
                allowed: format!("at most {most}"),
            },
            OutcomeProblem::Unknown { known } => Problem::Unknown { near: Vec::new(), all: known },
            OutcomeProblem::Without { field } => {
                Problem::Missing { expected: format!("{field} beside it") }
            }
        };
        Refusal { at: At::Field(fault.field), given: fault.given, problem, remedy: None }
    }
}

impl From<RefusedCommand> for EngineError {
    fn from(refused: RefusedCommand) -> EngineError {
        let over = refused.status.is_over();
        let problem = SessionProblem::NotNow { refused: Box::new(refused), waits_for: Vec::new() };
        let refusal = Refusal::new(At::Order, Problem::Session(problem));
        if over { refusal.help(Remedy::ReadOrFollowUp).into() } else { refusal.into() }
    }
}

impl From<SpecError> for Refusal {
    fn from(error: SpecError) -> Refusal {
        let (spec, problem) = match error {
            SpecError::Empty { spec } => (spec, SeatProblem::NoProvider),
            SpecError::NoName { spec } => (spec, SeatProblem::EmptyName),
            SpecError::UnknownProvider { spec, provider, near, known } => {
                (spec, SeatProblem::UnknownProvider { provider, near, all: known })
            }
            SpecError::NoModel { spec, provider } => (spec, SeatProblem::NoModelNamed { provider }),
            SpecError::NoFallback { spec } => (spec, SeatProblem::NoFallbackNamed),
            SpecError::FallbackOfProgram { spec, provider } => {
                (spec, SeatProblem::FallbackOfProgram { provider })
            }
        };
        Refusal::new(At::Agent(spec), Problem::Seat(problem))
    }
}

impl From<PanelError> for Refusal {
    fn from(error: PanelError) -> Refusal {
        let seat = |name: String, problem| Refusal::new(At::Agent(name), Problem::Seat(problem));
        match error {
            PanelError::NotInScript { name, known } => {
                seat(name, SeatProblem::NotInScript { known })
            }
            PanelError::UnknownProvider { name, provider } => {
                let problem =
                    SeatProblem::UnknownProvider { provider, near: Vec::new(), all: Vec::new() };
                seat(name, problem).help(Remedy::ListAgents)
            }
            PanelError::NoKey { provider, variable } => seat(
                provider.into(),
                SeatProblem::NeedsKey { provider: provider.into(), variable: variable.into() },
            )
            .help(Remedy::KeepKey { provider: provider.into() }),
            PanelError::NoUrl { provider, variable } => seat(
                provider.into(),
                SeatProblem::NeedsAddress { provider: provider.into(), variable: variable.into() },
            ),
            PanelError::BadUrl(error) => error.into(),
            PanelError::NoScript { name } => seat(name, SeatProblem::NoScript),
            PanelError::NoRecording { name } => seat(name, SeatProblem::NoRecording),
            PanelError::NoClient { name } => seat(name, SeatProblem::NoClient),
            PanelError::Example(why) => Refusal::new(At::Order, Problem::Failed { why }),
            PanelError::Program { name, why } => {
                Refusal { at: At::Agent(name), ..Refusal::from(why) }
            }
            PanelError::Weights { name, why } => seat(name, SeatProblem::Weights { why }),
        }
    }
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Refusal {
        let (name, problem) = match error {
            CommandError::Empty { name } => (name, SeatProblem::EmptyProgram),
            CommandError::NeedsModel { name } => {
                (name.clone(), SeatProblem::NoModelNamed { provider: name })
            }
            CommandError::LooksLikeAnOption { name, model } => {
                (name, SeatProblem::LooksLikeAnOption { model })
            }
            CommandError::NotFound { name, program, advice } => {
                (name, SeatProblem::NoProgram { program, advice })
            }
        };
        Refusal::new(At::Agent(name), Problem::Seat(problem))
    }
}

impl From<BadUrl> for Refusal {
    fn from(error: BadUrl) -> Refusal {
        let problem = SeatProblem::BadAddress {
            provider: error.provider.into(),
            url: error.given,
            why: error.problem.into(),
        };
        Refusal::new(At::Provider(error.provider.into()), Problem::Seat(problem))
    }
}

impl From<SearchEngineError> for Refusal {
    fn from(error: SearchEngineError) -> Refusal {
        let search = |problem| Refusal::new(At::Setting(SettingName::Search), problem);
        match error {
            SearchEngineError::Unknown { name } => {
                let known: Vec<&str> =
                    agents::search_engines::ENGINES.iter().map(|row| row.name).collect();
                let problem = Problem::unknown(&name, &known);
                Refusal::new(At::ConfigKey("search_engine".into()), problem).given(name)
            }
            SearchEngineError::NoKey { title, variable } => {
                search(Problem::Seat(SeatProblem::NeedsKey {
                    provider: title.into(),
                    variable: variable.into(),
                }))
            }
            SearchEngineError::NoUrl { title, variable } => {
                search(Problem::Seat(SeatProblem::NeedsAddress {
                    provider: title.into(),
                    variable: variable.into(),
                }))
            }
            SearchEngineError::BadUrl { title, url } => {
                let why = "it is no address".into();
                let problem = SeatProblem::BadAddress { provider: title.into(), url, why };
                search(Problem::Seat(problem))
            }
        }
    }
}

impl From<HttpError> for Refusal {
    fn from(error: HttpError) -> Refusal {
        Refusal::new(At::Order, Problem::Failed { why: error.to_string() })
    }
}

impl From<ScriptError> for Refusal {
    fn from(error: ScriptError) -> Refusal {
        match error {
            ScriptError::Unreadable { path, cause } => {
                Refusal::file(path, FileProblem::Unreadable { why: cause.to_string() })
            }
            ScriptError::Broken { path, cause } => {
                Refusal::file(path, FileProblem::Broken { what: FileKind::Script, why: cause })
            }
            ScriptError::Senseless { path, who, which, problem } => {
                let why = format!("{who}, {which}: {problem}");
                Refusal::file(path, FileProblem::Broken { what: FileKind::Script, why })
            }
        }
    }
}

impl From<TapeError> for EngineError {
    fn from(error: TapeError) -> EngineError {
        let what = FileKind::Recording;
        let in_line = |file: String, line, problem| {
            Refusal::new(At::Line { file: file.into(), line }, Problem::File(problem))
        };
        let refusal = match error {
            TapeError::Exists { path } => {
                Refusal::file(path, FileProblem::Exists).help(Remedy::ChooseOther)
            }
            TapeError::Unwritable { path, cause } => {
                Refusal::file(path, FileProblem::Unwritable { why: cause })
            }
            TapeError::Unreadable { path, cause } => {
                Refusal::file(path, FileProblem::Unreadable { why: cause })
            }
            TapeError::NotOurs { path } => in_line(path, 1, FileProblem::NotA { what }),
            TapeError::OtherVersion { path, found, program } => {
                let known = agents::recorded::VERSION;
                let problem = FileProblem::OtherVersion { what, found, known, program };
                in_line(path, 1, problem).help(Remedy::RecordAnew)
            }
            TapeError::Broken { path, line, cause } => {
                in_line(path, line, FileProblem::Broken { what, why: cause })
                    .help(Remedy::RecordAnew)
            }
            TapeError::NoDebate { path, label, known } => {
                Refusal::file(path, FileProblem::NoDebate { label, known })
            }
        };
        refusal.into()
    }
}

/// Lets `?` refuse with the error of another crate.
macro_rules! refused_by {
    ($($error:ty),*) => {$(
        impl From<$error> for EngineError {
            fn from(error: $error) -> EngineError {
                Refusal::from(error).into()
            }
        }
    )*};
}

refused_by!(SpecError, PanelError, CommandError, BadUrl, SearchEngineError, HttpError, ScriptError);
