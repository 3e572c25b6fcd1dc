//! Lessons and post-mortems as documents: every estimate with its start, its
//! interval and the number of outcomes behind it.

use debate::model::{
    AgentLearned, AspectFinding, CalibrationLearned, ChangeBasis, CurvePoint, DomainLearned,
    Estimate, EstimateChange, EstimateStanding, PostMortem, ProgressEntry, QuestionLearned,
    QuestionState,
};

use crate::document::Document;
use crate::document::svg::bars::{self as charts, Range};
use crate::document::words::{count, short_id};
use engine::outcomes::lessons::{LearningReport, OutcomeShare, RecomputedLessons};
use engine::outcomes::post_mortem::{AgentReport, EvidenceReport, PostMortemReport};
use engine::outcomes::track::{OutcomeBook, OutcomeLine};

const HOW: &str = "Started is the published weight or what is assumed of an unknown agent. Used is \
what debates work with: a fall counts at once, a rise in full only when ten effective outcomes bear \
it out. The range holds with 90 % probability. Outcomes \
are counted, and in brackets how many they are worth: old ones fade toward the start.";

pub fn learning(report: &LearningReport) -> Document {
    let mut document = Document::new("What was learned");
    document.text(format!(
        "{} Nothing is learned from the others, and those that are judged may not be like them.",
        share_words(&report.share, "finished debates")
    ));
    if report.imported > 0 {
        document.text(format!(
            "{} were imported and count half.",
            count(report.imported as usize, "outcome")
        ));
    }
    if report.learning.outcomes == 0 {
        document.text(
            "Nothing yet: every weight is as published. Judge a decision with `roundtable outcome \
             assess ID`.",
        );
        return document;
    }
    document.text(HOW);
    for domain in &report.learning.domains {
        let share = report.shares.get(&domain.domain).copied().unwrap_or_default();
        of_domain(&mut document, domain, &share);
    }
    calibration(&mut document, &report.learning.calibration);
    document
}

fn share_words(share: &OutcomeShare, what: &str) -> String {
    match share.finished {
        0 => format!("No {what} are here to be judged."),
        all => format!(
            "Judged: {} of {all} {what} ({:.0} %).",
            share.judged,
            100.0 * share.judged as f64 / all as f64
        ),
    }
}

fn of_domain(document: &mut Document, domain: &DomainLearned, share: &OutcomeShare) {
    document.heading(2, format!("Domain {}", domain.domain));
    document.text(format!(
        "{}, decisions {:.0} % accurate on average. {}",
        count(domain.outcomes as usize, "outcome"),
        domain.accuracy * 100.0,
        share_words(share, "finished debates of this domain")
    ));
    document.heading(3, "Weights of evidence");
    let row = |name: String, one: &Estimate| {
        let mut row = vec![name];
        row.extend(cells(one));
        row
    };
    let weights = domain.weights.iter();
    let rows = weights.map(|one| row(one.evidence_type.word().into(), &one.estimate)).collect();
    document.table(&["evidence", "started", "now", "used", "range", "outcomes", "standing"], rows);
    let bars: Vec<Range> = domain
        .weights
        .iter()
        .map(|one| range(one.evidence_type.word().into(), &one.estimate))
        .collect();
    document.chart(
        charts::ranges(&bars, "Weights of evidence with their ranges"),
        "Grey: where it started. Blue: the mean with its 90 % range. Orange ring: what is used.",
    );
    agents(document, &domain.agents);
    questions(document, &domain.questions);
    if !domain.perspectives.is_empty() {
        document.heading(3, "Viewpoints that were missing");
        let one = |one: &debate::model::PerspectiveLearned| {
            let (missed, of) = (one.missed, one.of);
            format!(
                "{} ({} priority, missed in {missed} of {of} outcomes)",
                one.name,
                one.priority.word()
            )
        };
        document.list(domain.perspectives.iter().map(one).collect());
    }
    if !domain.remarks.is_empty() {
        document.heading(3, "Remarks");
        document.list(domain.remarks.clone());
    }
}

fn range(name: String, one: &Estimate) -> Range {
    Range { name, prior: one.prior, mean: one.mean, used: one.used, interval: one.interval }
}

