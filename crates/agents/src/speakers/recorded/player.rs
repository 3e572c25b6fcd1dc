//! Plays a recording: the reply to the very same request, as it was given. What
//! was not recorded is not made up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use debate::model::{Ask, AskId, Bill, Brief, Failure, FailureClass, Reply};
use futures::future::BoxFuture;
use tokio::time::sleep;

use super::ReplaySpeed;
use super::difference::{Difference, compare, distance};
use super::file::{RecordedCall, RecordedOpening, TapeError, TapeHead, TapeLine, VERSION, shown};
use super::request::RecordedRequest;
use super::secrets::Secrets;
use crate::{CancellationToken, Speaker, SpeechDelta, Watch, cancelled};

pub struct Recording {
    path: PathBuf,
    debates: BTreeMap<String, RecordedDebate>,
    played: Mutex<PlayCounts>,
}

#[derive(Default)]
struct RecordedDebate {
    brief: Option<Brief>,
    calls: Vec<RecordedCall>,
}

#[derive(Default)]
struct PlayCounts {
    /// The times each call was played, by debate and place.
    times: BTreeMap<(String, usize), u32>,
    differences: Vec<Difference>,
}

impl Recording {
    pub fn load(path: &Path) -> Result<Recording, TapeError> {
        let text = std::fs::read_to_string(path).map_err(|error| TapeError::Unreadable {
            path: shown(path),
            cause: error.to_string(),
        })?;
        let mut lines = text.lines();
        head(path, lines.next().unwrap_or_default())?;
        let mut debates: BTreeMap<String, RecordedDebate> = BTreeMap::new();
        for (index, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let broken = |error: serde_json::Error| TapeError::Broken {
                path: shown(path),
                line: index + 2,
                cause: format!("this is neither a call nor the opening of a debate ({error})"),
            };
            match TapeLine::read(line).map_err(broken)? {
                TapeLine::Opening(RecordedOpening { debate, brief }) => {
                    debates.entry(debate).or_default().brief = Some(*brief);
                }
                TapeLine::Call(call) => {
                    debates.entry(call.debate.clone()).or_default().calls.push(*call);
                }
            }
        }
        Ok(Recording { path: path.into(), debates, played: Mutex::default() })
    }

    pub fn labels(&self) -> Vec<&str> {
        self.debates.keys().map(String::as_str).collect()
    }

    /// The brief of the recorded debate, without its fence key.
    pub fn brief(&self, label: &str) -> Result<&Brief, TapeError> {
        let found = self.debates.get(label).and_then(|debate| debate.brief.as_ref());
        found.ok_or_else(|| TapeError::NoDebate {
            path: shown(&self.path),
            label: label.into(),
            known: if self.debates.is_empty() { "none".into() } else { self.labels().join(", ") },
        })
    }

    /// The asks that the recording does not hold, in the order of asking.
    pub fn differences(&self) -> Vec<Difference> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner).differences.clone()
    }

    /// The recorded call for this ask; where one ask was made several times,
    /// its answers come in the order they were recorded in.
    fn find(&self, label: &str, ask: &Ask) -> Result<&RecordedCall, Box<Difference>> {
        let request = RecordedRequest::of(ask, &Secrets::default());
        let digest = request.digest();
        let calls = self.debates.get(label).map(|debate| debate.calls.as_slice());
        let calls = calls.unwrap_or_default();
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let same = calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.ask == ask.id && call.digest == digest)
            .min_by_key(|(at, _)| played.times.get(&(label.to_owned(), *at)).copied());
        if let Some((at, call)) = same {
            *played.times.entry((label.to_owned(), at)).or_default() += 1;
            return Ok(call);
        }
        let kin =
            |call: &&RecordedCall| call.ask.party == ask.id.party && call.ask.task == ask.id.task;
        let own = |call: &&RecordedCall| call.ask == ask.id;
        let nearest = nearest(calls.iter().filter(own), &request)
            .or_else(|| nearest(calls.iter().filter(kin), &request))
            .or_else(|| nearest(calls.iter(), &request));
        let difference = Difference {
            label: label.into(),
            ask: ask.id,
            speaker: ask.speaker.clone(),
            nearest: nearest.map(|call| call.ask),
            fields: nearest.map(|call| compare(&call.request, &request)).unwrap_or_default(),
        };
        played.differences.push(difference.clone());
        Err(Box::new(difference))
    }
}

fn nearest<'a>(
    calls: impl Iterator<Item = &'a RecordedCall>,
    asked: &RecordedRequest,
) -> Option<&'a RecordedCall> {
    calls.min_by_key(|call| distance(&call.request, asked))
}

fn head(path: &Path, line: &str) -> Result<(), TapeError> {
    let head: TapeHead =
        serde_json::from_str(line).map_err(|_| TapeError::NotOurs { path: shown(path) })?;
    if head.roundtable_recording == VERSION {
        Ok(())
    } else {
        Err(TapeError::OtherVersion {
            path: shown(path),
            found: head.roundtable_recording,
            program: head.program,
        })
    }
}

/// Stands in for every speaker of one recorded debate.
pub(crate) struct Player {
    pub from: Arc<Recording>,
    pub label: String,
    pub pace: ReplaySpeed,
}

impl Speaker for Player {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        watch: &'a dyn Watch,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let call = match self.from.find(&self.label, ask) {
                Ok(call) => call,
                Err(difference) => return Err(not_held(&difference)),
            };
            let wait = self.pace.of(Duration::from_millis(call.took_ms));
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(cancelled(1)),
                () = sleep(wait) => {}
            }
            match (&call.reply, &call.failure) {
                (Some(reply), _) => {
                    watch.delta(&ask.id, SpeechDelta::Text(reply.text.clone()));
                    Ok(reply.clone())
                }
                (None, Some(failure)) => Err(failure.clone()),
                (None, None) => Err(no_answer(&ask.id)),
            }
        })
    }
}

fn not_held(difference: &Difference) -> Failure {
    Failure {
        class: FailureClass::Blocked,
        message: difference.sentence(),
        tries: 1,
        bill: Bill::default(),
    }
}

fn no_answer(ask: &AskId) -> Failure {
    Failure::unusable(&format!("The recording holds the call {ask}, but no answer to it."))
}
