//! The hub of one debate: it follows the log once for all browsers that watch, draws
//! what changed once, and hands the same bytes to everybody.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use debate::Debate;
use debate::model::{AskId, ContextRequest, Event, FailureClass};
use engine::background::host::{Host, RunsWhere};
use engine::error::EngineError;
use engine::nouns::{LogEntry, SpeechDelta};
use engine::run::RunNews;
use serde_json::json;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio::time::{MissedTickBehavior, interval};

use super::seats::LiveSeats;
use super::view;

/// Frames that a slow browser may be behind.
const MOST_FRAMES: usize = 256;
/// The interval at which new words are sent.
const WORDS: Duration = Duration::from_millis(200);
/// The log of a debate is read every so many ticks, whatever the news say.
const LOOK_EVERY: u32 = 4;
/// A hub without watchers closes after so many ticks.
const IDLE_TICKS: u32 = 25;

/// One debate and its watchers.
pub struct LiveHub {
    id: String,
    state: Mutex<HubState>,
    sender: Sender<Bytes>,
}

struct HubState {
    id: String,
    debate: Debate,
    seats: LiveSeats,
    seq: u64,
    attended: RunsWhere,
    /// The parts as they were drawn last, each with the entry that changed it.
    parts: Vec<DrawnPart>,
    rounds: Vec<view::RoundTraits>,
    closed: bool,
}

struct DrawnPart {
    name: String,
    html: String,
    changed: u64,
}

/// A watcher's beginning: what it has not seen, and what comes next.
pub struct LiveJoin {
    pub seq: u64,
    pub parts: Vec<(String, String)>,
    pub frames: Vec<Bytes>,
    pub receiver: Receiver<Bytes>,
}

impl LiveHub {
    pub async fn open(host: &Host, id: &str) -> Result<LiveHub, EngineError> {
        let attended = host.look(id).await?.attended;
        let log = host.log_after(id, 0).await?;
        let seq = log.last().map_or(0, |entry| entry.seq);
        let mut seats = LiveSeats::new(Instant::now());
        log.iter().for_each(|entry| seats.take(&entry.event, Instant::now()));
        let debate = Debate::replay(log.into_iter().map(|entry| entry.event))?;
        let mut state = HubState {
            id: id.to_owned(),
            debate,
            seats,
            seq,
            attended,
            parts: Vec::new(),
            rounds: Vec::new(),
            closed: false,
        };
        state.draw();
        Ok(LiveHub {
            id: id.to_owned(),
            state: Mutex::new(state),
            sender: broadcast::Sender::new(MOST_FRAMES),
        })
    }

    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Joins after the entry that a browser saw last. `None` if the hub has closed.
    pub fn join(&self, after: u64) -> Option<LiveJoin> {
        let state = self.lock();
        if state.closed {
            return None;
        }
        let receiver = self.sender.subscribe();
        // Only rounds are told by the log alone; all else also says who runs the debate.
        let fresh = state.parts.iter().filter(|part| {
            part.changed > after || after > state.seq || !part.name.starts_with('r')
        });
        let parts: Vec<(String, String)> =
            fresh.map(|part| (part.name.clone(), part.html.clone())).collect();
        let mut frames = vec![Bytes::from_static(b"retry: 1000\n\n")];
        if !parts.is_empty() {
            frames.push(state_frame(state.seq, &parts, ""));
        }
        frames.extend(state.seats.all_words().into_iter().map(words_frame));
        if state.debate.room().verdict.is_some() {
            frames.push(Bytes::from_static(b"event: over\ndata: {}\n\n"));
        }
        Some(LiveJoin { seq: state.seq, parts, frames, receiver })
    }

    /// Takes in entries of the log, draws, and tells everybody what changed.
    fn take(&self, fresh: Vec<LogEntry>, attended: Option<RunsWhere>) {
        let mut state = self.lock();
        let mut sentences = Vec::new();
        let mut moved = false;
        if let Some(attended) = attended.filter(|one| *one != state.attended) {
            state.attended = attended;
            moved = true;
        }
        for entry in fresh.into_iter() {
            if entry.seq <= state.seq {
                continue;
            }
            state.seq = entry.seq;
            state.seats.take(&entry.event, Instant::now());
            sentences.extend(sentence(&entry.event));
            // An event that does not fit is left to the next opening of the hub.
            let _ = state.debate.take_in(entry.event);
            moved = true;
        }
        if moved {
            self.tell(&mut state, sentences.last().map_or("", String::as_str));
        }
    }

    fn tell(&self, state: &mut HubState, sentence: &str) {
        let changed = state.draw();
        if !changed.is_empty() {
            let _ = self.sender.send(state_frame(state.seq, &changed, sentence));
        }
        if state.debate.room().verdict.is_some() {
            let _ = self.sender.send(Bytes::from_static(b"event: over\ndata: {}\n\n"));
        }
    }

