//! A conversation that is cut off behind any of its steps goes on there: the same
//! answer, and nothing that was done before is done again.

use std::sync::atomic::AtomicUsize;

use super::*;

/// Records steps, and lets no conversation continue after so many.
struct Notebook {
    steps: Mutex<Vec<ConversationStep>>,
    most: usize,
}

impl Watch for Notebook {
    fn delta(&self, _: &AskId, _: SpeechDelta) {}

    fn stepped<'a>(&'a self, _: &'a AskId, step: ConversationStep) -> BoxFuture<'a, StepPermit> {
        let mut steps = self.steps.lock().unwrap();
        // As it is read again from a file.
        let text = serde_json::to_string(&step).unwrap();
        steps.push(serde_json::from_str(&text).unwrap());
        let further = if steps.len() < self.most { StepPermit::GoOn } else { StepPermit::Rest };
        Box::pin(async move { further })
    }
}

/// Too little first, then three rounds of tools, then the answer.
fn says(step: usize) -> StepEnd {
    match step {
        0 => answer("without looking"),
        1 => calls(&[echo("one"), echo("two")]),
        2 => calls(&[echo("wonder"), ("nothing", json!({}))]),
        3 => calls(&[echo("three")]),
        _ => answer("with sources"),
    }
}

/// The steps written down, the answer, and how often the model and the tool
/// were asked.
async fn held(past: &AskHistory, most: usize) -> (Vec<ConversationStep>, FetchEnd, usize, u32) {
    let spoken = past.steps.iter().map_while(StepNote::of);
    let before = spoken.filter(|note| !matches!(note, StepNote::Told(_))).count();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let model = model(move |step| {
        count.fetch_add(1, Ordering::SeqCst);
        says(before + step)
    });
    let tool = Arc::new(Echo::default());
    let tools: Vec<Arc<dyn Tool>> = vec![tool.clone()];
    let ask = ask(ToolLevel::Strict, 1, 10);
    let context = context(&ask);
    let book = Notebook { steps: Mutex::default(), most };
    let tool_loop = ToolLoop { model: &model, tools: &tools, context: &context };
    let fetched = tool_loop.go_on(&ask, past, &book, &CancellationToken::new()).await;
    let steps = book.steps.into_inner().unwrap();
    (steps, fetched, asked.load(Ordering::SeqCst), tool.calls.load(Ordering::SeqCst))
}

/// Without what depends on the clock.
fn timeless(fetched: FetchEnd) -> Reply {
    let FetchEnd::Answer(mut reply) = fetched else { panic!("{fetched:?}") };
    reply.bill.latency_ms = 0;
    reply.tool_calls.iter_mut().for_each(|call| call.duration_ms = 0);
    *reply
}

#[tokio::test(start_paused = true)]
async fn cut_off_behind_any_step_it_comes_to_the_same_and_repeats_nothing() {
    let (all, whole, asked, made) = held(&AskHistory::default(), usize::MAX).await;
    assert_eq!((all.len(), asked, made), (7, 5, 4));
    let whole = timeless(whole);
    assert_eq!((whole.text.as_str(), whole.tries), ("with sources", 5));
    assert_eq!(whole.bill.cost, Some(MicroUsd(25)));
    assert_eq!((whole.tool_calls.len(), whole.sources.len(), whole.requests.len()), (4, 4, 1));
    for cut in 1..all.len() {
        let (before, rests, asked_before, made_before) = held(&AskHistory::default(), cut).await;
        assert_eq!(before, all[..cut], "cut at {cut}");
        let FetchEnd::Failed(rests) = rests else { panic!("{rests:?}") };
        assert_eq!(rests.class, FailureClass::Cancelled, "{rests:?}");
        let past = AskHistory { steps: before, ..AskHistory::default() };
        let (after, rest, asked_after, made_after) = held(&past, usize::MAX).await;
        assert_eq!(after, all[cut..], "cut at {cut}");
        assert_eq!(timeless(rest), whole, "cut at {cut}");
        assert_eq!((asked_before + asked_after, made_before + made_after), (5, 4), "cut at {cut}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_any_more_is_asked_again() {
    let (mut steps, ..) = held(&AskHistory::default(), usize::MAX).await;
    steps[3].state = json!({"written": "by a later version"});
    let past = AskHistory { steps, ..AskHistory::default() };
    let (after, rest, asked, _) = held(&past, usize::MAX).await;
    // Three notes are read, which hold two turns of the model's.
    assert_eq!(timeless(rest).text, "with sources");
    assert_eq!((asked, after.len()), (3, 4));
}

#[tokio::test(start_paused = true)]
async fn a_kept_step_that_is_gone_is_said_to_be() {
    let kept = RemoteAnswer { provider: "p".into(), model: "m".into(), id: "x".into() };
    let past = AskHistory { kept: Some(kept), ..AskHistory::default() };
    let (_, gone, asked, _) = held(&past, usize::MAX).await;
    assert_eq!((gone, asked), (FetchEnd::Gone, 0));
}
