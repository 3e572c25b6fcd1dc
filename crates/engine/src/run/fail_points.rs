//! Places where a test can end the process, to see what is left. In a release build
//! every function here is empty.
//!
//! `ROUNDTABLE_FAILPOINT=after_T1` ends the process the first time that place is
//! reached, `after_T1:3` the third time, and `after_T1:panic` panics there instead.

use std::future::Future;
#[cfg(debug_assertions)]
use std::sync::Arc;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(debug_assertions)]
use std::time::Duration;

/// The steps of one call. T1 is the commit before it is sent, T2 the commit of its
/// answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailPoint {
    BeforeT1,
    AfterT1,
    AfterSend,
    /// The provider's name for the answer is on the disk.
    AfterId,
    /// A step of a conversation with tools is on the disk.
    AfterStep,
    MidStream,
    AfterTerminal,
    BeforeT2,
    AfterT2,
}

#[cfg(debug_assertions)]
impl FailPoint {
    pub const ALL: [(FailPoint, &'static str); 9] = [
        (FailPoint::BeforeT1, "before_T1"),
        (FailPoint::AfterT1, "after_T1"),
        (FailPoint::AfterSend, "after_send"),
        (FailPoint::AfterId, "after_id"),
        (FailPoint::AfterStep, "after_step"),
        (FailPoint::MidStream, "mid_stream"),
        (FailPoint::AfterTerminal, "after_terminal"),
        (FailPoint::BeforeT2, "before_T2"),
        (FailPoint::AfterT2, "after_T2"),
    ];
}

/// By this time the request has left; in tests an answer takes longer.
#[cfg(debug_assertions)]
const SENT: Duration = Duration::from_millis(30);

#[derive(Debug, Clone, Default)]
pub struct FailPoints {
    #[cfg(debug_assertions)]
    armed: Option<(FailPoint, Arc<AtomicU32>)>,
    #[cfg(debug_assertions)]
    way: FailWay,
}

#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FailWay {
    #[default]
    Killed,
    Panics,
}

#[cfg(debug_assertions)]
impl FailPoints {
    /// Reads the variable from the environment; an unreadable value arms no fail
    /// point.
    pub fn armed_by<'e>(look: impl Fn(&str) -> Option<&'e str>) -> FailPoints {
        let text = look("ROUNDTABLE_FAILPOINT");
        let (text, way) = match text.and_then(|text| text.strip_suffix(":panic")) {
            Some(place) => (Some(place), FailWay::Panics),
            None => (text, FailWay::Killed),
        };
        let armed = text.and_then(|text| {
            let (name, count) = text.split_once(':').unwrap_or((text, "1"));
            let (point, _) = FailPoint::ALL.into_iter().find(|(_, known)| *known == name)?;
            Some((point, Arc::new(AtomicU32::new(count.parse().ok()?))))
        });
        FailPoints { armed, way }
    }

    /// Ends the process as a kill would, if the test named this place.
    #[allow(clippy::panic, reason = "a test asked for it")]
    pub fn hit(&self, point: FailPoint) {
        if let Some((armed, left)) = &self.armed
            && *armed == point
            && left.fetch_sub(1, Ordering::SeqCst) == 1
        {
            match self.way {
                FailWay::Killed => std::process::abort(),
                FailWay::Panics => panic!("a test has the program break here"),
            }
        }
    }

    /// Waits for an answer whose request is in flight.
    pub async fn sent<T>(&self, answer: impl Future<Output = T>) -> T {
        if !matches!(self.armed, Some((FailPoint::AfterSend, _))) {
            return answer.await;
        }
        tokio::pin!(answer);
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::time::sleep(SENT) => self.hit(FailPoint::AfterSend),
        }
        answer.await
    }
}

/// A release build carries no fail points, not even disabled ones.
#[cfg(not(debug_assertions))]
const _: () = assert!(size_of::<FailPoints>() == 0);

#[cfg(not(debug_assertions))]
impl FailPoints {
    pub fn armed_by<'e>(_: impl Fn(&str) -> Option<&'e str>) -> FailPoints {
        FailPoints::default()
    }

    pub fn hit(&self, _: FailPoint) {}

    pub async fn sent<T>(&self, answer: impl Future<Output = T>) -> T {
        answer.await
    }
}
