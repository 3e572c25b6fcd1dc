//! Requests of agents to the caller, for people: the questions, their purpose, and
//! the commands that answer them.

use debate::model::{ContextRequest, GivenContext, Priority};

use super::page::Page;
use crate::document::words::short_id;

/// The requests, each with what it is for.
pub fn requests(page: Page, out: &mut String, requests: &[ContextRequest]) {
    for request in requests {
        if request.is_turn {
            page.item(out, "  ", "?", &format!("{}: {}", request.agent, request.question));
            continue;
        }
        let priority = page.say(request.priority.word());
        let text = format!("{} ({priority}): {}", request.agent, request.question);
        page.item(out, "  ", &format!("? {}", request.id), &text);
        if !request.why.is_empty() {
            page.paragraph(out, "       ", &format!("{} {}", page.say("for:"), request.why));
        }
    }
}

/// Shows the caller's answer to one of them.
pub fn given(page: Page, out: &mut String, indent: &str, names: &str, given: &GivenContext) {
    match given {
        GivenContext::Answered { text } => {
            let short: String = text.chars().take(300).collect();
            let dots = if short.len() < text.len() { " …" } else { "" };
            let who = page.say(&format!("{names} answered:"));
            page.item(out, indent, "»", &format!("{who} {short}{dots}"));
        }
        GivenContext::Declined => {
            page.item(out, indent, "»", &page.say(&format!("{names} declined")));
        }
    }
}

/// All requests of a debate with what came of them.
pub fn overview(page: Page, all: &[ContextRequest]) -> String {
    let mut out = String::new();
    // A turn that a person took stands among the answers.
    let all: Vec<&ContextRequest> = all.iter().filter(|it| !it.is_turn || it.is_open()).collect();
    if all.is_empty() {
        return out;
    }
    page.heading(&mut out, &page.say("Asked of you"));
    for request in all {
        requests(page, &mut out, std::slice::from_ref(request));
        match &request.given {
            Some(answer) => given(page, &mut out, "       ", &request.id.to_string(), answer),
            None => page.paragraph(&mut out, "       ", &page.say("open")),
        }
    }
    out
}

/// Returns lines that say how to answer them.
pub fn how(page: Page, id: &str, requests: &[ContextRequest]) -> Vec<String> {
    let first = requests.iter().find(|it| it.priority == Priority::Required).or(requests.first());
    let Some(first) = first else { return Vec::new() };
    let each = match requests {
        [only] if only.is_turn => "Or answer it from here, or pass:",
        [_] => "Answer it, or decline:",
        _ => "Answer each, or decline it:",
    };
    vec![
        page.say(each),
        format!(
            "  roundtable sessions answer {} {} \"TEXT\"   {}",
            short_id(id),
            first.id,
            page.say("(or @FILE, or - for standard input)")
        ),
        format!("  roundtable sessions answer {} {} --decline", short_id(id), first.id),
    ]
}
