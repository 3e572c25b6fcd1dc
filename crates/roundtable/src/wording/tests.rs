//! Renders a refusal of every kind in every face, and holds each face to its words.

use std::path::PathBuf;

use debate::model::{Day, MicroUsd, Status};
use debate::prompts::TemplateError;
use debate::{DropFault, LifecycleCommand, RefusedCommand};
use engine::error::*;
use engine::table::notice::TableNotice;

use super::{FaceWords, notice, sentence};
use crate::cli::wording::CommandLine;
use crate::mcp::wording::Protocol;
use crate::web::wording::PageWords;

fn words(given: &[&str]) -> Vec<String> {
    given.iter().map(|word| (*word).to_owned()).collect()
}

fn places() -> Vec<At> {
    let mut all: Vec<At> = SettingName::ALL.into_iter().map(At::Setting).collect();
    all.extend([
        At::ConfigKey("budget".into()),
        At::Field("lessons[0].action".into()),
        At::Flag("exitCriteria.enabled".into()),
        At::Threshold("votes".into()),
        At::Variable("ROUNDTABLE_EXIT_ENABLED".into()),
        At::File("notes.md".into()),
        At::Line { file: "tape.jsonl".into(), line: 3 },
        At::Keys,
        At::Keyring,
        At::Database("data.db".into()),
        At::Agent("Ada".into()),
        At::Provider("groq".into()),
        At::Session("0192".into()),
        At::Client("cursor".into()),
        At::Request("c1".into()),
        At::Weights("smollm".into()),
        At::Embedder("nomic".into()),
        At::Within { name: "short".into(), at: Box::new(At::Order) },
        At::Order,
    ]);
    all
}

fn file_problems() -> Vec<FileProblem> {
    let what = FileKind::Recording;
    let why = || "a reason".to_owned();
    let mut all = vec![
        FileProblem::Unreadable { why: why() },
        FileProblem::Unwritable { why: why() },
        FileProblem::Exists,
        FileProblem::IsFolder,
        FileProblem::NotAFile,
        FileProblem::FolderMissing,
        FileProblem::TooLarge { most: 8 },
        FileProblem::NotRegular { kind: "a pipe" },
        FileProblem::NoHttpEntry,
        FileProblem::TokenInProject,
        FileProblem::Binary,
        FileProblem::NotText,
        FileProblem::Empty,
        FileProblem::NothingReadable { first: None },
        FileProblem::NothingReadable { first: Some(("a".into(), Box::new(FileProblem::Empty))) },
        FileProblem::FolderFull { most: 8 },
        FileProblem::ReadableByOthers { mode: 0o644 },
        FileProblem::OtherVersion { what, found: 2, known: 1, program: "9".into() },
        FileProblem::NoDebate { label: "a".into(), known: "b".into() },
        FileProblem::Unchangeable { why: why(), key: "mcpServers", entry: "{}".into() },
        FileProblem::NoHome,
        FileProblem::NoProjectFile,
    ];
    for what in [
        FileKind::Config,
        FileKind::Constitution,
        FileKind::Keys,
        FileKind::Script,
        FileKind::Recording,
        FileKind::Export,
        FileKind::Lessons,
        FileKind::Weights,
    ] {
        all.extend([FileProblem::NotA { what }, FileProblem::Broken { what, why: why() }]);
    }
    all
}

