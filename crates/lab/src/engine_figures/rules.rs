//! What the rules of evidence cost in tokens: a debate with `--enhanced` against
//! one without, and what labels, evidence types, citations and the ledger take
//! of any debate, by prompt, answer and analysis.

use agents::{CancellationToken, NoWatch};
use debate::model::{Agent, Algorithm, Ask, Input, Party, Step, tokens};
use serde_json::Value;

use crate::engine_figures::FigureRow;
use crate::engine_figures::machine::{self, DebateShape};
use engine::error::EngineError;

const GROUP: &str = "evidence";
/// What was expected beforehand, in per cent.
const EXPECTED: f64 = 54.0;
/// The fields of an answer that are there for the sake of evidence.
const FIELDS: [&str; 3] = ["claims", "citations", "critiques"];

/// Tokens of one debate, and how many of them are there for evidence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct EvidenceTokens {
    prompt: f64,
    prompt_evidence: f64,
    answer: f64,
    answer_evidence: f64,
    /// Prompts of the clerk; its answers are not known.
    analysis: f64,
}

impl EvidenceTokens {
    fn total(self) -> f64 {
        self.prompt + self.answer + self.analysis
    }
}

pub async fn tokens_of_evidence() -> Result<Vec<FigureRow>, EngineError> {
    let plain = counted(Algorithm::Agreement).await?;
    let enhanced = counted(Algorithm::EvidenceBasedDebate).await?;
    let more = |with: f64, without: f64| 100.0 * (with - without) / without.max(1.0);
    let expected = format!("expected beforehand: {EXPECTED:.0} %");
    let pair = |what: &str, with: f64, without: f64| {
        let value = more(with, without);
        FigureRow::new(GROUP, what, value, "% more")
            .noting(format!("{with:.0} against {without:.0}"))
    };
    let total = enhanced.total();
    let without = |all: f64, evidence: f64| all - evidence;
    let bare_prompt = without(enhanced.prompt, enhanced.prompt_evidence);
    let bare_answer = without(enhanced.answer, enhanced.answer_evidence);
    let bare = bare_prompt + bare_answer + enhanced.analysis;
    Ok(vec![
        pair("--enhanced against plain: prompts", enhanced.prompt, plain.prompt)
            .noting("evidence is asked for in every debate; --enhanced changes what ends it"),
        pair("--enhanced against plain: answers", enhanced.answer, plain.answer),
        pair("--enhanced against plain: analysis", enhanced.analysis, plain.analysis),
        pair("--enhanced against plain: all", total, plain.total()).noting(expected.clone()),
        pair("rules of evidence in prompts (schema, ledger)", enhanced.prompt, bare_prompt),
        pair("rules of evidence in answers (claims, sources)", enhanced.answer, bare_answer),
        FigureRow::new(GROUP, "rules of evidence in the analysis", 0.0, "% more")
            .noting("convergence is arithmetic; the clerk is asked the same"),
        pair("rules of evidence in all", total, bare)
            .noting(format!("{total:.0} against {bare:.0}; {expected}")),
    ])
}

/// Holds one debate with a clerk who is asked and never answers, and counts.
async fn counted(algorithm: Algorithm) -> Result<EvidenceTokens, EngineError> {
    let change = match algorithm {
        Algorithm::EvidenceBasedDebate => |brief: &mut debate::model::Brief| {
            brief.algorithm = Algorithm::EvidenceBasedDebate;
            brief.clerk = Some(clerk());
        },
        _ => |brief: &mut debate::model::Brief| brief.clerk = Some(clerk()),
    };
    let table = machine::table(&DebateShape { change, ..DebateShape::default() })?;
    let (mut debate, panel) = (table.debate, table.panel);
    let mut counted = EvidenceTokens::default();
    debate.hear(Input::Go);
    loop {
        let asks = match debate.next_step() {
            Step::Ask(asks) => asks,
            Step::Embed(_) => {
                debate.hear(Input::NotCompared { reason: "only tokens are counted".into() });
                continue;
            }
            Step::Done(_) => return Ok(counted),
            Step::Await(_) => {
                return Err(EngineError::Tape("a simulated debate came to a halt".into()));
            }
        };
        for ask in asks {
            let read = ask.system.tokens() + ask.user.tokens() + ask.schema.tokens();
            let heard = match (ask.id.party, panel.speaker(&ask)) {
                (Party::Seat(_), Some(speaker)) => {
                    counted.prompt += read as f64;
                    counted.prompt_evidence += evidence_in(&ask) as f64;
                    match speaker.speak(&ask, &NoWatch, CancellationToken::new()).await {
                        Ok(reply) => {
                            counted.answer += tokens(&reply.text) as f64;
                            counted.answer_evidence += fields_in(&reply.text) as f64;
                            Input::Replied { ask: ask.id, reply: Box::new(reply) }
                        }
                        Err(failure) => Input::Failed { ask: ask.id, failure },
                    }
                }
                _ => {
                    counted.analysis += read as f64;
                    let failure = debate::model::Failure::unusable("only its prompt is counted");
                    Input::Failed { ask: ask.id, failure }
                }
            };
            debate.hear(heard);
        }
    }
}

fn clerk() -> Agent {
    Agent {
        name: "clerk".into(),
        provider: "simulated".into(),
        model: "clerk".into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

/// The parts of the schema that ask for evidence, and the ledger in the view.
fn evidence_in(ask: &Ask) -> usize {
    let asked =
        FIELDS.iter().filter_map(|field| ask.schema.pointer(&format!("/properties/{field}")));
    asked.map(|part| tokens(&part.to_string())).sum::<usize>() + ask.shown.tokens.state
}

fn fields_in(answer: &str) -> usize {
    let Ok(Value::Object(fields)) = serde_json::from_str(answer) else { return 0 };
    FIELDS.iter().filter_map(|field| fields.get(*field)).map(|part| tokens(&part.to_string())).sum()
}
