//! Keys from the terminal, read by a thread of their own: waiting for a person
//! must not hold up anything else. It ends when nobody listens any more.

use std::time::Duration;

use crossterm::event::{self, Event};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The time in which the thread notices that nobody listens.
const LOOK: Duration = Duration::from_millis(100);

pub fn listen() -> UnboundedReceiver<Event> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        while !sender.is_closed() {
            let heard = match event::poll(LOOK) {
                Ok(true) => event::read(),
                Ok(false) => continue,
                Err(_) => return,
            };
            let Ok(heard) = heard else { return };
            if sender.send(heard).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next key; never, where none are read.
pub async fn next(keys: &mut Option<UnboundedReceiver<Event>>) -> Option<Event> {
    match keys {
        Some(keys) => keys.recv().await,
        None => std::future::pending().await,
    }
}