fn session_problems() -> Vec<SessionProblem> {
    let name = || vec![SessionName { id: "0192".into(), topic: "Why?".into() }];
    let refused = RefusedCommand {
        command: LifecycleCommand::Remark,
        status: Status::Active,
        allowed: vec![LifecycleCommand::Go, LifecycleCommand::Stop],
        unanswered: Vec::new(),
    };
    let gap = AnswerGap { class: "network", message: "cut off".into() };
    let mut all = vec![
        SessionProblem::NoneHeld,
        SessionProblem::Unknown { recent: name() },
        SessionProblem::Ambiguous { candidates: name() },
        SessionProblem::Exists,
        SessionProblem::Taken { process: Some(4711) },
        SessionProblem::Taken { process: None },
        SessionProblem::NotNow { refused: Box::new(refused), waits_for: Vec::new() },
        SessionProblem::ClerkSilent,
        SessionProblem::NobodyAnswered,
        SessionProblem::NoVerdict,
        SessionProblem::NotJudged,
        SessionProblem::Judged { on: Day::default() },
        SessionProblem::NothingNoted,
        SessionProblem::NoSuchRecord { counting: vec![(1, "entry")] },
        SessionProblem::NoSuchRound { held: 3 },
        SessionProblem::NoAnswer,
        SessionProblem::NoAnswerInRound { round: 2, gap: Some(gap) },
        SessionProblem::AnswerBlocked { reasons: words(&["malware"]) },
        SessionProblem::CannotDrop { fault: DropFault::NoSuchSeat },
        SessionProblem::CannotDrop { fault: DropFault::Gone },
        SessionProblem::CannotDrop { fault: DropFault::TooFew },
        SessionProblem::RunnerSilent { seconds: 15 },
        SessionProblem::RunnerRefused { why: "no".into() },
        SessionProblem::NeedsScript,
        SessionProblem::HereAlready(ImportClash::Same),
        SessionProblem::HereAlready(ImportClash::GoneOn { here: 3, there: 2 }),
        SessionProblem::HereAlready(ImportClash::EndsEarlier { here: 2, there: 3 }),
        SessionProblem::HereAlready(ImportClash::Differs { from: 2 }),
    ];
    for wanted in
        [AfterDebate::Outcome, AfterDebate::Record, AfterDebate::Synthesis, AfterDebate::Draft]
    {
        all.push(SessionProblem::NotFinished { status: Status::Created, wanted });
        all.push(SessionProblem::NoClerk { wanted });
    }
    for fault in [
        RequestFault::NothingOpen,
        RequestFault::NotNamed,
        RequestFault::NoName,
        RequestFault::NotAsked,
        RequestFault::Answered,
        RequestFault::Declined,
    ] {
        all.push(SessionProblem::NoSuchRequest { fault, open: Vec::new() });
    }
    all
}

fn seat_problems() -> Vec<SeatProblem> {
    let (provider, variable) = (|| "groq".to_owned(), || "GROQ_API_KEY".to_owned());
    vec![
        SeatProblem::NoModel { example: "a topic" },
        SeatProblem::NoProvider,
        SeatProblem::EmptyName,
        SeatProblem::UnknownProvider {
            provider: provider(),
            near: words(&["grok"]),
            all: Vec::new(),
        },
        SeatProblem::NoModelNamed { provider: provider() },
        SeatProblem::NoFallbackNamed,
        SeatProblem::FallbackOfProgram { provider: provider() },
        SeatProblem::NotInScript { known: "Ada".into() },
        SeatProblem::NeedsKey { provider: provider(), variable: variable() },
        SeatProblem::NeedsAddress { provider: provider(), variable: variable() },
        SeatProblem::BadAddress { provider: provider(), url: "x".into(), why: "no host".into() },
        SeatProblem::NoScript,
        SeatProblem::NoRecording,
        SeatProblem::NoClient,
        SeatProblem::EmptyProgram,
        SeatProblem::LooksLikeAnOption { model: "-x".into() },
        SeatProblem::NoProgram { program: "claude".into(), advice: "Install it".into() },
        SeatProblem::Weights { why: "no file".into() },
        SeatProblem::NoNativeSearch { able: vec!["anthropic"] },
        SeatProblem::NoSearchApi,
        SeatProblem::NobodyToAnswer,
        SeatProblem::OnlyPeople,
        SeatProblem::NotComparable { embedder: "e".into(), why: "no vectors".into() },
    ]
}

fn costs() -> DebateCosts {
    let (first, typical, worst) = (MicroUsd(3), MicroUsd(4), MicroUsd(5));
    DebateCosts { first, typical, worst, least: "0.01".into() }
}

fn person_budget(span: BudgetSpan) -> Problem {
    let (name, left, cap) = ("ann".into(), MicroUsd(1), MicroUsd(2));
    Problem::Budget(BudgetProblem::Person { name, span, left, cap, costs: costs() })
}

