//! The faults of files, debates, seats and the store, typed.

use debate::model::{ContextRequest, Day, MicroUsd, Status};
use debate::{DropFault, RefusedCommand};

/// A file or folder that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileProblem {
    Unreadable {
        why: String,
    },
    Unwritable {
        why: String,
    },
    /// Its contents cannot be used; `why` is the parser's word.
    Broken {
        what: FileKind,
        why: String,
    },
    Exists,
    IsFolder,
    /// It is a device or a pipe.
    NotAFile,
    FolderMissing,
    TooLarge {
        most: u64,
    },
    /// It is something else than a regular file.
    NotRegular {
        kind: &'static str,
    },
    Binary,
    NotText,
    Empty,
    /// No file of a folder can be read as text; the first of them and its fault.
    NothingReadable {
        first: Option<(String, Box<FileProblem>)>,
    },
    /// A folder's share of the context is used up.
    FolderFull {
        most: u64,
    },
    ReadableByOthers {
        mode: u32,
    },
    NotA {
        what: FileKind,
    },
    OtherVersion {
        what: FileKind,
        found: u32,
        /// The version that this program reads.
        known: u32,
        program: String,
    },
    /// A recording holds no debate of this label.
    NoDebate {
        label: String,
        known: String,
    },
    /// The file cannot be changed safely; this must be added by hand.
    Unchangeable {
        why: String,
        key: &'static str,
        entry: String,
    },
    NoHome,
    NoProjectFile,
    /// A client takes no server over HTTP from its config file.
    NoHttpEntry,
    /// A token would stand in a file that others may read.
    TokenInProject,
}

/// The kinds of file that the engine reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Config,
    Constitution,
    Keys,
    Script,
    Recording,
    Export,
    Lessons,
    Weights,
    /// The measured calibration of models.
    Calibration,
    Preset,
    /// The token of `serve`.
    Token,
}

/// A debate that cannot do what was asked of it.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionProblem {
    NoneHeld,
    Unknown {
        recent: Vec<SessionName>,
    },
    Ambiguous {
        candidates: Vec<SessionName>,
    },
    Exists,
    /// Another process runs it.
    Taken {
        /// The number of the process, if its name can be read.
        process: Option<u32>,
    },
    NotNow {
        refused: Box<RefusedCommand>,
        waits_for: Vec<ContextRequest>,
    },
    NotFinished {
        status: Status,
        wanted: AfterDebate,
    },
    NoClerk {
        wanted: AfterDebate,
    },
    ClerkSilent,
    NobodyAnswered,
    NoVerdict,
    NotJudged,
    Judged {
        on: Day,
    },
    /// Nothing was noted about it that counts.
    NothingNoted,
    /// No record of this number counts; these do, by number and kind.
    NoSuchRecord {
        counting: Vec<(u64, &'static str)>,
    },
    NoSuchRound {
        held: usize,
    },
    /// An agent has not answered in this debate.
    NoAnswer,
    NoAnswerInRound {
        round: u32,
        gap: Option<AnswerGap>,
    },
    NoSuchRequest {
        fault: RequestFault,
        open: Vec<ContextRequest>,
    },
    /// The safety check did not let an answer in.
    AnswerBlocked {
        reasons: Vec<String>,
    },
    /// A seat cannot be dropped.
    CannotDrop {
        fault: DropFault,
    },
    /// The process that runs it has not answered.
    RunnerSilent {
        seconds: u64,
    },
    /// The process that runs it is of another version and said this.
    RunnerRefused {
        why: String,
    },
    NeedsScript,
    HereAlready(ImportClash),
}

/// A debate to offer, by its id and topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionName {
    pub id: String,
    pub topic: String,
}

/// A thing that is made from a debate when it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterDebate {
    Outcome,
    Record,
    Synthesis,
    Draft,
    FollowUp,
}

/// The reason why a turn has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerGap {
    pub class: &'static str,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFault {
    NothingOpen,
    NotNamed,
    NoName,
    NotAsked,
    Answered,
    Declined,
}

/// How an imported debate differs from the one of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportClash {
    Same,
    GoneOn { here: usize, there: usize },
    EndsEarlier { here: usize, there: usize },
    Differs { from: usize },
}

/// An agent, or the table, that cannot be seated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatProblem {
    /// No model was found, and the example table debates only this topic.
    NoModel {
        example: &'static str,
    },
    NoProvider,
    EmptyName,
    UnknownProvider {
        provider: String,
        near: Vec<String>,
        all: Vec<String>,
    },
    NoModelNamed {
        provider: String,
    },
    NoFallbackNamed,
    FallbackOfProgram {
        provider: String,
    },
    NotInScript {
        known: String,
    },
    NeedsKey {
        provider: String,
        variable: String,
    },
    NeedsAddress {
        provider: String,
        variable: String,
    },
    BadAddress {
        provider: String,
        url: String,
        why: String,
    },
    NoScript,
    NoRecording,
    NoClient,
    /// An own program of the config file has no argument list.
    EmptyProgram,
    LooksLikeAnOption {
        model: String,
    },
    NoProgram {
        program: String,
        advice: String,
    },
    Weights {
        why: String,
    },
    /// None of the agents has a search of its own; these providers have.
    NoNativeSearch {
        able: Vec<&'static str>,
    },
    NoSearchApi,
    /// A person has a seat, and nobody is there to answer.
    NobodyToAnswer,
    /// No model has a seat beside the person.
    OnlyPeople,
    /// Positions cannot be compared, as the constitution wants.
    NotComparable {
        embedder: String,
        why: String,
    },
}

/// A budget that does not let a debate begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetProblem {
    /// The prices of these agents are not known, so no budget could be kept.
    Unpriced { agents: Vec<String> },
    /// The first calls may cost more than the debate's limit.
    Debate { cap: MicroUsd, costs: DebateCosts },
    /// The first calls may cost more than what is left today.
    Day { left: MicroUsd, day: MicroUsd, costs: DebateCosts },
    /// The first calls may cost more than what is left of a person's own budget.
    Person { name: String, span: BudgetSpan, left: MicroUsd, cap: MicroUsd, costs: DebateCosts },
}

/// The time that a person's budget is for, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetSpan {
    Day,
    Month,
}

/// The costs of a debate, for a person who sets a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateCosts {
    pub first: MicroUsd,
    pub typical: MicroUsd,
    pub worst: MicroUsd,
    /// The least budget with which it can begin, in USD.
    pub least: String,
}

/// The store could not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageProblem {
    Missing,
    NotOurs {
        why: String,
    },
    Newer {
        found: i64,
        known: i64,
    },
    Occupied,
    Damaged {
        what: String,
    },
    EntryDamaged {
        seq: u64,
        what: String,
    },
    /// Any other state of the database, in the store's words.
    Other {
        why: String,
    },
    /// The disk refused.
    Io {
        what: String,
    },
}
