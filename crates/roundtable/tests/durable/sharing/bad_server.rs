//! Database servers that cannot be used: each is refused once, in words that say why, and no
//! password is shown.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use sqlx::Connection as _;

use super::wire::Wire;
use crate::harness::{Home, provider};
use crate::postgres::database;
use crate::serving::Server;
use fake_provider::FakeProvider;

const DEBATE: [&str; 7] =
    ["debate", "--clerk=none", "--rounds", "1", "--agents", "custom/a,custom/b", "x"];

async fn execute(server: &str, sql: &str) {
    let mut connection = sqlx::PgConnection::connect(server).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
}

fn refused(folder: &Path, address: &str, args: &[&str], wanted: &str) {
    let home = Home::on_server(folder, "http://127.0.0.1:9", address);
    let (code, out, said) = home.run(args);
    assert_ne!(code, 0, "{out}{said}");
    assert!(said.contains(wanted), "{wanted}: {said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("error")).count(), 1, "{said}");
    assert!(!said.contains("geheim") && !out.contains("geheim"), "{said}");
}

#[test]
fn a_wrong_address_is_told_and_its_password_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let list = ["sessions", "list"];
    let wanted = "ROUNDTABLE_DATABASE_URL cannot be read";
    refused(folder.path(), "mysql://me:geheim@db/x", &list, wanted);
    let wanted = "does not answer: postgres://127.0.0.1:9/x";
    refused(folder.path(), "postgres://me:geheim@127.0.0.1:9/x", &list, wanted);
    // The same in the config file, which the variable takes precedence over.
    let config = folder.path().join("config/roundtable/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "[server]\ndatabase_url = \"mysql://me:geheim@db/x\"\n").unwrap();
    let (code, _, said) = Home::new(folder.path(), "http://127.0.0.1:9").run(&list);
    assert!(code == 2 && said.contains("server.database_url"), "{code}: {said}");
    assert!(!said.contains("geheim"), "{said}");
    refused(folder.path(), "postgres://me:geheim@127.0.0.1:9/x", &list, wanted);
}

/// Covers: 17-bad-server
#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_rights_of_an_old_version_or_with_newer_tables_is_refused_with_the_reason()
{
    let Some(server) = database("refused").await else { return };
    let part = format!("refused_{}", std::process::id());
    let folder = tempfile::tempdir().unwrap();
    let place = |user: &str, path: &str| {
        let (_, after) = server.split_once('@').unwrap();
        format!("postgres://{user}:geheim@{}{path}", after.split('?').next().unwrap())
    };
    let options = |path: &str| format!("?options=-csearch_path%3D{path}");

    let stranger = format!("stranger_{}", std::process::id());
    execute(
        &server,
        &format!("CREATE ROLE {stranger} LOGIN; GRANT USAGE ON SCHEMA {part} TO {stranger}"),
    )
    .await;
    let address = place(&stranger, &options(&part));
    tokio::task::block_in_place(|| refused(folder.path(), &address, &DEBATE, "may not do that"));

    let address = place("roundtable", "").replace("/postgres", "/nowhere");
    tokio::task::block_in_place(|| {
        refused(folder.path(), &address, &DEBATE, "\"nowhere\" does not exist");
    });

    // What the server is asked for its version answers as an older one would.
    let old = "CREATE FUNCTION current_setting(name text) RETURNS text LANGUAGE sql
               AS $$ SELECT '120017' $$";
    execute(&server, old).await;
    let address = place("roundtable", &options(&format!("{part}%2Cpg_catalog")));
    tokio::task::block_in_place(|| {
        refused(folder.path(), &address, &DEBATE, "it is PostgreSQL 12, and 13 or newer is needed");
    });

    let newer = "CREATE TABLE roundtable_format (version BIGINT NOT NULL);
                 INSERT INTO roundtable_format VALUES (999)";
    execute(&server, newer).await;
    tokio::task::block_in_place(|| {
        refused(folder.path(), &server, &DEBATE, "newer");
        refused(folder.path(), &server, &["serve", "--listen", "127.0.0.1:0"], "newer");
    });
}

fn ready(server: &Server) -> bool {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let request = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.starts_with("HTTP/1.1 200")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_starts_while_its_database_is_away_says_so_and_waits_for_it() {
    let Some(server) = database("away_at_start").await else { return };
    let wire = Wire::to(&server).await;
    wire.cut(true);
    let provider = FakeProvider::start(provider(10, 1)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::on_server(folder.path(), &provider.base_url(), &wire.address);
    tokio::task::block_in_place(|| {
        let node = Server::begin(&home);
        let said = node.run.complained();
        assert!(said.contains("does not answer") && said.contains("waits for it"), "{said}");
        assert!(!ready(&node), "it takes debates");
        wire.cut(false);
        proof::wait_until("the database", || ready(&node));
        node.start_debate("In stages?");
    });
}