fn cells(one: &Estimate) -> Vec<String> {
    vec![
        format!("{:.2}", one.prior),
        format!("{:.3}", one.mean),
        format!("{:.3}", one.used),
        format!("{:.2}–{:.2}", one.interval[0], one.interval[1]),
        match one.standing {
            EstimateStanding::Prior => "0".into(),
            _ => format!("{} ({:.1})", one.outcomes, one.effective),
        },
        one.standing.word().into(),
    ]
}

fn agents(document: &mut Document, agents: &[AgentLearned]) {
    if agents.is_empty() {
        return;
    }
    document.heading(3, "How often agents were right");
    let row = |one: &AgentLearned| {
        let mut row = vec![one.agent.clone()];
        // All agents start alike, and the range says how much is known.
        row.extend(cells(&one.estimate).into_iter().skip(1).take(4));
        row.push(format!("{:.2}", one.elsewhere));
        row
    };
    document.table(
        &["agent", "now", "used", "range", "outcomes", "elsewhere"],
        agents.iter().map(row).collect(),
    );
    let bars: Vec<Range> =
        agents.iter().map(|one| range(one.agent.clone(), &one.estimate)).collect();
    document.chart(
        charts::ranges(&bars, "How often agents were right, with ranges"),
        "Grey: what is assumed of an unknown agent. Blue: mean and 90 % range. Orange ring: used.",
    );
    let noted = agents.iter().filter(|one| !one.note.is_empty());
    document.list(noted.map(|one| format!("{}: {}", one.agent, one.note)).collect());
    let carried = agents.iter().filter(|one| one.carried > 0.0);
    document.list(
        carried
            .map(|one| {
                format!(
                    "{}: {:.1} effective outcomes are taken over from other versions of the model \
                     (three tenths of theirs)",
                    one.agent, one.carried
                )
            })
            .collect(),
    );
}

fn questions(document: &mut Document, questions: &[QuestionLearned]) {
    if questions.is_empty() {
        return;
    }
    document.heading(3, "Required questions");
    let row = |one: &QuestionLearned| {
        vec![
            one.question.clone(),
            format!("{:.2}", one.effectiveness.mean),
            format!("{:.2}–{:.2}", one.effectiveness.interval[0], one.effectiveness.interval[1]),
            match one.state {
                QuestionState::Required => one.priority.word().into(),
                QuestionState::Retired => "retired".into(),
            },
            format!("{} / {} / {}", one.asked_for, one.surfaced, one.idle),
        ]
    };
    document.table(
        &["question", "effective", "range", "priority", "wanted/helped/idle"],
        questions.iter().map(row).collect(),
    );
}

fn calibration(document: &mut Document, lines: &[CalibrationLearned]) {
    if lines.is_empty() {
        return;
    }
    document.heading(2, "What stated confidence is worth");
    let row = |one: &CalibrationLearned| {
        let read = |stated: f64| format!("{:.2}", one.line.calibrated(stated));
        vec![
            one.agent.clone(),
            read(0.6),
            read(0.8),
            read(0.95),
            format!("{:.3} → {:.3}", one.error_stated, one.error_calibrated),
            format!("{:.3} → {:.3}", one.brier_stated, one.brier_calibrated),
            format!("{} ({:.1} effective)", one.line.outcomes, one.line.effective),
        ]
    };
    document.table(
        &["agent", "0.60 is", "0.80 is", "0.95 is", "calibration error", "Brier", "answers"],
        lines.iter().map(row).collect(),
    );
    for one in lines {
        let row = |point: &CurvePoint| {
            vec![
                format!("{:.2}", point.stated),
                format!("{:.2}", point.right),
                format!("{:.2}–{:.2}", point.interval[0], point.interval[1]),
                format!("{:.2}", point.calibrated),
                point.count.to_string(),
            ]
        };
        document.heading(3, one.agent.clone());
        document.table(
            &["stated", "right", "range", "read as", "answers"],
            one.curve.iter().map(row).collect(),
        );
        let label = format!("Confidence of {} against how often it was right", one.agent);
        let svg = charts::calibration(&one.curve, |stated| one.line.calibrated(stated), &label);
        document.chart(
            svg,
            format!(
                "{}: dots are groups of answers with 90 % ranges, the curve is how confidence is read.",
                one.agent
            ),
        );
    }
}