fn problems() -> Vec<Problem> {
    let mut all = vec![
        Problem::unknown("delfi", &["delphi", "court"]),
        Problem::Unknown { near: Vec::new(), all: words(&["a", "b"]) },
        Problem::malformed("1 to 20"),
        Problem::out_of_range("1 to 20"),
        Problem::Missing { expected: "a text".into() },
        Problem::Length { found: 9, unit: LengthUnit::Characters, allowed: "1 to 8".into() },
        Problem::Length { found: 9, unit: LengthUnit::Rows, allowed: "at most 8".into() },
        Problem::Repeated,
        Problem::NotAVariable,
        Problem::RoleForbids { role: "reader" },
        Problem::Budget(BudgetProblem::Unpriced { agents: words(&["groq/m"]) }),
        Problem::Budget(BudgetProblem::Debate { cap: MicroUsd(1), costs: costs() }),
        Problem::Budget(BudgetProblem::Day { left: MicroUsd(1), day: MicroUsd(2), costs: costs() }),
        person_budget(BudgetSpan::Day),
        person_budget(BudgetSpan::Month),
        Problem::WriteAs { name: "law".into() },
        Problem::AsksFor { reasons: words(&["malware"]) },
        Problem::Excludes { others: vec![SettingName::Agents, SettingName::Clerk] },
        Problem::Needs { other: SettingName::Clerk },
        Problem::Unconstitutional { allowed: Some("evidence_based_debate".into()) },
        Problem::Unconstitutional { allowed: None },
        Problem::NameTaken,
        Problem::NotSet,
        Problem::Failed { why: "a reason".into() },
        Problem::NotCalibrated { why: "a reason".into() },
        Problem::Template(TemplateError::Checks { template: "x.md".into(), found: 1 }),
        Problem::Storage(StorageProblem::Missing),
        Problem::Storage(StorageProblem::NotOurs { why: "a text".into() }),
        Problem::Storage(StorageProblem::Newer { found: 9, known: 8 }),
        Problem::Storage(StorageProblem::Occupied),
        Problem::Storage(StorageProblem::Damaged { what: "a page".into() }),
        Problem::Storage(StorageProblem::EntryDamaged { seq: 3, what: "a hash".into() }),
        Problem::Storage(StorageProblem::Other { why: "It is locked.".into() }),
        Problem::Storage(StorageProblem::Io { what: "the file".into() }),
    ];
    for fault in
        [KeyFault::Empty, KeyFault::TooLong, KeyFault::StrangeCharacters, KeyFault::NoKeyring]
    {
        all.push(Problem::UnfitKey { fault });
    }
    all.extend(file_problems().into_iter().map(Problem::File));
    all.extend(session_problems().into_iter().map(Problem::Session));
    all.extend(seat_problems().into_iter().map(Problem::Seat));
    all
}

fn remedies() -> Vec<Remedy> {
    vec![
        Remedy::ListAgents,
        Remedy::TryExample { topic: "a topic" },
        Remedy::KeepKey { provider: "groq".into() },
        Remedy::SetVariable { names: words(&["A"]) },
        Remedy::SetVariable { names: words(&["A", "B"]) },
        Remedy::Resume { id: "0192".into() },
        Remedy::GiveWholeId,
        Remedy::ListSessions,
        Remedy::StartDebate,
        Remedy::MeasureAgain,
        Remedy::SetHome,
        Remedy::SetTokenOrRemove,
        Remedy::HoldWithClerk,
        Remedy::NameClerkOrDomain,
        Remedy::WriteItYourself,
        Remedy::Track,
        Remedy::ReplaceEarlier,
        Remedy::ImportAsCopy,
        Remedy::Overwrite,
        Remedy::NameFileInside,
        Remedy::PrintInstead,
        Remedy::ChooseOther,
        Remedy::LeaveOut { settings: vec![SettingName::Script] },
        Remedy::NameScript,
        Remedy::Decline,
        Remedy::RemoveFile,
        Remedy::RecordAnew,
        Remedy::RunDoctor,
        Remedy::RunDoctorOrMove,
        Remedy::MakePrivate { path: "keys.toml".into() },
        Remedy::AddProfile { name: "quick".into(), file: "config.toml".into() },
        Remedy::ReadOrFollowUp,
        Remedy::RemoveWhereSet { variable: "A".into() },
        Remedy::OrAuto,
        Remedy::OrNever,
    ]
}

