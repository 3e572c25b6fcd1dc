//! News of answers on their way reaches those who want it, and events reach everybody.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use debate::model::{Party, SeatId, Task};
use tokio::sync::broadcast;
use tokio::sync::mpsc::error::TryRecvError;

use super::*;

fn say(watchers: &Watchers, words: &str) {
    let party = Party::Seat(SeatId(0));
    let ask = AskId { round: 1, wave: 0, party, task: Task::Speak, about: None };
    watchers.delta(&ask, SpeechDelta::Text(words.into()));
}

/// The words of the next news, if it is of an answer on its way.
fn words(news: Result<RunNews, TryRecvError>) -> Option<String> {
    match news.ok()? {
        RunNews::Delta { delta: SpeechDelta::Text(words), .. } => Some(words),
        _ => None,
    }
}

#[test]
fn answers_on_their_way_are_told_only_while_somebody_reads() {
    let watchers = Watchers::default();
    let feed = broadcast::Sender::<()>::new(1);
    let readers = feed.clone();
    let mut some = watchers.watch_with(move || readers.receiver_count() > 0);
    let mut all = watchers.watch();
    say(&watchers, "unread");
    assert_eq!(some.try_recv().err(), Some(TryRecvError::Empty));
    assert_eq!(words(all.try_recv()).as_deref(), Some("unread"));
    // What is not an answer on its way is told always.
    watchers.publish(RunNews::HeldUp(StoreError::Full));
    assert!(matches!(some.try_recv(), Ok(RunNews::HeldUp(StoreError::Full))));
    let reader = feed.subscribe();
    say(&watchers, "read");
    assert_eq!(words(some.try_recv()).as_deref(), Some("read"));
    drop(reader);
    say(&watchers, "unread again");
    assert_eq!(some.try_recv().err(), Some(TryRecvError::Empty));
}

#[test]
fn a_watcher_that_has_gone_is_dropped_at_the_next_news_for_it() {
    let watchers = Watchers::default();
    drop(watchers.watch_with(|| false));
    say(&watchers, "not for it");
    assert!(watchers.is_watched());
    watchers.publish(RunNews::HeldUp(StoreError::Full));
    assert!(!watchers.is_watched());
}
