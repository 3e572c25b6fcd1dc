//! A refusal, typed: where the fault is, what was given, what is wrong with it
//! and what helps. It holds no sentence; each face words it for its readers.

use std::path::PathBuf;

use debate::prompts::TemplateError;

use super::problem::{BudgetProblem, FileProblem, SeatProblem, SessionProblem, StorageProblem};
use super::setting_name::SettingName;

/// One thing that is wrong with what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub at: At,
    /// The value as it was given, if it may be repeated.
    pub given: Option<String>,
    pub problem: Problem,
    pub remedy: Option<Remedy>,
}

/// The place of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    Setting(SettingName),
    /// A key of the config file, with its tables: `providers.groq.base_url`.
    ConfigKey(String),
    /// A field of a form or a document, by its path.
    Field(String),
    Flag(String),
    Threshold(String),
    Variable(String),
    File(PathBuf),
    Line {
        file: PathBuf,
        line: usize,
    },
    /// The keys file, or the key that was given.
    Keys,
    Keyring,
    Database(PathBuf),
    /// An agent, by its name at the table or as it was asked for.
    Agent(String),
    Provider(String),
    Session(String),
    /// A client program that can be set up.
    Client(String),
    /// What an agent asked of the caller, by its name (`c1`).
    Request(String),
    /// Weights of a model inside the program.
    Weights(String),
    /// The embedder of the config file, by its model.
    Embedder(String),
    /// A place within something that has a name, such as a scenario.
    Within {
        name: String,
        at: Box<At>,
    },
    /// Everything that was asked for together.
    Order,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// `near` are the names most like it, best first; `all` are the known ones.
    Unknown {
        near: Vec<String>,
        all: Vec<String>,
    },
    /// The text cannot be read as a value of this kind.
    Malformed {
        allowed: String,
    },
    OutOfRange {
        allowed: String,
    },
    Missing {
        expected: String,
    },
    Length {
        found: usize,
        unit: LengthUnit,
        allowed: String,
    },
    /// The same value stands there twice.
    Repeated,
    /// The name must be written in its plain form.
    WriteAs {
        name: String,
    },
    /// A text asks for something that no debate may be about.
    AsksFor {
        reasons: Vec<String>,
    },
    /// These settings cannot be given beside it.
    Excludes {
        others: Vec<SettingName>,
    },
    /// It needs another setting.
    Needs {
        other: SettingName,
    },
    /// The constitution forbids it; these are the values it leaves.
    Unconstitutional {
        allowed: Option<String>,
    },
    /// The name is taken by something that the program brings along.
    NameTaken,
    NotSet,
    /// The key cannot be used; the key itself is never repeated.
    UnfitKey {
        fault: KeyFault,
    },
    /// A library or the system refused, in its words.
    Failed {
        why: String,
    },
    /// An embedder could not be measured.
    NotCalibrated {
        why: String,
    },
    Template(TemplateError),
    File(FileProblem),
    Session(SessionProblem),
    Seat(SeatProblem),
    Storage(StorageProblem),
    Budget(BudgetProblem),
    /// The name of an environment variable is expected, and something else stands there.
    NotAVariable,
    /// The role of the caller does not allow it.
    RoleForbids {
        role: &'static str,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    Characters,
    Rows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFault {
    Empty,
    TooLong,
    StrangeCharacters,
    /// This build has no keyring.
    NoKeyring,
}

/// A thing that helps.
#[derive(Debug, Clone, PartialEq)]
pub enum Remedy {
    ListAgents,
    /// Debate the example's topic, or add a model.
    TryExample {
        topic: &'static str,
    },
    SetVariable {
        names: Vec<String>,
    },
    /// Keep the key of this provider in the keys file.
    KeepKey {
        provider: String,
    },
    Resume {
        id: String,
    },
    GiveWholeId,
    ListSessions,
    StartDebate,
    /// Hold the debate with a clerk.
    HoldWithClerk,
    NameClerkOrDomain,
    WriteItYourself,
    Track,
    ReplaceEarlier,
    ImportAsCopy,
    Overwrite,
    NameFileInside,
    PrintInstead,
    ChooseOther,
    LeaveOut {
        settings: Vec<SettingName>,
    },
    NameScript,
    Decline,
    RemoveFile,
    RecordAnew,
    RunDoctor,
    RunDoctorOrMove,
    MakePrivate {
        path: PathBuf,
    },
    AddProfile {
        name: String,
        file: PathBuf,
    },
    ReadOrFollowUp,
    RemoveWhereSet {
        variable: String,
    },
    OrAuto,
    OrNever,
    SetHome,
    /// Give the token in the environment, or remove its file.
    SetTokenOrRemove,
    /// Measure the calibration once more, or delete its file.
    MeasureAgain,
}

impl Refusal {
    pub fn new(at: At, problem: Problem) -> Refusal {
        Refusal { at, given: None, problem, remedy: None }
    }

    pub fn setting(name: SettingName, given: impl Into<String>, problem: Problem) -> Refusal {
        Refusal::new(At::Setting(name), problem).given(given)
    }

    pub fn file(path: impl Into<PathBuf>, problem: FileProblem) -> Refusal {
        Refusal::new(At::File(path.into()), Problem::File(problem))
    }

    pub fn session(id: impl Into<String>, problem: SessionProblem) -> Refusal {
        Refusal::new(At::Session(id.into()), Problem::Session(problem))
    }

    pub fn given(mut self, given: impl Into<String>) -> Refusal {
        self.given = Some(given.into());
        self
    }

    pub fn help(mut self, remedy: Remedy) -> Refusal {
        self.remedy = Some(remedy);
        self
    }
}

impl Problem {
    /// An unknown name among known ones, with the nearest of these.
    pub fn unknown(given: &str, known: &[&str]) -> Problem {
        let near = crate::spelling::nearest(given, known);
        Problem::Unknown { near, all: known.iter().map(|name| (*name).to_owned()).collect() }
    }

    pub fn malformed(allowed: impl Into<String>) -> Problem {
        Problem::Malformed { allowed: allowed.into() }
    }

    pub fn out_of_range(allowed: impl Into<String>) -> Problem {
        Problem::OutOfRange { allowed: allowed.into() }
    }
}
