//! Words the refusals of debates and of their agents.

use debate::model::ContextRequest;
use debate::{DropFault, RefusedCommand};
use engine::error::{
    AfterDebate, AnswerGap, ImportClash, Problem, Refusal, RequestFault, SeatProblem, SessionName,
    SessionProblem,
};

use super::FaceWords;

pub fn session(
    refusal: &Refusal,
    at: &str,
    problem: &SessionProblem,
    face: &dyn FaceWords,
) -> String {
    match problem {
        SessionProblem::NoneHeld => {
            if at.contains('@') {
                "no debate has been held yet".into()
            } else {
                format!("there is no {at}: none has been held yet")
            }
        }
        SessionProblem::Unknown { recent } if recent.is_empty() => {
            format!("There is no {at}. None has been held yet.")
        }
        SessionProblem::Unknown { recent } => {
            format!("There is no {at}. The most recent:{}", listed(recent))
        }
        SessionProblem::Ambiguous { candidates } => {
            format!("More than one debate fits {at}:{}", listed(candidates))
        }
        SessionProblem::Exists => format!("A debate with the id of {at} already exists."),
        SessionProblem::Taken { process } => {
            let owner =
                process.map_or_else(|| "another process".into(), |n| format!("process {n}"));
            format!("{at} is being run by {owner}. Watch it, or pause it there first.")
        }
        SessionProblem::NotNow { refused, waits_for } => not_now(refused, waits_for, face),
        SessionProblem::NotFinished { status, wanted } => {
            format!("{at} is {}: {}", face.status(status), only_when_finished(*wanted))
        }
        SessionProblem::NoClerk { wanted } => {
            format!("{at} has no clerk to write {}", thing(*wanted))
        }
        SessionProblem::ClerkSilent => format!("the clerk of {at} cannot be asked here"),
        SessionProblem::NobodyAnswered => {
            format!("no agent answered in {at}; there is nothing to sum up")
        }
        SessionProblem::NoVerdict => format!("{at} has no verdict to judge"),
        SessionProblem::NotJudged if at.is_empty() => "no debate has been judged yet".into(),
        SessionProblem::NotJudged => match &refusal.given {
            Some(given) => format!("{at}: no debate of {given:?} has been judged yet"),
            None => format!("{at} has not been judged yet"),
        },
        SessionProblem::Judged { on } => format!("{at} has a post-mortem of {on} already"),
        SessionProblem::NothingNoted => format!("nothing is noted about {at} that counts"),
        SessionProblem::NoSuchRecord { counting } => {
            let all: Vec<String> =
                counting.iter().map(|(n, kind)| format!("{n} ({kind})")).collect();
            format!("there is no such record of {at}; these count: {}", all.join(", "))
        }
        SessionProblem::NoSuchRound { held } => {
            let round = refusal.given.as_deref().unwrap_or("of that number");
            format!("{at}: there is no round {round}; this debate has held {held}")
        }
        SessionProblem::NoAnswer => format!("{at} has not answered in this debate"),
        SessionProblem::NoAnswerInRound { round, gap } => no_answer(at, *round, gap.as_ref()),
        SessionProblem::NoSuchRequest { fault, open } => no_request(at, *fault, open, face),
        SessionProblem::AnswerBlocked { reasons } => {
            let why = if reasons.is_empty() { "" } else { ": " };
            format!("the answer to {at} was not let in{why}{}", reasons.join("; "))
        }
        SessionProblem::CannotDrop { fault } => format!("{at} {}", not_dropped(*fault)),
        SessionProblem::RunnerSilent { seconds } => format!(
            "the process that runs this debate has not answered for {seconds} s; it will obey when \
             it can"
        ),
        SessionProblem::RunnerRefused { why } => why.clone(),
        SessionProblem::NeedsScript => format!("{at} was held by scripted agents"),
        SessionProblem::HereAlready(clash) => {
            format!("{at} is here already {}. Nothing was changed", clashes(*clash))
        }
    }
}

