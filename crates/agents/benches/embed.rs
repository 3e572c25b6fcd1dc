//! How fast the static embedder is: opening the table, one position, a debate's
//! worth of positions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::hint::black_box;
use std::time::Instant;

use agents::embed::{StaticEmbedder, TextVector, own_pairs};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn embed(criterion: &mut Criterion) {
    let embedder = StaticEmbedder::new();
    // Opened once per process, so it can be timed only once.
    let start = Instant::now();
    let first = embedder.vector("open the table");
    println!("opening the table and the first text: {:?}", start.elapsed());
    println!("table and vocabulary: {} bytes", StaticEmbedder::BYTES);
    assert!(matches!(first, Ok(TextVector::Placed(_))));

    let texts: Vec<String> =
        own_pairs().unwrap_or_default().into_iter().flat_map(|pair| [pair.a, pair.b]).collect();
    let position = texts.iter().take(12).cloned().collect::<Vec<_>>().join(" ");

    let mut group = criterion.benchmark_group("static embedder");
    group.throughput(Throughput::Elements(texts.len() as u64));
    group.bench_function("statements of one sentence", |bencher| {
        bencher.iter(|| {
            for text in &texts {
                let _ = black_box(embedder.vector(black_box(text)));
            }
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("a position of twelve sentences", |bencher| {
        bencher.iter(|| embedder.vector(black_box(&position)));
    });
    group.finish();
}

criterion_group!(benches, embed);
criterion_main!(benches);
