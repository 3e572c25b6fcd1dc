//! The throttle lets debates begin in order.

use futures::FutureExt;

use super::*;

#[test]
fn a_debate_begins_when_there_is_room_and_not_before() {
    let throttle = Throttle::default();
    let mut pending: Vec<WorkGuard> = (0..MOST).map(|_| throttle.work()).collect();
    let mut turn = std::pin::pin!(throttle.turn());
    assert!(turn.as_mut().now_or_never().is_none());
    let late = throttle.work();
    pending.pop();
    assert!(turn.as_mut().now_or_never().is_none(), "what came in meanwhile goes first");
    drop(late);
    assert!(turn.now_or_never().is_some());
}

#[test]
fn a_debate_that_gave_up_waiting_blocks_no_other() {
    let throttle = Throttle::default();
    let pending: Vec<WorkGuard> = (0..MOST).map(|_| throttle.work()).collect();
    let mut left = Box::pin(throttle.turn());
    assert!(left.as_mut().now_or_never().is_none());
    let mut stays = std::pin::pin!(throttle.turn());
    assert!(stays.as_mut().now_or_never().is_none());
    drop(pending);
    drop(left);
    assert!(stays.now_or_never().is_some());
}
