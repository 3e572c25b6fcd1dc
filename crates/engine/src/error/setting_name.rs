//! The settings that a caller can give, one row each: the flag of the command
//! line, the parameter of a tool, and the key of the config file.

/// A setting, whichever face it is given through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SettingName {
    Topic,
    Mode,
    Profile,
    Agents,
    Clerk,
    Rounds,
    Context,
    Options,
    Perspectives,
    Assignment,
    Depth,
    Stakes,
    Importance,
    Flag,
    Algorithm,
    Threshold,
    Temperature,
    MaxOutputTokens,
    Timeout,
    Seed,
    Budget,
    Search,
    Script,
    Words,
    Record,
    Replay,
    ReplaySpeed,
    Domain,
    Learning,
    AskOn,
    OnDay,
    OutcomeStatus,
    Event,
    Note,
    Impact,
    TimeCost,
    Surprise,
    Explain,
    Format,
    Status,
    Since,
    Until,
    Round,
    Remark,
    Answer,
    SearchEngine,
    ClientProject,
    Cap,
    Tolerance,
    Effort,
    Samples,
    TeamOrder,
    ClientHttp,
    Stakeholders,
    TechnicalDomains,
    Horizon,
    BudgetImpact,
    Preset,
    Language,
}

/// The names of a setting in each face; `None` if the face does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingNames {
    pub flag: Option<&'static str>,
    pub parameter: Option<&'static str>,
    pub key: Option<&'static str>,
    /// The plain word for it.
    pub word: &'static str,
}

impl SettingName {
    pub const ALL: [SettingName; 59] = {
        let mut all = [SettingName::Topic; 59];
        let mut index = 0;
        while index < ROWS.len() {
            all[index] = ROWS[index].0;
            index += 1;
        }
        all
    };

    pub fn names(self) -> SettingNames {
        let row = ROWS.iter().find(|row| row.0 == self);
        let (flag, parameter, key, word) =
            row.map_or((None, None, None, ""), |row| (row.1, row.2, row.3, row.4));
        SettingNames { flag, parameter, key, word }
    }
}

type SettingNameRow =
    (SettingName, Option<&'static str>, Option<&'static str>, Option<&'static str>, &'static str);

