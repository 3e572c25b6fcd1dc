//! Keys and what they ask for.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use debate::model::PauseReason;

use super::{Comes, KeySteering, Phase, Wish, wanted};
use crate::terminal::live::panel::Foot;

fn press(steering: &mut KeySteering, code: KeyCode) -> Comes {
    steering.take(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn control(steering: &mut KeySteering, letter: char) -> Comes {
    steering.take(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)))
}

fn write(steering: &mut KeySteering, text: &str) {
    for letter in text.chars() {
        assert_eq!(press(steering, KeyCode::Char(letter)), Comes::Nothing);
    }
}

fn line(steering: &KeySteering) -> (String, usize) {
    match steering.foot() {
        Foot::Prompt { text, cursor, .. } => (text, cursor),
        other => panic!("nothing is being typed: {other:?}"),
    }
}

fn at(phase: Phase) -> KeySteering {
    KeySteering { phase, ..KeySteering::default() }
}

/// Each key where it fits and where it does not.
#[test]
fn keys_mean_what_the_debate_allows() {
    let says = |comes: &Comes, word: &str| matches!(comes, Comes::Say(text) if text.contains(word));
    assert_eq!(press(&mut at(Phase::Running), KeyCode::Char('p')), Comes::Wish(Wish::Pause));
    assert!(says(&press(&mut at(Phase::Paused), KeyCode::Char('p')), "already paused"));
    assert!(says(&press(&mut at(Phase::Running), KeyCode::Char('r')), "running"));
    for phase in [Phase::Draining, Phase::Paused] {
        assert_eq!(press(&mut at(phase), KeyCode::Char('R')), Comes::Wish(Wish::Resume));
    }
    assert_eq!(press(&mut at(Phase::Paused), KeyCode::Char('q')), Comes::Wish(Wish::Leave));
    for phase in [Phase::Running, Phase::Draining] {
        assert!(says(&press(&mut at(phase), KeyCode::Char('q')), "Ctrl-C"));
    }
    assert!(says(&press(&mut at(Phase::Running), KeyCode::Char('x')), "?"));
    assert_eq!(press(&mut at(Phase::Running), KeyCode::F(5)), Comes::Nothing);
    assert_eq!(control(&mut at(Phase::Running), 'c'), Comes::Wish(Wish::Interrupt));
}

#[test]
fn a_line_can_be_edited() {
    let mut steering = at(Phase::Running);
    press(&mut steering, KeyCode::Char('i'));
    write(&mut steering, "count the cost");
    press(&mut steering, KeyCode::Home);
    press(&mut steering, KeyCode::Delete);
    write(&mut steering, "C");
    assert_eq!(line(&steering), ("Count the cost".into(), 1));
    press(&mut steering, KeyCode::End);
    control(&mut steering, 'w');
    assert_eq!(line(&steering), ("Count the ".into(), 10));
    write(&mut steering, "日本");
    press(&mut steering, KeyCode::Left);
    press(&mut steering, KeyCode::Backspace);
    assert_eq!(line(&steering), ("Count the 本".into(), 10));
    control(&mut steering, 'u');
    assert_eq!(line(&steering), ("本".into(), 0));
    press(&mut steering, KeyCode::Backspace);
    assert_eq!(press(&mut steering, KeyCode::Enter), Comes::Wish(Wish::Remark("本".into())));
    assert!(matches!(steering.foot(), Foot::Keys(_)));
}

#[test]
fn nothing_typed_says_nothing_and_escape_drops() {
    let mut steering = at(Phase::Running);
    press(&mut steering, KeyCode::Char('f'));
    write(&mut steering, "   ");
    assert_eq!(press(&mut steering, KeyCode::Enter), Comes::Nothing);
    press(&mut steering, KeyCode::Char('f'));
    write(&mut steering, "psq?");
    assert_eq!(press(&mut steering, KeyCode::Esc), Comes::Nothing);
    assert!(matches!(steering.foot(), Foot::Keys(_)));
}

#[test]
fn what_is_pasted_is_one_line_of_words_and_never_keys() {
    let mut steering = at(Phase::Running);
    assert_eq!(steering.take(Event::Paste("sy".into())), Comes::Nothing);
    assert!(matches!(steering.foot(), Foot::Keys(_)));
    press(&mut steering, KeyCode::Char('i'));
    steering.take(Event::Paste("two\nlines\u{1b}[31m and\tmore".into()));
    assert_eq!(line(&steering).0, "two lines and more");
}

#[test]
fn stopping_needs_a_yes() {
    for (key, comes) in [('y', Comes::Wish(Wish::Stop)), ('n', Comes::Say("Not stopped.".into()))] {
        let mut steering = at(Phase::Running);
        press(&mut steering, KeyCode::Char('s'));
        assert!(matches!(steering.foot(), Foot::Question(_)));
        assert_eq!(press(&mut steering, KeyCode::Char(key)), comes);
    }
}

#[test]
fn context_is_answered_only_where_it_was_asked_for() {
    let mut steering = at(Phase::Paused);
    assert!(matches!(press(&mut steering, KeyCode::Char('c')), Comes::Say(_)));
    steering.wanted = Some("Which region?".into());
    assert_eq!(press(&mut steering, KeyCode::Char('c')), Comes::Nothing);
    write(&mut steering, "EU");
    assert_eq!(press(&mut steering, KeyCode::Enter), Comes::Wish(Wish::Context("EU".into())));
    assert_eq!(wanted(&PauseReason::Asked), None);
}

#[test]
fn an_answer_of_ones_own_is_asked_for_with_how_sure_one_is_and_kept_until_it_is_sent() {
    let mut steering = at(Phase::Paused);
    (steering.wanted, steering.is_turn) = (Some("It is your turn.".into()), true);
    steering.take_turn();
    write(&mut steering, "In stages.");
    assert_eq!(press(&mut steering, KeyCode::Esc), Comes::Nothing, "later");
    assert_eq!(press(&mut steering, KeyCode::Char('c')), Comes::Nothing);
    assert!(matches!(steering.foot(), Foot::Prompt { text, .. } if text == "In stages."));
    assert_eq!(press(&mut steering, KeyCode::Enter), Comes::Nothing, "now: how sure");
    write(&mut steering, "101");
    assert!(matches!(press(&mut steering, KeyCode::Enter), Comes::Say(_)));
    control(&mut steering, 'u');
    write(&mut steering, "70 %");
    let said = "In stages.\n\nConfidence: 70 %".to_owned();
    assert_eq!(press(&mut steering, KeyCode::Enter), Comes::Wish(Wish::Context(said)));
    // It was refused: the line is there again.
    steering.take_turn();
    assert!(matches!(steering.foot(), Foot::Prompt { text, .. } if text == "In stages."));
    steering.turn_over();
    steering.take_turn();
    assert_eq!(press(&mut steering, KeyCode::Enter), Comes::Wish(Wish::Pass));
}
