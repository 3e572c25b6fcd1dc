use futures::FutureExt;

use super::*;

#[test]
fn a_debate_begins_when_there_is_room_and_not_before() {
    let pace = Throttle::default();
    let mut lying: Vec<WorkGuard> = (0..MOST).map(|_| pace.work()).collect();
    let mut turn = std::pin::pin!(pace.turn());
    assert!(turn.as_mut().now_or_never().is_none());
    let late = pace.work();
    lying.pop();
    assert!(turn.as_mut().now_or_never().is_none(), "what came in meanwhile goes first");
    drop(late);
    assert!(turn.now_or_never().is_some());
}

#[test]
fn whoever_waited_and_left_keeps_nobody_from_beginning() {
    let pace = Throttle::default();
    let lying: Vec<WorkGuard> = (0..MOST).map(|_| pace.work()).collect();
    let mut left = Box::pin(pace.turn());
    assert!(left.as_mut().now_or_never().is_none());
    let mut stays = std::pin::pin!(pace.turn());
    assert!(stays.as_mut().now_or_never().is_none());
    drop(lying);
    drop(left);
    assert!(stays.now_or_never().is_some());
}
