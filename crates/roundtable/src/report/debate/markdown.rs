//! The whole debate as Markdown: the decision first, then what it rests on, then
//! every answer, and the sources in one list.

use std::fmt::Write as _;

use debate::model::*;

use super::{numbers, prose, words};
use crate::report::escape::{markdown_line as line, web_address};
use engine::export::{ExportedDebate, SourceNumbering};

pub fn markdown(exported: &ExportedDebate) -> String {
    let room = exported.room();
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", line(&room.brief.topic));
    let _ = writeln!(out, "*{}*\n", line(&words::facts(exported).join(" · ")));
    decision(exported, &mut out);
    notices(exported, &mut out);
    if let Some(verdict) = &room.verdict {
        last_positions(&verdict.agent_responses, &mut out);
        vote(exported, &verdict.evidence.weighing, &mut out);
        contested(&verdict.evidence.conflicts, &mut out);
    }
    if let Some(synthesis) = &room.synthesis {
        self::synthesis(synthesis, &mut out);
    }
    let numbering = exported.numbering();
    for record in &room.rounds {
        round(exported, record, &numbering, &mut out);
    }
    claims(exported, &mut out);
    references(exported, &mut out);
    about(exported, &mut out);
    out
}

fn decision(exported: &ExportedDebate, out: &mut String) {
    let _ = writeln!(out, "## Decision\n");
    let Some(verdict) = &exported.room().verdict else {
        let _ = writeln!(out, "There is none yet: the debate is not over.\n");
        return;
    };
    let decision = &verdict.decision;
    let _ = writeln!(out, "**{}**\n", line(&decision.answer));
    let action = words::action(decision.action_recommendation);
    let _ = writeln!(out, "{action}. {}\n", line(&decision.reason));
    let _ = writeln!(out, "| | | |\n|---|---|---|");
    for (name, value, meaning) in words::figures(decision) {
        let _ = writeln!(out, "| {name} | {value} | {meaning} |");
    }
    let _ = writeln!(out);
    if let Some(decided) = &verdict.evidence.decided {
        let _ = writeln!(
            out,
            "{}, who decides, in round {}: {}\n",
            line(&decided.agent),
            decided.round,
            line(&decided.text)
        );
    }
}

/// Groupthink, gaps, safety: what stands before anything else is read.
pub fn notices(exported: &ExportedDebate, out: &mut String) {
    if exported.notices.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Read this first\n");
    for notice in &exported.notices {
        let _ = writeln!(out, "- **{}:** {}", words::notice_head(notice), line(&notice.text));
    }
    let _ = writeln!(out);
}

fn last_positions(last: &[FinalWord], out: &mut String) {
    let _ = writeln!(out, "## Where each agent ended\n");
    let _ = writeln!(out, "| Agent | Position | |\n|---|---|---|");
    for word in last {
        let change = word.confidence_change;
        let choice = word.answer.as_ref();
        let facts = words::standing(word.confidence, change, word.stance, word.vote, choice);
        let _ = writeln!(
            out,
            "| {} ({}) | {} | {} |",
            line(&word.agent),
            line(word.perspective.as_deref().unwrap_or(&word.role)),
            line(&word.position),
            line(&facts.join(", "))
        );
    }
    let _ = writeln!(out);
}

fn vote(exported: &ExportedDebate, weighing: &Weighing, out: &mut String) {
    if weighing.answers.is_empty() {
        return;
    }
    let who = |seats: &[SeatId]| -> String {
        let names: Vec<&str> = seats.iter().map(|seat| exported.name(*seat)).collect();
        if names.is_empty() { "nobody".into() } else { line(&names.join(", ")) }
    };
    let _ = writeln!(out, "## The vote\n\n| Weighed | Answer | Held by |\n|---:|---|---|");
    for answer in &weighing.answers {
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            words::percent(answer.probability),
            line(&answer.answer),
            who(&answer.seats)
        );
    }
    if let Some(rest) = weighing.something_else {
        let _ = writeln!(out, "| {} | something nobody said | |", words::percent(rest));
    }
    let _ = writeln!(out);
    let sealed = if weighing.first_vote_sealed { "First vote, sealed" } else { "First vote" };
    for (name, vote) in [(sealed, &weighing.first_vote), ("Final vote", &weighing.final_vote)] {
        let parts: Vec<String> = vote
            .iter()
            .map(|share| {
                let said = if share.words.is_empty() { &share.answer } else { &share.words };
                format!("{} ({})", line(said), who(&share.seats))
            })
            .collect();
        let _ = writeln!(out, "- {name}: {}", parts.join("; "));
    }
    for change in &weighing.changes {
        let _ = writeln!(out, "- {}", line(&words::change(exported, change)));
    }
    for minority in &weighing.minority {
        let _ = writeln!(
            out,
            "- Minority report, {} of the weight, {} in round {}: {}",
            words::percent(minority.share),
            line(exported.name(minority.seat)),
            minority.round,
            line(&minority.words)
        );
    }
    let _ = writeln!(out);
}