#[rustfmt::skip]
const ROWS: [SettingNameRow; 59] = [
    (SettingName::Topic, None, Some("topic"), None, "topic"),
    (SettingName::Mode, Some("--mode"), Some("mode"), Some("mode"), "mode"),
    (SettingName::Profile, Some("--profile"), None, Some("profile"), "profile"),
    (SettingName::Agents, Some("--agents"), Some("agents"), Some("agents"), "agents"),
    (SettingName::Clerk, Some("--clerk"), Some("clerk"), Some("clerk"), "clerk"),
    (SettingName::Rounds, Some("--rounds"), Some("rounds"), Some("rounds"), "rounds"),
    (SettingName::Context, Some("--context"), Some("context"), None, "context"),
    (SettingName::Options, Some("--options"), Some("options"), None, "options"),
    (SettingName::Perspectives, Some("--perspective"), Some("perspectives"), None, "perspectives"),
    (SettingName::Assignment, Some("--assign"), Some("assignment"), None, "assign"),
    (SettingName::Depth, Some("--depth"), Some("depth"), None, "depth"),
    (SettingName::Stakes, Some("--stakes"), Some("settings.stakes"), None, "stakes"),
    (SettingName::Importance, Some("--importance"), Some("settings.importance"), None, "importance"),
    (SettingName::Flag, Some("--flag"), Some("flags"), Some("flags"), "flag"),
    (SettingName::Algorithm, Some("--algorithm"), Some("algorithm"), Some("algorithm"), "algorithm"),
    (SettingName::Threshold, Some("--threshold"), Some("settings.thresholds"), None, "threshold"),
    (SettingName::Temperature, Some("--temperature"), Some("settings.temperature"), Some("temperature"), "temperature"),
    (SettingName::MaxOutputTokens, Some("--max-tokens"), Some("maxOutputTokens"), Some("max_output_tokens"), "max-tokens"),
    (SettingName::Timeout, Some("--timeout"), Some("settings.timeoutSeconds"), Some("timeout_seconds"), "timeout"),
    (SettingName::Seed, Some("--seed"), Some("settings.seed"), None, "seed"),
    (SettingName::Budget, Some("--budget"), Some("budgetUsd"), Some("budget"), "budget"),
    (SettingName::Search, Some("--search"), Some("search"), Some("search"), "search"),
    (SettingName::Script, Some("--script"), None, None, "script"),
    (SettingName::Words, Some("--words"), None, None, "words"),
    (SettingName::Record, Some("--record"), None, None, "record"),
    (SettingName::Replay, Some("replay"), None, None, "replay"),
    (SettingName::ReplaySpeed, Some("replay-speed"), None, None, "replay-speed"),
    (SettingName::Domain, Some("--domain"), Some("settings.domain"), Some("domain"), "domain"),
    (SettingName::Learning, Some("--no-learning"), Some("settings.learning"), Some("learning"), "no-learning"),
    (SettingName::AskOn, Some("--ask-on"), Some("askOn"), None, "ask-on"),
    (SettingName::OnDay, Some("--on"), Some("on"), None, "on"),
    (SettingName::OutcomeStatus, Some("--status"), Some("status"), None, "status"),
    (SettingName::Event, Some("--event"), Some("event"), None, "event"),
    (SettingName::Note, Some("--note"), Some("note"), None, "note"),
    (SettingName::Impact, Some("--impact"), Some("impact"), None, "impact"),
    (SettingName::TimeCost, Some("--time-cost"), Some("timeCost"), None, "time-cost"),
    (SettingName::Surprise, Some("--surprise"), Some("surprise"), None, "surprise"),
    (SettingName::Explain, Some("--explain"), Some("explain"), None, "explain"),
    (SettingName::Format, Some("--format"), Some("format"), None, "format"),
    (SettingName::Status, Some("--status"), Some("status"), None, "status"),
    (SettingName::Since, Some("--since"), Some("since"), None, "since"),
    (SettingName::Until, Some("--until"), Some("until"), None, "until"),
    (SettingName::Round, Some("--round"), Some("round"), None, "round"),
    (SettingName::Remark, None, Some("text"), None, "the text"),
    (SettingName::Answer, None, Some("answer"), None, "the answer"),
    (SettingName::SearchEngine, None, None, Some("search_engine"), "search_engine"),
    (SettingName::ClientProject, Some("--project"), None, None, "project"),
    (SettingName::Cap, Some("cap"), None, None, "cap"),
    (SettingName::Tolerance, Some("--tolerance"), Some("tolerance"), None, "tolerance"),
    (SettingName::Effort, Some("--effort"), Some("effort"), None, "effort"),
    (SettingName::Stakeholders, Some("--stakeholders"), Some("settings.stakeholders"), None, "stakeholders"),
    (SettingName::TechnicalDomains, Some("--technical-domains"), Some("settings.technicalDomains"), None, "technical-domains"),
    (SettingName::Horizon, Some("--horizon"), Some("settings.horizon"), None, "horizon"),
    (SettingName::BudgetImpact, Some("--impact"), Some("settings.budgetImpact"), None, "impact"),
    (SettingName::ClientHttp, Some("--http"), None, None, "http"),
    (SettingName::TeamOrder, Some("--teams-in-sequence"), Some("settings.teamsInSequence"), None, "teams-in-sequence"),
    (SettingName::Samples, Some("--samples"), Some("samples"), None, "samples"),
    (SettingName::Preset, Some("--preset"), Some("preset"), None, "preset"),
    (SettingName::Language, Some("--language"), Some("settings.language"), None, "language"),
];
