//! The plain settings of the config file, one row each, as `config show` lists them
//! and `config set` changes them. Flags have rows of their own.

/// The type of a value in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    Text,
    /// Separated by commas on the command line.
    List,
    Number,
    OnOff,
}

pub struct SettingRow {
    pub key: &'static str,
    pub kind: SettingKind,
    /// The default.
    pub usual: &'static str,
    pub help: &'static str,
}

pub const ROWS: [SettingRow; 20] = [
    row("agents", SettingKind::List, "every model that is found, at most 4", "who debates"),
    row(
        "clerk",
        SettingKind::Text,
        "chosen",
        "the small model that summarises and analyses, or none",
    ),
    row("profile", SettingKind::Text, "none", "the profile of debates that name none"),
    row("mode", SettingKind::Text, "collaborative", "how a debate is held"),
    row("rounds", SettingKind::Number, "3, or what the mode prefers", "how many rounds, 1 to 20"),
    row(
        "algorithm",
        SettingKind::Text,
        "agreement",
        "what ends a debate early: agreement, votes or evidence_based_debate",
    ),
    row("max_output_tokens", SettingKind::Number, "4096", "the longest answer, in tokens"),
    row("temperature", SettingKind::Number, "0.7", "how inventive answers are, 0 to 2"),
    row("timeout_seconds", SettingKind::Number, "120", "how long to wait for one answer"),
    row("budget", SettingKind::Number, "none", "the most one debate may cost, in USD"),
    row(
        "daily_budget",
        SettingKind::Number,
        "50",
        "the most a day (UTC) may cost, in USD; 0 is no limit",
    ),
    row(
        "allow_unpriced",
        SettingKind::OnOff,
        "true, but under a limit you set",
        "make calls whose price is not known",
    ),
    row(
        "bell",
        SettingKind::OnOff,
        "true",
        "ring on the terminal when a debate ends or waits for you",
    ),
    row(
        "update_notice",
        SettingKind::OnOff,
        "true",
        "say when this program is old; nothing is sent or looked up for it",
    ),
    row("search", SettingKind::Text, "auto", "who searches the web: auto, native, api or off"),
    row("search_engine", SettingKind::Text, "the first that is set up", "the search API"),
    row(
        "context_requests",
        SettingKind::OnOff,
        "true",
        "let agents ask for facts that only you know",
    ),
    row("project", SettingKind::Text, "none", "the project of debates that name none"),
    row(
        "domain",
        SettingKind::Text,
        "none",
        "the domain of debates that name none; with auto the clerk names it",
    ),
    row("learning", SettingKind::OnOff, "true", "begin with what earlier outcomes taught"),
];

/// The tables of the file, whose keys are free or have rows elsewhere.
pub const TABLES: [&str; 8] =
    ["flags", "providers", "profiles", "projects", "commands", "prices", "embedder", "server"];

const fn row(
    key: &'static str,
    kind: SettingKind,
    usual: &'static str,
    help: &'static str,
) -> SettingRow {
    SettingRow { key, kind, usual, help }
}