fn table_notices() -> Vec<TableNotice> {
    let file = || PathBuf::from("a.toml");
    vec![
        TableNotice::Example,
        TableNotice::InProcess,
        TableNotice::Scripted { file: file() },
        TableNotice::Replayed { file: file() },
        TableNotice::OneModel { provider: "groq".into(), model: "m".into() },
        TableNotice::LightSeat { agent: "A".into(), model: "s".into(), instead_of: "l".into() },
        TableNotice::NoSearch { agents: Vec::new() },
        TableNotice::NoSearch { agents: words(&["Ada"]) },
        TableNotice::NoTool { why: "no engine".into() },
        TableNotice::Folder { folder: file(), files: 1, bytes: 9 },
        TableNotice::LeftOut { name: "x".into(), problem: FileProblem::Binary },
        TableNotice::LeftOutMore { count: 3 },
        TableNotice::LeftOutBeyond { count: 3, most: 500 },
        TableNotice::Unpriced { agents: words(&["groq/m"]) },
        TableNotice::Shortened { tokens: 9, shown: 8 },
    ]
}

/// Everything that a face can say.
fn all_sentences(face: &dyn FaceWords) -> Vec<String> {
    let mut all = Vec::new();
    for at in places() {
        for given in [None, Some("delfi".to_owned())] {
            for problem in problems() {
                let (at, given) = (at.clone(), given.clone());
                all.push(sentence(&Refusal { at, given, problem, remedy: None }, face));
            }
        }
    }
    for remedy in remedies() {
        all.push(sentence(&Refusal::new(At::Order, Problem::NameTaken).help(remedy), face));
    }
    all.extend(table_notices().iter().map(|one| notice(one, face)));
    all
}

#[test]
fn a_model_and_a_page_are_told_of_no_flags_and_a_model_of_no_commands() {
    for sentence in [all_sentences(&Protocol), all_sentences(&PageWords)].concat() {
        let flag = sentence.split_whitespace().any(|word| {
            word.trim_start_matches(['`', '(', '"'])
                .strip_prefix("--")
                .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
        });
        assert!(!flag, "{sentence}");
    }
    for sentence in all_sentences(&Protocol) {
        let command =
            ["`roundtable ", ": roundtable "].iter().any(|begin| sentence.contains(begin));
        assert!(!command, "{sentence}");
    }
}

#[test]
fn every_refusal_is_a_sentence_in_every_face() {
    for face in [&CommandLine as &dyn FaceWords, &Protocol, &PageWords] {
        for sentence in all_sentences(face) {
            assert!(!sentence.trim().is_empty());
            assert!(!sentence.contains(".."), "{sentence}");
        }
    }
}

#[test]
fn a_face_names_a_setting_as_its_callers_do() {
    let refusal = Refusal::setting(SettingName::Budget, "much", Problem::malformed("0 or more"));
    assert_eq!(
        sentence(&refusal, &CommandLine),
        "budget: \"much\" cannot be read; allowed: 0 or more"
    );
    assert_eq!(
        sentence(&refusal, &Protocol),
        "budgetUsd: \"much\" cannot be read; allowed: 0 or more"
    );
    let refused = RefusedCommand {
        command: LifecycleCommand::Remark,
        status: Status::Active,
        allowed: Vec::new(),
        unanswered: Vec::new(),
    };
    let problem = SessionProblem::NotNow { refused: Box::new(refused), waits_for: Vec::new() };
    let refusal = Refusal::new(At::Order, Problem::Session(problem));
    assert_eq!(sentence(&refusal, &CommandLine), "cannot interject a debate that is active");
    assert_eq!(sentence(&refusal, &Protocol), "cannot remark a debate that is running");
}
