//! What `--help` ends with: examples, each of which the tests run, and the exit
//! codes. `0199` and `01a0` stand for debates of the reader's own.

pub const SESSIONS_RESUME: &str = "\
Examples:
  roundtable sessions resume 0199
  roundtable sessions resume 0199 --budget 2.50 --quiet";

pub const SESSIONS_REPLAY: &str = "\
Examples:
  roundtable sessions replay 0199
  roundtable sessions replay 0199 --speed 3

On a terminal it goes at reading speed: p pauses, r goes on, the space bar shows what comes next at \
once, q leaves. Elsewhere all of it is printed at once.";

pub const SESSIONS_PAUSE: &str = "\
Examples:
  roundtable sessions pause 0199";

pub const SESSIONS_STOP: &str = "\
Examples:
  roundtable sessions stop 0199";

pub const SESSIONS_INTERJECT: &str = "\
Examples:
  roundtable sessions interject 0199 \"We have no one who knows Kubernetes.\"";

pub const SESSIONS_FOCUS: &str = "\
Examples:
  roundtable sessions focus 0199 \"What would it cost to go back?\"";

pub const SESSIONS_DELETE: &str = "\
Examples:
  roundtable sessions delete 0199 --yes";

pub const BACKUP: &str = "\
Examples:
  roundtable backup roundtable-backup.db";

pub const RESTORE: &str = "\
Examples:
  roundtable restore roundtable-backup.db";

pub const SYNTHESISE: &str = "\
Examples:
  roundtable synthesise 0199
  roundtable synthesise 0199 --json";

pub const MODES: &str = "\
Examples:
  roundtable modes
  roundtable modes devils-advocate
  roundtable modes --json";

pub const AGENTS: &str = "\
Examples:
  roundtable agents
  roundtable agents --json";

pub const CONFIG_SHOW: &str = "\
Examples:
  roundtable config show
  roundtable config show --sources --json";

pub const CONFIG_PATH: &str = "\
Examples:
  roundtable config path";

pub const CONFIG_CALIBRATE: &str = "\
Examples:
  roundtable config calibrate";

pub const CONFIG_WORDS: &str = "\
Examples:
  roundtable config words my-words";

pub const MODELS: &str = "\
Examples:
  roundtable models
  roundtable models --json";

pub const MODELS_FETCH: &str = "\
Examples:
  roundtable models fetch smollm2-135m";

pub const COMPLETIONS: &str = "\
Examples:
  roundtable completions bash > ~/.local/share/bash-completion/completions/roundtable
  roundtable completions zsh > ~/.zfunc/_roundtable
  roundtable completions fish > ~/.config/fish/completions/roundtable.fish";

pub const MAN: &str = "\
Examples:
  roundtable man
  roundtable man --dir man1";

pub const OUTCOME_DUE: &str = "\
Examples:
  roundtable outcome due
  roundtable outcome due --json";

pub const OUTCOME_LIST: &str = "\
Examples:
  roundtable outcome list";

pub const OUTCOME_SHOW: &str = "\
Examples:
  roundtable outcome show 0199";

pub const OUTCOME_UNDO: &str = "\
Examples:
  roundtable outcome undo 0199";

pub const LEARNING_EXPORT: &str = "\
Examples:
  roundtable learning export lessons.json --domain api-design";

pub const LEARNING_IMPORT: &str = "\
Examples:
  roundtable learning import lessons.json";

pub const LEARNING_RECOMPUTE: &str = "\
Examples:
  roundtable learning recompute";

pub const BENCH_LIST: &str = "\
Examples:
  roundtable bench list";

pub const BENCH_SHOW: &str = "\
Examples:
  roundtable bench show";

pub const DOCTOR: &str = "\
Examples:
  roundtable doctor
  roundtable doctor --json";

pub const MCP: &str = "\
Examples:
  roundtable mcp";

pub const SESSIONS_RECORD: &str = "\
Examples:
  roundtable sessions record 0199
  roundtable sessions record 0199 --json";

pub const CONFIG_SET: &str = "\
Examples:
  roundtable config set rounds 2
  roundtable config set exitCriteria.enabled true";

pub const CONFIG_UNSET: &str = "\
Examples:
  roundtable config unset rounds";

pub const CONFIG_SET_ALGORITHM: &str = "\
Examples:
  roundtable config set-algorithm evidence_based_debate";

pub const CONFIG_PROFILES: &str = "\
Examples:
  roundtable config profiles";

pub const CONFIG_SET_KEY: &str = "\
Examples:
  roundtable config set-key anthropic

The key is read from standard input, or asked for without being shown.";

pub const CONFIG_REMOVE_KEY: &str = "\
Examples:
  roundtable config remove-key anthropic";
