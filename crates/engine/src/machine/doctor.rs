//! Checks everything a debate needs and says how to fix what is wrong. It changes
//! nothing and asks no model anything.

use std::path::{Path, PathBuf};

use agents::redaction::without_keys;
use async_recursion::async_recursion as boxed;
use debate::model::LOG_VERSION;
use serde::Serialize;
use store::{ListFilter, Store, StoreAddress, StoreError};

use crate::clock;
use crate::config::{Config, ConfigError};
use crate::machine::{age, found, settings};
use crate::run;
use crate::table::order::Order;
use crate::table::{brief, seats};

/// The number of damages that are listed.
const MOST_DAMAGES: usize = 10;
/// Debates are small; this is enough for the database, its log and a backup.
const ENOUGH_DISK: u64 = 200 * 1024 * 1024;
/// A correct clock shows a later time than this.
const NOT_BEFORE_MS: i64 = 1_767_225_600_000;
/// The tolerated difference between the clock and the newest entry.
const SLACK_MS: i64 = 5 * 60 * 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FindingState {
    Good,
    /// Nothing is broken, but it is worth knowing.
    Note,
    Bad,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorFinding {
    pub about: &'static str,
    pub state: FindingState,
    pub what: String,
    /// The suggested fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

fn good(about: &'static str, what: impl Into<String>) -> DoctorFinding {
    DoctorFinding { about, state: FindingState::Good, what: what.into(), fix: None }
}

fn note(about: &'static str, what: impl Into<String>, fix: impl Into<String>) -> DoctorFinding {
    DoctorFinding { about, state: FindingState::Note, what: what.into(), fix: Some(fix.into()) }
}

fn bad(about: &'static str, what: impl Into<String>, fix: impl Into<String>) -> DoctorFinding {
    let what = without_keys(&what.into());
    DoctorFinding { about, state: FindingState::Bad, what, fix: Some(fix.into()) }
}

/// Runs all checks. A config that cannot be loaded ends them early, because the
/// other checks depend on it.
#[boxed]
pub async fn examine(config: &Result<Config, ConfigError>) -> Vec<DoctorFinding> {
    let mut findings = vec![good(
        "versions",
        format!("roundtable {}, log version {LOG_VERSION}", env!("CARGO_PKG_VERSION")),
    )];
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            let fix = "correct it, or set ROUNDTABLE_CONFIG to another file";
            findings.push(bad("config", error.to_string(), fix));
            return findings;
        }
    };
    if let Err(error) = config.needs_home() {
        findings.push(bad("home", error.to_string(), "name the places, or run as a known user"));
    }
    if let Some(old) = age::notice(config) {
        findings.push(note("versions", old, "look for a newer release"));
    }
    findings.extend(configured(config));
    findings.extend(templates(config));
    findings.extend(models(config).await);
    findings.extend(database(config).await);
    findings.extend(disk(&config.paths.database));
    findings
}

fn configured(config: &Config) -> Vec<DoctorFinding> {
    let path = config.paths.config_file.display();
    let mut findings = match settings::check(config) {
        Err(trouble) => {
            let lines: Vec<String> = trouble.to_string().lines().map(str::to_owned).collect();
            let fix = format!("correct {path} or the variable it names");
            lines.into_iter().map(|line| bad("config", line, fix.clone())).collect()
        }
        Ok(()) if config.paths.config_file.exists() => {
            vec![good("config", format!("{path} can be used"))]
        }
        Ok(()) => vec![note(
            "config",
            format!("no config file at {path}; the defaults apply"),
            "`roundtable init` writes one with what is found here",
        )],
    };
    let daily = config.file.daily_budget;
    if daily == Some(0.0) {
        findings.push(note(
            "money",
            "no daily spending limit",
            "`roundtable config set daily_budget 50`",
        ));
    }
    findings
}

/// Checks that a debate can be opened with the user's own templates.
fn templates(config: &Config) -> Vec<DoctorFinding> {
    if config.words.is_empty() {
        return Vec::new();
    }
    let folder = config.paths.words.display();
    let order = Order { agents: vec!["example".into()], ..Order::default() };
    let opened = brief::brief(config, &order, "a topic".into()).and_then(|mut brief| {
        brief.agents = agents::scripted::example::agents();
        Ok(debate::Debate::open(brief)?)
    });
    match opened {
        Ok(_) => vec![good("templates", format!("{} of your own in {folder}", config.words.len()))],
        Err(trouble) => vec![bad(
            "templates",
            trouble.to_string(),
            format!("correct the file in {folder}, or remove it to have the built-in one"),
        )],
    }
}

async fn models(config: &Config) -> Vec<DoctorFinding> {
    let outside = match seats::outside(config) {
        Ok(outside) => outside,
        Err(trouble) => {
            return vec![bad("models", trouble.to_string(), "correct the value it names")];
        }
    };
    let lines = found::overview(&outside).await;
    let ready: Vec<&found::FoundProvider> = lines.iter().filter(|line| line.ready).collect();
    let mut findings: Vec<DoctorFinding> = ready
        .iter()
        .map(|line| good("models", format!("{}: {}", line.provider, line.note)))
        .collect();
    let set = lines.iter().filter(|line| !line.ready && line.set_up);
    findings.extend(
        set.map(|line| {
            bad("models", format!("{} does not work", line.provider), line.note.clone())
        }),
    );
    if ready.is_empty() {
        findings.push(bad(
            "models",
            "no model was found; only the example table can debate",
            "start a local server, set a key, or `roundtable models fetch smollm2-135m`; \
             `roundtable agents` lists every way",
        ));
    } else if ready.len() == 1 {
        findings.push(note(
            "models",
            "all models come from one source, so they tend to make the same mistakes",
            "add another; `roundtable agents` lists every way",
        ));
    }
    findings
}