    fn delta(&self, ask: &AskId, delta: SpeechDelta) {
        let mut state = self.lock();
        if state.seats.delta(ask, delta, Instant::now()) {
            self.tell(&mut state, "");
        }
    }

    fn send_words(&self) {
        let fresh = self.lock().seats.fresh_words();
        for words in fresh {
            let _ = self.sender.send(words_frame(words));
        }
    }

    fn seq(&self) -> u64 {
        self.lock().seq
    }
}

impl HubState {
    /// Draws all parts and returns those that changed.
    fn draw(&mut self) -> Vec<(String, String)> {
        let drawn =
            view::parts(&self.id, &self.debate, &self.seats, self.attended, &mut self.rounds);
        let mut changed = Vec::new();
        for (name, html) in drawn {
            match self.parts.iter_mut().find(|part| part.name == name) {
                Some(part) if part.html == html => continue,
                Some(part) => {
                    part.html.clone_from(&html);
                    part.changed = self.seq;
                }
                None => self.parts.push(DrawnPart {
                    name: name.clone(),
                    html: html.clone(),
                    changed: self.seq,
                }),
            }
            changed.push((name, html));
        }
        changed
    }
}

/// Follows a debate until it is over or nobody watches any more.
pub async fn follow(host: Host, hub: std::sync::Arc<LiveHub>) {
    let mut news = host.watch(&hub.id);
    let mut ticks = interval(WORDS);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut count, mut idle) = (0_u32, 0_u32);
    let leaving = host.leaving();
    loop {
        tokio::select! {
            () = leaving.cancelled() => break,
            item = heard(&mut news), if news.is_some() => match item {
                Some(RunNews::Delta { ask, delta }) => hub.delta(&ask, delta),
                Some(RunNews::Event(entry)) => hub.take(vec![(*entry).clone()], None),
                Some(RunNews::HeldUp(_)) => {}
                None => {
                    news = None;
                    look(&host, &hub).await;
                }
            },
            _ = ticks.tick() => {
                hub.send_words();
                count = count.wrapping_add(1);
                if count.is_multiple_of(LOOK_EVERY) {
                    look(&host, &hub).await;
                    news = news.or_else(|| host.watch(&hub.id));
                }
                idle = if hub.sender.receiver_count() == 0 { idle + 1 } else { 0 };
                if idle > IDLE_TICKS {
                    break;
                }
            }
        }
    }
    hub.lock().closed = true;
}

/// The next news of a debate of this process; `None` when there are no more. What was
/// missed stands in the log.
async fn heard(news: &mut Option<Receiver<RunNews>>) -> Option<RunNews> {
    let receiver = news.as_mut()?;
    loop {
        match receiver.recv().await {
            Ok(item) => return Some(item),
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return None,
        }
    }
}

/// Reads what the log has beyond what was seen.
async fn look(host: &Host, hub: &LiveHub) {
    let Ok(fresh) = host.log_after(&hub.id, hub.seq()).await else { return };
    let attended = host.attended_by(&hub.id).await.ok();
    hub.take(fresh, attended);
}

fn state_frame(seq: u64, parts: &[(String, String)], say: &str) -> Bytes {
    let data = json!({ "seq": seq, "parts": parts, "say": say });
    Bytes::from(format!("id: {seq}\nevent: state\ndata: {data}\n\n"))
}

fn words_frame((seat, words): (usize, String)) -> Bytes {
    let data = json!({ "seat": seat, "words": words });
    Bytes::from(format!("event: words\ndata: {data}\n\n"))
}

/// The sentence that a screen reader is told of an event.
fn sentence(event: &Event) -> Option<String> {
    match event {
        Event::RoundOpened { round, .. } => Some(format!("Round {round} begins.")),
        Event::Answered { turn, .. } => Some(format!("{} answered.", turn.agent)),
        Event::Missed { gap, .. } if gap.class == FailureClass::Passed => {
            Some(format!("{} passed.", gap.agent))
        }
        Event::Missed { gap, .. } => Some(format!("{} gave no answer.", gap.agent)),
        Event::ContextAsked { requests } => {
            let asks = |one: &ContextRequest| if one.is_turn { "" } else { " asks you" };
            requests.first().map(|one| format!("{}{}: {}", one.agent, asks(one), one.question))
        }
        Event::Dropped { dropped } => Some(format!("{} is dropped.", dropped.agent)),
        Event::Paused { reason } => Some(format!("Paused: {}.", reason.sentence())),
        Event::Started => Some("The debate runs.".into()),
        Event::Ended { .. } => Some("The debate is over.".into()),
        _ => None,
    }
}
