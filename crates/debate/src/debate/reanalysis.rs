//! A stored debate analysed again with other thresholds, another algorithm or
//! another embedder. No agent is asked again, and the log stays as it is.

use super::Debate;
use crate::analysis;
use crate::model::*;

/// The settings to analyse by. Those that are not given are the debate's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Reanalysis {
    pub thresholds: Thresholds,
    pub algorithm: Algorithm,
    /// Exit criteria and groupthink detection count; the rest shaped the debate
    /// and cannot be changed afterwards.
    pub flags: Flags,
    /// For each round in order, the similarities of [`Debate::texts_of_round`],
    /// or the reason why they are not known; a round beyond the list has none.
    pub compared: Vec<Result<TextSimilarities, String>>,
}

/// The result of a debate under other settings.
#[derive(Debug, Clone, PartialEq)]
pub struct ReanalysisResult {
    pub rounds: Vec<RoundAnalysis>,
    /// The verdict over all rounds that were held, even if a rule would have
    /// ended the debate sooner.
    pub verdict: Verdict,
    /// The first rule that would have ended it, and after which round.
    pub would_end: Option<(Round, Exit)>,
}

impl Debate {
    /// The debate's own settings, to be changed before [`Debate::reanalyse`].
    pub fn own_settings(&self) -> Reanalysis {
        let brief = &self.room.brief;
        Reanalysis {
            thresholds: brief.thresholds.clone(),
            algorithm: brief.algorithm,
            flags: brief.flags.clone(),
            compared: Vec::new(),
        }
    }

    /// The texts to compare for the analysis of a round, in the order in which
    /// their similarities are expected.
    pub fn texts_of_round(&self, round: Round) -> Vec<EmbedText> {
        self.room.round(round).map(|record| self.texts_to_embed(record)).unwrap_or_default()
    }

    pub fn reanalyse(&self, by: &Reanalysis) -> ReanalysisResult {
        let mut anew = self.clone();
        let held = std::mem::take(&mut anew.room.rounds);
        let brief = &mut anew.room.brief;
        brief.thresholds = by.thresholds.clone();
        brief.algorithm = by.algorithm;
        brief.flags.exit_criteria = by.flags.exit_criteria.clone();
        brief.flags.groupthink_detection = by.flags.groupthink_detection.clone();
        let mut rounds = Vec::new();
        let missing = || Err("no similarities were given".to_owned());
        for (index, mut record) in held.into_iter().enumerate() {
            record.analysis = None;
            let finished = record.closed;
            anew.room.rounds.push(record);
            let Some(record) = anew.room.rounds.last().filter(|_| finished) else { continue };
            let compared = by.compared.get(index).cloned().unwrap_or_else(missing);
            let found = anew.analysis_of(record, compared);
            if let Some(record) = anew.room.rounds.last_mut() {
                record.analysis = Some(found.clone());
            }
            rounds.push(found);
        }
        let exit = match &self.room.status {
            Status::Completed { exit } => exit.clone(),
            status => Exit { rule: status.word().into(), details: "the debate is not over".into() },
        };
        let would_end = rounds.iter().find_map(|found| Some((found.round, found.exit.clone()?)));
        let verdict = analysis::verdict(&anew.room, anew.plan, &exit);
        ReanalysisResult { rounds, verdict, would_end }
    }
}