async fn database(config: &Config) -> Vec<DoctorFinding> {
    let path = match &config.store {
        StoreAddress::File(path) => path,
        StoreAddress::Server(server) => return database_server(config, &server.to_string()).await,
    };
    let place = path.display();
    // Before it is opened, which makes a WAL file.
    let may_lack_wal = Store::may_lack_wal(path).unwrap_or(false);
    let store = match Store::read_only(path).await {
        Ok(store) => store,
        Err(StoreError::Missing { .. }) => {
            return vec![match refused(path) {
                None => good("database", format!("none yet; the first debate creates {place}")),
                Some(above) => unwritable(&above),
            }];
        }
        Err(error) => {
            let fix =
                "move the file away and `roundtable restore` a backup, or set ROUNDTABLE_DATA_DIR";
            return vec![bad("database", error.to_string(), fix)];
        }
    };
    let mut findings = Vec::new();
    findings.extend(refused(path).map(|above| unwritable(&above)));
    let harmed = |what| {
        let fix = "`roundtable backup` what can be read, then restore an older backup";
        bad("database", what, fix)
    };
    match store.check().await {
        Ok(damages) if damages.is_empty() => {
            findings.push(good("database", format!("{place} is intact")));
        }
        Ok(damages) => findings
            .extend(damages.iter().take(MOST_DAMAGES).map(|found| harmed(found.to_string()))),
        Err(error) => findings.push(harmed(error.to_string())),
    }
    if may_lack_wal {
        findings.push(note(
            "database",
            format!("{place} was in use when it was last written, and no {place}-wal is beside it"),
            "if this is a copy, the newest debates may be missing: copy the -wal file too, or use \
             `roundtable backup`",
        ));
    }
    findings.extend(permissions(path));
    findings.extend(listed(&store).await);
    store.close().await;
    findings
}

async fn database_server(config: &Config, server: &str) -> Vec<DoctorFinding> {
    let store = match Store::open_existing(&config.store).await {
        Ok(store) => store,
        Err(StoreError::Missing { .. }) => {
            let what = format!("{server} has no debates yet; the first one creates its tables");
            return vec![good("database", what)];
        }
        Err(error) => {
            let fix = "see that the server runs and that ROUNDTABLE_DATABASE_URL is right";
            return vec![bad("database", error.to_string(), fix)];
        }
    };
    let mut findings = vec![good("database", format!("{server} answers"))];
    findings.extend(listed(&store).await);
    store.close().await;
    findings
}

async fn listed(store: &Store) -> Vec<DoctorFinding> {
    let now = clock::now_ms();
    let mut findings = Vec::new();
    let left = run::unattended(store).await.unwrap_or_default();
    if let Some(first) = left.iter().min() {
        findings.push(note(
            "debates",
            format!("{} interrupted and waiting to be resumed", left.len()),
            format!("`roundtable resume {first}`"),
        ));
    }
    let newest = store.list(&ListFilter { limit: Some(1), ..ListFilter::default() }).await;
    let newest = newest.ok().and_then(|rows| rows.first().map(|row| row.updated));
    findings.push(clock_of(now, newest));
    findings
}

fn clock_of(now: i64, newest: Option<i64>) -> DoctorFinding {
    let ahead = newest.is_some_and(|newest| newest > now + SLACK_MS);
    if now < NOT_BEFORE_MS || ahead {
        return bad(
            "clock",
            "this machine's clock is slow: stored debates are from later than now",
            "set the clock; daily budgets and leases depend on it",
        );
    }
    good("clock", "agrees with the stored debates")
}

#[cfg(unix)]
fn permissions(path: &Path) -> Option<DoctorFinding> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then(|| {
        bad(
            "database",
            format!("others on this machine can read it (mode {mode:o})"),
            format!("chmod 600 {}", path.display()),
        )
    })
}

#[cfg(not(unix))]
fn permissions(_: &Path) -> Option<DoctorFinding> {
    None
}

/// Returns the finding for the nearest existing folder above the database.
fn unwritable(place: &Path) -> DoctorFinding {
    bad(
        "database",
        format!("{} cannot be written to: no debate can be stored", place.display()),
        "fix its permissions, or set ROUNDTABLE_DATA_DIR to a folder of your own",
    )
}

/// Returns the file or folder that prevents writing the database, if any.
fn refused(database: &Path) -> Option<PathBuf> {
    let there = |path: &Path| path.as_os_str().is_empty() || path.exists();
    let first = database.ancestors().find(|path| there(path))?;
    let fits = first == database || first.as_os_str().is_empty() || first.is_dir();
    (!fits || !may_write(first)).then(|| first.to_owned())
}

#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| !about.permissions().readonly())
}

fn disk(database: &Path) -> Option<DoctorFinding> {
    let folder = database.ancestors().skip(1).find(|folder| folder.is_dir())?;
    let free = free_bytes(folder)?;
    let text = format!("{} MB free in {}", free / 1_000_000, folder.display());
    Some(if free < ENOUGH_DISK {
        bad("disk", text, "free some space, or move the data with ROUNDTABLE_DATA_DIR")
    } else {
        good("disk", text)
    })
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// Returns whether nothing must be fixed before a debate can run.
pub fn is_well(findings: &[DoctorFinding]) -> bool {
    findings.iter().all(|finding| finding.state != FindingState::Bad)
}
