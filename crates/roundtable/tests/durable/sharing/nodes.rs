//! Several nodes on one PostgreSQL server: a debate goes on elsewhere when its node is killed,
//! and on the same node when the server was away for a while. Nothing is asked twice that was
//! stored, and nothing is lost.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::wire::Wire;
use crate::budget::posts;
use crate::harness::{Home, provider};
use crate::postgres::database;
use crate::serving::Server;
use fake_provider::FakeProvider;

/// Two homes on one server.
fn homes(folder: &Path, provider: &FakeProvider, server: &str) -> (Home, Home) {
    let home = |name: &str| Home::on_server(&folder.join(name), &provider.base_url(), server);
    (home("one"), home("other"))
}

fn listed(home: &Home) -> Vec<Value> {
    let (code, out, err) = home.run(&["sessions", "list", "--json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

/// Waits until all debates have ended; `node` goes on with them.
fn wait_for_ends(home: &Home, node: &Server) {
    let deadline = proof::Deadline::new();
    while !listed(home).iter().all(|row| row["status"] == "completed") {
        deadline.wait(|| format!("they stand still: {}", node.run.complained()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_debates_of_a_killed_node_go_on_on_another() {
    let Some(server) = database("killed_node").await else { return };
    let provider = FakeProvider::start(provider(400, 1)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = homes(folder.path(), &provider, &server);
    tokio::task::block_in_place(|| {
        let (mut first, second) = (Server::begin(&one), Server::begin(&other));
        for topic in ["In stages?", "At once?", "Not at all?"] {
            first.start_debate(topic);
        }
        proof::wait_until("the first question", || provider.ledger().len() >= 3);
        first.run.child.kill().unwrap();
        first.run.wait();
        wait_for_ends(&other, &second);
        assert_eq!(listed(&other).len(), 3);
    });
    // Four answers a debate; only what was on its way may be asked again.
    let posts = posts(&provider);
    assert!((12..=12 + 6).contains(&posts), "{posts} requests for twelve answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_told_to_go_stores_what_comes_in_and_hands_its_debates_over() {
    let Some(server) = database("drained_node").await else { return };
    let provider = FakeProvider::start(provider(1_500, 1)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = homes(folder.path(), &provider, &server);
    tokio::task::block_in_place(|| {
        let (mut first, second) = (Server::begin(&one), Server::begin(&other));
        first.start_debate("In stages?");
        proof::wait_until("the first question", || provider.ledger().len() >= 2);
        first.run.signal("TERM");
        assert_eq!(first.run.wait(), 0, "{}", first.run.complained());
        wait_for_ends(&other, &second);
    });
    let posts = posts(&provider);
    assert_eq!(posts, 4, "each of four answers is asked for once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_for_a_while_costs_no_answer() {
    let Some(server) = database("cut_wire").await else { return };
    let wire = Wire::to(&server).await;
    let provider = FakeProvider::start(provider(300, 1)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::on_server(folder.path(), &provider.base_url(), &wire.address);
    tokio::task::block_in_place(|| {
        let start = [
            "debate",
            "--clerk=none",
            "--rounds",
            "2",
            "--json",
            "--agents",
            "custom/a,custom/b",
            "x",
        ];
        let mut run = home.start(&start, &[]);
        proof::wait_until("the first question", || provider.ledger().len() >= 2);
        wire.cut(true);
        // Long enough for both answers to arrive with nowhere to go.
        std::thread::sleep(Duration::from_millis(1_500));
        wire.cut(false);
        assert_eq!(run.wait(), 0, "{}", run.complained());
    });
    let posts = posts(&provider);
    assert_eq!(posts, 4, "each of four answers is asked for once");
}

#[tokio::test(flavor = "multi_thread")]
async fn debates_move_to_the_server_and_back_by_command() {
    let Some(server) = database("moved").await else { return };
    let provider = FakeProvider::start(provider(1, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let at_file = Home::new(folder.path(), &provider.base_url());
    let at_server = Home::on_server(folder.path(), &provider.base_url(), &server);
    tokio::task::block_in_place(|| {
        let start =
            ["debate", "--clerk=none", "--rounds", "1", "--agents", "custom/a,custom/b", "x"];
        assert_eq!(at_file.run(&start).0, 0);
        let file = at_file.database();
        let (code, _, said) =
            at_server.run(&["store", "move", "--from-file", file.to_str().unwrap()]);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("Copied 1 debate with"), "{said}");
        assert_eq!(listed(&at_server), listed(&at_file));
        let (code, _, said) =
            at_server.run(&["store", "move", "--from-file", file.to_str().unwrap()]);
        assert_eq!(code, 0, "given again it finds all of it there: {said}");
        let back = folder.path().join("back.db");
        let (code, _, said) =
            at_server.run(&["store", "move", "--to-file", back.to_str().unwrap()]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(at_file.run(&start).0, 0);
        let (code, _, said) =
            at_server.run(&["store", "move", "--to-file", file.to_str().unwrap()]);
        assert!(code == 2 && said.contains("There are other debates"), "{said}");
        let (code, _, said) = at_server.run(&["store", "move"]);
        assert!(code == 2 && said.contains("--from-file") && said.contains("--to-file"), "{said}");
        let (code, _, said) = at_file.run(&["store", "move", "--to-file", "x.db"]);
        assert!(code == 2 && said.contains("ROUNDTABLE_DATABASE_URL"), "{said}");
        let (code, _, said) = at_server.run(&["backup", "copy.db"]);
        assert!(code == 2 && said.contains("pg_dump"), "{said}");
    });
}