fn not_dropped(fault: DropFault) -> &'static str {
    match fault {
        DropFault::NoSuchSeat => "does not sit at this table",
        DropFault::Gone => "was dropped before",
        DropFault::TooFew => "cannot be dropped: a debate needs two agents; stop it instead",
    }
}

fn listed(names: &[SessionName]) -> String {
    let line = |one: &SessionName| {
        let topic: String = one.topic.chars().take(60).collect();
        format!("\n  {}  {}", one.id, topic.replace('\n', " "))
    };
    names.iter().map(line).collect()
}

fn not_now(refused: &RefusedCommand, waits_for: &[ContextRequest], face: &dyn FaceWords) -> String {
    let (command, status) = (face.command(refused.command), face.status(&refused.status));
    let mut text = format!("cannot {command} a debate that is {status}");
    if !refused.unanswered.is_empty() {
        let ids: Vec<String> = refused.unanswered.iter().map(ToString::to_string).collect();
        text.push_str(&format!("; first answer or decline {}", ids.join(", ")));
    }
    let allowed: Vec<&str> = refused.allowed.iter().map(|one| face.command(*one)).collect();
    if !allowed.is_empty() {
        text.push_str(&format!("; allowed now: {}", allowed.join(", ")));
    }
    for request in waits_for {
        text.push_str(&format!("\n{}", request.sentence()));
    }
    text
}

fn only_when_finished(wanted: AfterDebate) -> &'static str {
    match wanted {
        AfterDebate::Outcome => "only a debate that is completed has an outcome",
        AfterDebate::Record => "the record is made when it is completed",
        AfterDebate::Synthesis => "a synthesis is written when it is over",
        AfterDebate::Draft => "a draft is written when it is completed",
        AfterDebate::FollowUp => {
            "a further question can be put to it when it is finished; until then, add a remark"
        }
    }
}

fn thing(wanted: AfterDebate) -> &'static str {
    match wanted {
        AfterDebate::Outcome => "an outcome",
        AfterDebate::Record => "a record",
        AfterDebate::Synthesis => "a synthesis",
        AfterDebate::Draft => "a draft",
        AfterDebate::FollowUp => "a follow-up",
    }
}

fn no_answer(at: &str, round: u32, gap: Option<&AnswerGap>) -> String {
    let why = match gap {
        Some(gap) => format!("it failed ({}): {}", gap.class, gap.message),
        None => "it was not asked, or has not answered yet".into(),
    };
    format!("{at} gave no answer in round {round}: {why}")
}

fn no_request(
    name: &str,
    fault: RequestFault,
    open: &[ContextRequest],
    face: &dyn FaceWords,
) -> String {
    let mut text = match fault {
        RequestFault::NothingOpen => "there is nothing to answer.".into(),
        RequestFault::NotNamed => face.name_a_request().to_owned(),
        RequestFault::NoName => {
            format!("{name:?} names no request; requests are called c1, c2 and so on.")
        }
        RequestFault::NotAsked => format!("nobody asked {name}."),
        RequestFault::Answered => format!("{name} was answered already."),
        RequestFault::Declined => format!("{name} was declined already."),
    };
    if open.is_empty() {
        text.push_str("\nNothing is open: no agent waits for an answer.");
    } else {
        text.push_str("\nOpen are:");
    }
    for request in open {
        text.push_str(&format!("\n  {}", request.sentence()));
    }
    text
}

fn clashes(clash: ImportClash) -> String {
    match clash {
        ImportClash::Same => "with exactly this log; there is nothing to import".into(),
        ImportClash::GoneOn { here, there } => {
            format!("and has gone on since: {here} entries instead of {there}")
        }
        ImportClash::EndsEarlier { here, there } => {
            format!("but ends after entry {here} of {there}")
        }
        ImportClash::Differs { from } => format!("and differs from entry {from} on"),
    }
}