/// The changes behind an estimate, oldest first.
pub fn changes(what: &str, changes: &[EstimateChange]) -> Document {
    let mut document = Document::new(format!("How {what} came to be"));
    if changes.is_empty() {
        document.text("No outcome has touched it.");
    }
    let line = |one: &EstimateChange| {
        let id = short_id(&one.outcome);
        format!("{} {} by {id}: {}", one.on, one.domain, change(one))
    };
    document.list(changes.iter().map(line).collect());
    document
}

fn change(one: &EstimateChange) -> String {
    format!(
        "{} {:.3} → {:.3}, used {:.3} → {:.3}, range {:.2}–{:.2} after {}: {}",
        one.what.word(),
        one.old,
        one.new,
        one.used_before,
        one.used_after,
        one.interval[0],
        one.interval[1],
        count(one.outcomes as usize, "outcome"),
        one.reason
    )
}

pub fn post_mortem(report: &PostMortemReport) -> Document {
    let mut document = Document::new("Post-mortem");
    let post = &report.post_mortem;
    document.text(format!("Topic: {}", report.topic));
    document.text(format!("Decision: {}", report.decision));
    let project = report.project.as_ref().map(|name| format!("project {name}, "));
    document.text(format!(
        "Judged {:.0} % accurate on {} ({}domain {}).",
        post.decision_accuracy * 100.0,
        report.on,
        project.unwrap_or_default(),
        report.domain
    ));
    if let Some(right) = &post.right_answer {
        document.text(format!("The right answer was: {right}"));
    }
    if let Some(other) = &post.human_override {
        document.text(format!("A person decided otherwise: {other}"));
    }
    document.text(post.summary.clone());
    metrics(&mut document, report);
    evidence(&mut document, &report.evidence);
    agent_reports(&mut document, &report.agents);
    findings(&mut document, "What went right", &post.what_went_right);
    findings(&mut document, "What went wrong", &post.what_went_wrong);
    happened(&mut document, &report.entries);
    lessons(&mut document, post);
    document.heading(2, "What it changed");
    if report.changes.is_empty() {
        document.text("Nothing: it named no evidence, agents or questions.");
    }
    document.list(report.changes.iter().map(change).collect());
    document.heading(2, "The next debate of this domain");
    if report.next.is_empty() {
        document.text("starts as any other: nothing was learned that it could use yet.");
    } else {
        document.list(report.next.clone());
    }
    document.text(share_words(&report.share, "finished debates of this domain"));
    document
}

fn metrics(document: &mut Document, report: &PostMortemReport) {
    document.heading(2, "The debate");
    let share = |value: Option<f64>| value.map_or("unknown".into(), |share| format!("{share:.2}"));
    let metrics = &report.metrics;
    document.table(
        &["rounds", "agreement", "similarity", "shared evidence", "tokens"],
        vec![vec![
            metrics.rounds.to_string(),
            share(metrics.agreement),
            share(metrics.semantic_similarity),
            share(metrics.evidence_convergence),
            metrics.total_tokens.map_or("unknown".into(), |tokens| tokens.to_string()),
        ]],
    );
}

fn evidence(document: &mut Document, evidence: &[EvidenceReport]) {
    if evidence.is_empty() {
        return;
    }
    document.heading(2, "How the evidence did");
    let mut rows = Vec::new();
    for one in evidence {
        let relied = one.relied_on.to_string();
        if one.cases.is_empty() {
            let kind = one.evidence_type.word().to_owned();
            rows.push(vec![kind, relied.clone(), "not judged".into(), String::new()]);
        }
        for case in &one.cases {
            rows.push(vec![
                one.evidence_type.word().to_owned(),
                relied.clone(),
                case.validation.word().replace('_', " "),
                format!("{}: {}", case.aspect, case.note).trim_end_matches(": ").to_owned(),
            ]);
        }
    }
    document.table(&["evidence", "claims", "turned out", "about"], rows);
}

fn agent_reports(document: &mut Document, agents: &[AgentReport]) {
    document.heading(2, "How the agents did");
    let one = |agent: &AgentReport| {
        let right = agent.right.map_or("it had no vote".into(), |right| {
            format!("its vote was {:.0} % right", right * 100.0)
        });
        let stated = agent.confidence.map_or(String::new(), |c| format!(", it stated {c:.2}"));
        let moved = match agent.changed {
            None => String::new(),
            Some(ChangeBasis::NewEvidence) => ", it changed its mind on new evidence".into(),
            Some(ChangeBasis::PressureOnly) => ", it changed its mind without new evidence".into(),
        };
        let note = if agent.note.is_empty() { String::new() } else { format!(" {}", agent.note) };
        format!("{}: {right}{stated}{moved}. Last: “{}”{note}", agent.agent, agent.last)
    };
    document.list(agents.iter().map(one).collect());
}