pub fn contested(conflicts: &[OpenConflict], out: &mut String) {
    if conflicts.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Still contested\n");
    for conflict in conflicts {
        let _ = writeln!(
            out,
            "- **{}** {} (held by {}; opposed by {})",
            conflict.claim,
            line(&conflict.text),
            line(&conflict.held_by.join(", ")),
            line(&conflict.opposed_by.join(", "))
        );
    }
    let _ = writeln!(out);
}

fn synthesis(synthesis: &Synthesis, out: &mut String) {
    let _ = writeln!(out, "## Synthesis\n");
    let point = |out: &mut String, point: &SynthesisPoint| {
        let ids: Vec<String> = point.claims.iter().map(ToString::to_string).collect();
        let ids = if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) };
        let _ = writeln!(out, "- {}{ids}", line(&point.text));
    };
    let lists = [
        ("Common ground", synthesis.common_ground.as_slice()),
        ("Key differences", synthesis.key_differences.as_slice()),
        ("How it evolved", synthesis.evolution.as_slice()),
        ("Conclusion", std::slice::from_ref(&synthesis.conclusion)),
        ("Recommendation", std::slice::from_ref(&synthesis.recommendation)),
    ];
    for (title, points) in lists.into_iter().filter(|(_, points)| !points.is_empty()) {
        let _ = writeln!(out, "### {title}\n");
        points.iter().for_each(|one| point(out, one));
        let _ = writeln!(out);
    }
}

fn round(
    exported: &ExportedDebate,
    record: &RoundRecord,
    numbering: &SourceNumbering,
    out: &mut String,
) {
    let kind = match record.kind {
        RoundKind::Planned => "",
        RoundKind::Sample => ": sealed first answers",
        RoundKind::CriticalObjection => ": critical objections",
    };
    let _ = writeln!(out, "## Round {}{kind}\n", record.number);
    for remark in exported.room().remarks.iter().filter(|one| one.round == record.number) {
        let _ = writeln!(out, "*Remark from a person:* {}\n", line(&remark.text));
    }
    for turn in record.answered() {
        answer(turn, numbering, out);
    }
    for gap in &record.gaps {
        let _ = writeln!(
            out,
            "### {}: no answer\n\n{}: {}\n",
            line(&gap.agent),
            gap.class.word(),
            line(&gap.message)
        );
    }
    if let Some(analysis) = &record.analysis {
        let known = words::measures(analysis);
        let figures: Vec<String> = known
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{} {:.2}", name.to_lowercase(), value?)))
            .collect();
        let _ = writeln!(
            out,
            "*After round {}, over {} of {} agents: {}.*\n",
            record.number,
            analysis.answered,
            analysis.seats,
            figures.join(", ")
        );
    }
}

