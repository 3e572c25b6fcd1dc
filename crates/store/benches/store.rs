//! How fast the store is: appends alone and together, opening, listing and
//! searching ten thousand debates, reading a log.
//!
//! `cargo bench -p roundtable-store`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/scene/mod.rs"]
mod scene;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use debate::model::Event;
use scene::{Scene, answered, opened_as, scene};
use store::{Lease, ListFilter, Store};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

const DEBATES: i64 = 10_000;
const TOGETHER: u64 = 64;

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// An answer of about four kilobytes.
fn answer() -> Event {
    answered(1, 0, &"a word and ".repeat(180), Some(1_000))
}

async fn claims(scene: &Scene, count: u64) -> Vec<(Lease, u64)> {
    let mut claims = Vec::new();
    for number in 0..count {
        claims.push((scene.debate(&format!("run{number}")).await, 1));
    }
    claims
}

fn appends(criterion: &mut Criterion) {
    let runtime = runtime();
    let scene = runtime.block_on(scene());
    let mut claims = runtime.block_on(claims(&scene, TOGETHER));
    let mut group = criterion.benchmark_group("append");
    group.throughput(Throughput::Elements(1));
    group.bench_function("alone", |bench| {
        bench.iter(|| {
            let (claim, last) = &mut claims[0];
            let added = runtime.block_on(scene.store.append(claim, *last, 1, &[answer()]));
            *last = added.expect("an append");
        });
    });
    group.throughput(Throughput::Elements(TOGETHER));
    group.bench_function("64 at once", |bench| {
        bench.iter(|| {
            runtime.block_on(async {
                let mut tasks = JoinSet::new();
                for (claim, last) in claims.drain(..) {
                    let store = scene.store.clone();
                    tasks.spawn(async move {
                        let added = store.append(&claim, last, 1, &[answer()]).await;
                        (claim, added.expect("an append"))
                    });
                }
                claims = tasks.join_all().await;
            });
        });
    });
    group.finish();
}

async fn ten_thousand() -> Scene {
    let scene = scene().await;
    let mut tasks = JoinSet::new();
    for number in 0..DEBATES {
        let store = scene.store.clone();
        tasks.spawn(async move {
            let mode = if number % 10 == 0 { "delphi" } else { "collaborative" };
            let mut events = vec![opened_as(&format!("Question number {number}?"), mode)];
            if number % 100 == 0 {
                events.push(Event::Started);
            }
            store.create(&format!("d{number:05}"), number, &events).await.expect("a debate");
        });
    }
    tasks.join_all().await;
    scene
}

fn reading(criterion: &mut Criterion) {
    let runtime = runtime();
    let scene = runtime.block_on(ten_thousand());
    let any = ListFilter::default;
    let cases = [
        ("newest 50", any()),
        ("all", ListFilter { limit: Some(20_000), ..any() }),
        ("by status", ListFilter { status: Some("active".into()), ..any() }),
        ("by mode", ListFilter { mode: Some("delphi".into()), ..any() }),
        ("search, one hit", ListFilter { text: Some("number 42?".into()), ..any() }),
    ];
    let mut group = criterion.benchmark_group("of 10000 debates");
    for (name, filter) in cases {
        group.bench_function(format!("list {name}"), |bench| {
            bench.iter(|| runtime.block_on(scene.store.list(&filter)).expect("a listing"));
        });
    }
    group.bench_function("find", |bench| {
        bench.iter(|| runtime.block_on(scene.store.find("d0420")).err());
    });
    group.bench_function("open and list", |bench| {
        bench.iter_batched(
            || (),
            |()| {
                runtime.block_on(async {
                    let store = Store::open(&scene.path).await.expect("a store");
                    store.list(&any()).await.expect("a listing");
                });
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("quick check", |bench| {
        bench.iter(|| runtime.block_on(scene.store.quick_check()).expect("a sound file"));
    });
    group.finish();
}

/// Words that differ, so that an index of them has something to do.
fn prose(number: u64, words: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for _ in 0..words {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Frequent words are frequent: the square of an even share.
        let share = (state >> 40) as f64 / f64::from(1 << 24);
        text.push_str(&format!("word{} ", (share * share * 8_000.0) as u32));
    }
    text
}

/// Ten thousand debates of three answers of some two kilobytes each.
async fn ten_thousand_with_answers() -> Scene {
    let scene = scene().await;
    let mut tasks = JoinSet::new();
    for number in 0..DEBATES as u64 {
        let store = scene.store.clone();
        tasks.spawn(async move {
            let mut events = vec![opened_as(&format!("Question number {number}?"), "delphi")];
            for seat in 0..3 {
                let mut said = prose(number * 3 + seat, 110);
                if number % 1_000 == 0 {
                    said.push_str("a quixotic zephyr");
                }
                events.push(answered(1, 0, &said, Some(1_000)));
            }
            let at = i64::try_from(number).unwrap_or(0);
            store.create(&format!("d{number:05}"), at, &events).await.expect("a debate");
        });
    }
    tasks.join_all().await;
    scene
}

fn searching(criterion: &mut Criterion) {
    let runtime = runtime();
    let scene = runtime.block_on(ten_thousand_with_answers());
    let mut group = criterion.benchmark_group("in the answers of 10000 debates");
    for (name, text) in [
        ("ten hits", "quixotic zephyr"),
        ("no hit", "walrus"),
        ("a word of a tenth of them", "word77 "),
        ("the beginning of most words", "word"),
        ("without the index", "漢字"),
    ] {
        let filter =
            ListFilter { text: Some(text.into()), limit: Some(20), ..ListFilter::default() };
        group.bench_function(format!("search, {name}"), |bench| {
            bench.iter(|| runtime.block_on(scene.store.list(&filter)).expect("a listing"));
        });
    }
    group.finish();
    let size = std::fs::metadata(&scene.path).map_or(0, |about| about.len());
    println!("the file has {} MB", size / 1_000_000);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = appends, reading, searching
}
criterion_main!(benches);
