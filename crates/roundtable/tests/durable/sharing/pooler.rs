//! A pooler between the program and the database server: one that gives each client a connection
//! of its own works, and one that lends it out per transaction is refused with the reason.

use std::process::Command;

use sqlx::Connection as _;

use crate::harness::{Home, provider};
use crate::serving::Server;
use fake_provider::FakeProvider;

struct Pooler {
    folder: tempfile::TempDir,
    port: String,
}

impl Pooler {
    /// Starts one before the server; `None` if it cannot be had here.
    fn start(mode: &str, server: &str) -> Option<Pooler> {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let done = Pooler::tool("start", folder.path(), &[mode, server]);
        if !done.status.success() {
            let why = String::from_utf8_lossy(&done.stderr).into_owned();
            proof::cannot_be_shown(&format!("a pooler before PostgreSQL: {why}"));
            return None;
        }
        let port = String::from_utf8(done.stdout).unwrap().trim().to_owned();
        Some(Pooler { folder, port })
    }

    fn tool(what: &str, folder: &std::path::Path, more: &[&str]) -> std::process::Output {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/pgbouncer");
        let mut command = Command::new(script);
        command.arg(what).arg(folder.join("pooler")).args(more).output().unwrap()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        Pooler::tool("stop", self.folder.path(), &[]);
    }
}

/// A database of its own, because a pooler refuses the options that choose a part of one. Returns
/// its name and the port of the server.
async fn own_database(name: &str) -> Option<(String, String)> {
    let server = proof::postgres()?;
    let name = format!("{name}_{}", std::process::id());
    let mut connection = sqlx::PgConnection::connect(&server).await.unwrap();
    let sql = format!("CREATE DATABASE {name}");
    sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    let port = server.rsplit_once(':').unwrap().1.split('/').next().unwrap().to_owned();
    Some((name, port))
}

/// Covers: 17-pooler
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_works_by_session_and_is_refused_by_transaction() {
    let Some((name, server)) = own_database("pooled").await else { return };
    let provider = FakeProvider::start(provider(50, 1)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = |pooler: &Pooler| {
        let address = format!("postgres://roundtable@127.0.0.1:{}/{name}", pooler.port);
        Home::on_server(folder.path(), &provider.base_url(), &address)
    };
    tokio::task::block_in_place(|| {
        let Some(sessions) = Pooler::start("session", &server) else { return };
        let at = home(&sessions);
        let node = Server::begin(&at);
        node.start_debate("In stages?");
        let deadline = proof::Deadline::new();
        while !at.run(&["sessions", "list", "--json"]).1.contains("\"completed\"") {
            deadline.wait(|| format!("it stands still: {}", node.run.complained()));
        }
        let Some(transactions) = Pooler::start("transaction", &server) else { return };
        let (code, _, said) = home(&transactions).run(&["sessions", "list"]);
        assert!(code == 1 || code == 2, "{code}: {said}");
        assert!(said.contains("pool_mode") && said.contains("session"), "{said}");
    });
}