/// The list of known providers, once, if a refusal is about one that resembles none.
pub fn known_providers(refusals: &[Refusal]) -> Option<String> {
    refusals.iter().find_map(|refusal| match &refusal.problem {
        Problem::Seat(SeatProblem::UnknownProvider { near, all, .. })
            if near.is_empty() && !all.is_empty() =>
        {
            Some(format!("Known providers: {}", all.join(", ")))
        }
        _ => None,
    })
}

pub fn seat(at: &str, problem: &SeatProblem) -> String {
    match problem {
        SeatProblem::NoModel { .. } => {
            "No model was found, and the scripted example debates only its own question.".into()
        }
        SeatProblem::NoProvider => {
            format!("{at} names no provider. Write provider/model, for example ollama/llama3.2")
        }
        SeatProblem::EmptyName => {
            format!("{at} has an empty name before the =. Write name=provider/model")
        }
        SeatProblem::UnknownProvider { provider, near, .. } => {
            let hint = match near.as_slice() {
                [] => String::new(),
                near => format!(". Did you mean {}?", near.join(" or ")),
            };
            // A word alone may have been meant as a model.
            if at == format!("agent {provider:?}") {
                format!("{at} is unknown{hint}")
            } else {
                format!("{at}: there is no provider {provider:?}{hint}")
            }
        }
        SeatProblem::NoModelNamed { provider } => {
            format!("{at} names no model, and {provider} has no default. Write {provider}/<model>")
        }
        SeatProblem::NoFallbackNamed => {
            format!("{at} names no fallback after the |. Write provider/model|fallback-model")
        }
        SeatProblem::FallbackOfProgram { provider } => format!(
            "{at}: {provider} cannot have a fallback. Only models at a provider can; leave out the |"
        ),
        SeatProblem::NotInScript { known } => {
            format!("{at} is not in the script; it has {known}")
        }
        SeatProblem::NeedsKey { provider, variable } => {
            format!("{provider} needs a key. Set {variable}")
        }
        SeatProblem::NeedsAddress { provider, variable } => format!(
            "{provider} needs an address. Set {variable}, for example to http://127.0.0.1:8000/v1"
        ),
        SeatProblem::BadAddress { provider, url, why } => format!(
            "the base URL \"{url}\" for {provider} cannot be used: {why}. Example: \
             http://127.0.0.1:11434/v1"
        ),
        SeatProblem::NoScript => format!("{at} speaks from a script, but no script was given"),
        SeatProblem::NoRecording => {
            format!("{at} spoke from a recording, which is not at hand here. Replay it anew")
        }
        SeatProblem::NoClient => format!(
            "{at} is the model of an MCP client, and none that offers its model is connected"
        ),
        SeatProblem::EmptyProgram => {
            format!("{at} is empty. Give a program and its arguments as a list")
        }
        SeatProblem::LooksLikeAnOption { model } => {
            format!("{at}: \"{model}\" cannot be a model: it would be read as an option")
        }
        SeatProblem::NoProgram { program, advice } => {
            format!("{at} needs the program \"{program}\", which is not on the PATH. {advice}")
        }
        SeatProblem::Weights { why } => format!("{at}: {why}"),
        SeatProblem::NoNativeSearch { able } => format!(
            "{at}: no agent here has a search of its own; those of {} have. Name one of these, or \
             search by api or off",
            able.join(", ")
        ),
        SeatProblem::NobodyToAnswer => format!(
            "{at} is a person's seat, and nobody could answer for it here. Start the debate on a \
             terminal that shows it live, or on the page"
        ),
        SeatProblem::OnlyPeople => format!("{at}: name at least one model beside the person"),
        SeatProblem::NoSearchApi => format!("{at}: no search API is set up"),
        SeatProblem::NotComparable { embedder, why } => {
            format!("the constitution wants convergence tracked, and {embedder} cannot: {why}")
        }
    }
}
