//! The page's own small parts: forms as browsers send them, links that work once, and
//! faults at their fields.

use super::fields::{FormFields, encoded};
use super::new_debate::fault;
use super::sign_in::{PageKey, PageSession};
use engine::nouns::TokenHash;

const TOKEN: &str = "a token of sixteen letters";

#[test]
fn fields_come_back_as_they_were_typed() {
    let typed = "50 % & more = \u{fc}ber\n+1";
    let sent = format!("topic={}&agent=a&agent=b&empty=", encoded(typed));
    let form = FormFields::parse(&sent);
    assert_eq!(form.get("topic"), typed);
    assert_eq!(form.all("agent"), ["a", "b"]);
    assert_eq!((form.some("empty"), form.get("none")), (None, ""));
    assert_eq!(FormFields::parse("a=%zz&b=%4").get("a"), "%zz");
    assert_eq!(FormFields::parse("a=two+words").get("a"), "two words");
}

#[test]
fn a_link_is_no_session_and_ends_after_two_minutes() {
    let key = PageKey::new(TOKEN);
    let link = key.link(1_000, "nonce");
    assert_eq!(key.check_link(&link, 2_000).map(|(nonce, _)| nonce), Some("nonce".into()));
    assert_eq!(key.check_link(&link, 1_000 + 120_000), None, "expired");
    assert_eq!(key.session_of(&link, 2_000), None, "a link is not a session");
    let session = key.session(1_000, "other", &PageSession::Machine);
    assert_eq!(key.session_of(&session, 2_000), Some(PageSession::Machine));
    let ann = PageSession::Person(TokenHash::of("a token of ann"));
    let hers = key.session(1_000, "other", &ann);
    assert_eq!(key.session_of(&hers, 2_000), Some(ann));
    assert_eq!(key.session_of(&hers.replace("other-", "other"), 2_000), None);
    assert_eq!(key.check_link(&session, 2_000), None, "a session is not a link");
    let other = PageKey::new("another token of a server");
    assert_eq!(other.session_of(&session, 2_000), None);
    assert_eq!(other.check_link(&link, 2_000), None);
    for forged in ["", ".", "..", "9999999999999.nonce.00", &link.replace("nonce", "novel")] {
        assert_eq!(key.check_link(forged, 2_000), None, "{forged}");
    }
}

#[test]
fn a_token_is_known_by_its_letters_alone() {
    let key = PageKey::new(TOKEN);
    assert!(key.knows_token(TOKEN) && key.knows_token(&format!(" {TOKEN}\n")));
    assert!(!key.knows_token("") && !key.knows_token("a token of sixteen letterS"));
}

#[test]
fn faults_stand_at_their_fields() {
    let rounds = fault("rounds: \"40\" cannot be read; allowed: 1 to 20");
    assert_eq!((rounds.field, rounds.name), ("rounds", "Rounds"));
    assert_eq!(rounds.text, "\"40\" cannot be read; allowed: 1 to 20");
    let other = fault("something else went wrong");
    assert_eq!((other.field, other.text.as_str()), ("other", "something else went wrong"));
}
