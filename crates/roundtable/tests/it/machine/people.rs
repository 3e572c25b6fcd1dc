//! `roundtable people`: adding, changing and removing people, and their tokens.

use serde_json::Value;

use crate::support::Home;

fn people(home: &Home, args: &[&str]) -> String {
    let did = home.run(&[&["people"], args].concat());
    assert_eq!(did.code, 0, "{args:?}: {did:?}");
    did.stdout
}

/// Covers: 17-people
#[test]
fn people_are_added_changed_and_removed_and_it_is_written_down() {
    let home = Home::new();
    assert!(people(&home, &["list"]).contains("Nobody yet"));
    people(&home, &["add", "olga", "--role", "operator"]);
    people(&home, &["add", "ann@example.org", "--daily", "5", "--monthly", "60"]);
    people(&home, &["role", "ann@example.org", "reader"]);
    people(&home, &["budget", "ann@example.org", "--daily", "0"]);
    let token = people(&home, &["token", "add", "ann@example.org", "laptop", "--expires", "30d"]);
    assert!(token.starts_with("rt_") && token.trim().len() == 67, "{token}");
    people(&home, &["token", "add", "ann@example.org", "ci", "--expires", "never"]);
    let listed = people(&home, &["list"]);
    for line in
        ["ann@example.org  reader", "of no limit", "of $60", "token laptop", "olga  operator"]
    {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    assert!(!listed.contains(token.trim()), "a token is shown once");
    let tokens: Value =
        serde_json::from_str(&people(&home, &["token", "list", "ann@example.org", "--json"]))
            .unwrap();
    assert_eq!((&tokens[0]["name"], &tokens[0]["expires"]), (&"ci".into(), &Value::Null));
    people(&home, &["token", "revoke", "ann@example.org", "laptop"]);
    let shown = people(&home, &["token", "list", "ann@example.org"]);
    assert!(shown.contains("token ci  does not expire") && !shown.contains("laptop"), "{shown}");
    people(&home, &["remove", "ann@example.org"]);
    let left: Value = serde_json::from_str(&people(&home, &["list", "--json"])).unwrap();
    assert_eq!(left.as_array().unwrap().len(), 1);
    let log = people(&home, &["audit", "--limit", "2"]);
    assert_eq!(log.lines().count(), 2);
    assert!(log.contains("machine  removed a person: ann@example.org"), "{log}");
    let whole: Value = serde_json::from_str(&people(&home, &["audit", "--json"])).unwrap();
    assert_eq!(whole.as_array().unwrap().len(), 8);
}

#[test]
fn what_cannot_be_is_refused_in_plain_words() {
    let home = Home::new();
    people(&home, &["add", "ann"]);
    let rows: [(&[&str], &str); 10] = [
        (&["add", "ann"], "The name \"ann\" is or was another person's"),
        (&["add", "Two words"], "name: \"Two words\" cannot be read"),
        (&["add", "machine"], "and not \"machine\""),
        (&["add", "bob", "--role", "king"], "role: \"king\" is unknown"),
        (&["add", "bob", "--daily", "much"], "daily: \"much\" cannot be read"),
        (&["role", "eve", "reader"], "There is no person called \"eve\""),
        (&["budget", "ann"], "give --daily, --monthly or both"),
        (&["token", "add", "ann", "x", "--expires", "yesterday"], "expires: \"yesterday\""),
        (&["token", "list", "eve"], "There is no person called \"eve\""),
        (&["token", "revoke", "ann", "x"], "There is no token \"x\""),
    ];
    for (args, wanted) in rows {
        let did = home.run(&[&["people"], args].concat());
        assert_eq!(did.code, 2, "{args:?}: {did:?}");
        assert!(did.stderr.contains(wanted), "{args:?}: {}", did.stderr);
    }
}