fn answer(turn: &Turn, numbering: &SourceNumbering, out: &mut String) {
    let answer = &turn.answer;
    let mut facts = vec![turn.perspective.clone().unwrap_or_else(|| turn.role.clone())];
    facts.extend(words::of_turn(turn));
    let _ = writeln!(out, "### {}\n\n*{}*\n", line(&turn.agent), line(&facts.join(" · ")));
    let _ = writeln!(out, "**{}**\n", line(&answer.position));
    let own = numbering.of(turn);
    let reasoning = numbers::renumber(&answer.reasoning, &own, numbering.sources);
    let reasoning = prose::quoted(&reasoning);
    if !reasoning.is_empty() {
        let _ = writeln!(out, "{reasoning}");
    }
    let mut items: Vec<String> = answer.key_points.iter().map(|point| line(point)).collect();
    items.extend(answer.claims.iter().map(|claim| {
        let marks = numbers::marks(&claim.citations, &own, numbering.sources);
        let kind = format!("{} · {}", claim.label.word(), claim.evidence_type.word());
        format!("{kind}: {}{}", line(&claim.text), line(&marks))
    }));
    items.extend(answer.critiques.iter().map(|critique| {
        let counter = critique.counter_evidence.as_deref().unwrap_or_default();
        format!("On {}: {} {}", critique.claim, line(&critique.text), line(counter))
    }));
    if let Some(objection) = answer.vote.as_ref().and_then(|vote| vote.objection.as_deref()) {
        items.push(format!("Objection: {}", line(objection)));
    }
    if let Some(reason) = &answer.confidence_reason {
        items.push(format!("Why its confidence changed: {}", line(reason)));
    }
    items.extend(
        turn.notes.iter().map(|note| {
            format!("Note of the reader ({}): {}", line(&note.check), line(&note.text))
        }),
    );
    for item in &items {
        let _ = writeln!(out, "- {}", item.trim_end());
    }
    if !items.is_empty() {
        let _ = writeln!(out);
    }
}

fn claims(exported: &ExportedDebate, out: &mut String) {
    let ledger = &exported.room().ledger;
    if ledger.claims.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Claims\n");
    let _ = writeln!(
        out,
        "| | Claim | Ground | Status | Strength | Links |\n|---|---|---|---|---:|---|"
    );
    for claim in &ledger.claims {
        let marks: String = claim.support.iter().map(|id| format!("[{}]", id.0)).collect();
        let mut links: Vec<String> =
            claim.supported_by.iter().map(|id| format!("supported by {id}")).collect();
        links.extend(claim.opposition.iter().map(|id| format!("opposed by {id}")));
        let _ = writeln!(
            out,
            "| {} | {}{} | {}, {} | {} | {:.2} | {} |",
            claim.id,
            line(&claim.text),
            line(&marks),
            claim.label.word(),
            claim.evidence_type.word(),
            claim.status.word(),
            claim.strength,
            links.join(", ")
        );
    }
    let _ = writeln!(out);
}

/// The one list of sources. The numbers are those in the text.
pub fn references(exported: &ExportedDebate, out: &mut String) {
    let sources = &exported.room().ledger.evidence;
    if sources.is_empty() {
        return;
    }
    let _ = writeln!(out, "## References\n");
    for source in sources {
        let mut who: Vec<&str> =
            source.cited_by.iter().map(|cited| exported.name(cited.seat)).collect();
        who.sort_unstable();
        who.dedup();
        let place = match source.url.as_deref().map(|url| (url, web_address(url))) {
            Some((_, Some(safe))) => format!(" <{safe}>"),
            Some((url, None)) => format!(" {}", line(url)),
            None => String::new(),
        };
        let cited = line(&who.join(", "));
        let number = source.id.0;
        let _ = writeln!(out, "{number}. {}{place} (cited by {cited})", line(&source.title));
    }
    let _ = writeln!(out);
}

fn about(exported: &ExportedDebate, out: &mut String) {
    let room = exported.room();
    let _ = writeln!(out, "## How this came about\n\n| Agent | Role | Model |\n|---|---|---|");
    for seat in &room.seats {
        let agent = room.brief.agents.get(seat.agent);
        let model = agent.map_or_else(String::new, |one| format!("{}/{}", one.provider, one.model));
        let role = seat.perspective.as_ref().map_or(&seat.role, |one| &one.name);
        let _ = writeln!(out, "| {} | {} | {} |", line(&seat.name), line(role), line(&model));
    }
    let _ = writeln!(out);
    if let Some(verdict) = &room.verdict {
        let metadata = &verdict.metadata;
        let _ = writeln!(out, "Ended: {}\n", line(&metadata.exit_details));
        for hint in &metadata.verification_hints {
            let _ = writeln!(out, "- To check: {}", line(hint));
        }
        if !metadata.verification_hints.is_empty() {
            let _ = writeln!(out);
        }
    }
    let _ = writeln!(out, "{}. Debate `{}`.", words::spent(&room.spent), exported.id);
}