fn findings(document: &mut Document, title: &str, findings: &[AspectFinding]) {
    if findings.is_empty() {
        return;
    }
    document.heading(2, title);
    let one = |finding: &AspectFinding| {
        let note = if finding.note.is_empty() { "" } else { ": " };
        format!("{}{note}{}", finding.aspect, finding.note)
    };
    document.list(findings.iter().map(one).collect());
}

fn happened(document: &mut Document, entries: &[ProgressEntry]) {
    if entries.is_empty() {
        return;
    }
    document.heading(2, "What happened");
    document.list(entries.iter().map(entry_words).collect());
}

fn entry_words(entry: &ProgressEntry) -> String {
    let mut text = format!("{} [{}] {}", entry.on, entry.status.word(), entry.event);
    let more = [("", &entry.note), ("impact: ", &entry.impact), ("cost: ", &entry.time_cost)];
    for (name, words) in more.into_iter().filter(|(_, words)| !words.is_empty()) {
        text.push_str(&format!("; {name}{words}"));
    }
    if let Some(surprise) = entry.surprise {
        text.push_str(&format!("; surprise {surprise:.1}"));
    }
    text
}

fn lessons(document: &mut Document, post: &PostMortem) {
    if post.lessons.is_empty() {
        return;
    }
    document.heading(2, "Lessons");
    let mut lines = Vec::new();
    for lesson in &post.lessons {
        let mut text = lesson.lesson.clone();
        let more = [
            ("do: ", Some(&lesson.action)),
            ("expected: ", Some(&lesson.expected_effect)),
            ("ask: ", lesson.question.as_ref()),
            ("seat: ", lesson.perspective.as_ref()),
        ];
        for (name, words) in more {
            if let Some(words) = words.filter(|words| !words.is_empty()) {
                text.push_str(&format!("; {name}{words}"));
            }
        }
        lines.push(text);
    }
    document.list(lines);
}

/// Shows the entries about a decision that no person has judged yet.
pub fn book(topic: &str, book: &OutcomeBook) -> Document {
    let mut document = Document::new("Outcome so far");
    document.text(format!("{} · {topic}", book.debate));
    let numbered =
        book.entries.iter().map(|one| format!("{}. {}", one.number, entry_words(&one.entry)));
    document.list(numbered.collect());
    document.text(match (&book.assessed, book.ask_on) {
        (Some(assessed), _) => {
            format!(
                "Judged {:.0} % accurate on {}.",
                assessed.judged.accuracy * 100.0,
                assessed.judged.on
            )
        }
        (None, Some(day)) => format!("To be judged on {day}."),
        (None, None) => "Not judged yet.".into(),
    });
    document
}

pub fn outcomes(title: &str, lines: &[OutcomeLine], empty: &str) -> Document {
    let mut document = Document::new(title);
    if lines.is_empty() {
        document.text(empty);
    }
    let row = |line: &OutcomeLine| {
        let status = line.last_status.map_or("", |status| status.word());
        vec![
            line.topic.clone(),
            short_id(&line.id).to_owned(),
            line.domain.clone().unwrap_or_else(|| "–".into()),
            format!("{} {status}", line.entries).trim().to_owned(),
            line.ask_on.map_or("–".into(), |day| day.to_string()),
            line.accuracy.map_or("not judged".into(), |share| format!("{:.0} %", share * 100.0)),
        ]
    };
    document.table(
        &["topic", "id", "domain", "entries", "ask on", "accuracy"],
        lines.iter().map(row).collect(),
    );
    document
}

pub fn recomputed(done: &RecomputedLessons) -> String {
    let mut text = format!(
        "Computed everything from {} in {} ms; {} whose debate is here {} read once more.\n",
        count(done.outcomes as usize, "outcome"),
        done.milliseconds,
        done.reread,
        if done.reread == 1 { "was" } else { "were" }
    );
    match done.changed.len() {
        0 => text.push_str("Nothing changed.\n"),
        changed => text.push_str(&format!(
            "{} gave another result and {} recorded again.\n",
            count(changed, "outcome"),
            if changed == 1 { "was" } else { "were" }
        )),
    }
    text
}
