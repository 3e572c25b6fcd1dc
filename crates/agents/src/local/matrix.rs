//! Weights as bytes with one scale for every 32 of them, and their product with
//! what flows through the model. Whatever the file used, everything is computed
//! in this one form: one kernel, and no precision lost that the file still had.
//! A crew of threads shares the work and leaves one core to everything else.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;

use super::fault::Fault;

/// How many numbers share one scale.
pub(super) const BLOCK: usize = 32;
/// So many rows of weights stay in the nearest cache while every token of a
/// prompt passes them.
const TILE: usize = 32;

/// Numbers as bytes, block by block.
#[derive(Debug, Clone, Default)]
pub(super) struct Bytes {
    quants: Vec<[i8; BLOCK]>,
    scales: Vec<f32>,
}

impl Bytes {
    /// The length must be a multiple of the block.
    pub fn from_numbers(numbers: &[f32]) -> Bytes {
        let blocks = numbers.as_chunks::<BLOCK>().0;
        let mut bytes = Bytes {
            quants: Vec::with_capacity(blocks.len()),
            scales: Vec::with_capacity(blocks.len()),
        };
        for block in blocks {
            let largest = block.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
            let scale = largest / 127.0;
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            bytes.quants.push(std::array::from_fn(|at| (block[at] * inverse).round() as i8));
            bytes.scales.push(scale);
        }
        bytes
    }
}

/// A matrix of weights; a product has one number per row.
#[derive(Debug)]
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    bytes: Bytes,
}

impl Matrix {
    pub fn new(numbers: &[f32], [columns, rows]: [usize; 2], name: &str) -> Result<Matrix, Fault> {
        if columns == 0 || rows == 0 || !columns.is_multiple_of(BLOCK) {
            let problem = format!("tensor {name} is {columns} × {rows}, not a multiple of {BLOCK}");
            return Err(Fault::Damaged(problem));
        }
        Ok(Matrix { rows, columns, bytes: Bytes::from_numbers(numbers) })
    }

    fn blocks(&self) -> usize {
        self.columns / BLOCK
    }

    /// One row as plain numbers.
    pub fn row(&self, row: usize) -> Vec<f32> {
        let from = row * self.blocks();
        let range = from..from + self.blocks();
        let (Some(quants), Some(scales)) =
            (self.bytes.quants.get(range.clone()), self.bytes.scales.get(range))
        else {
            return vec![0.0; self.columns];
        };
        let unpack = |(block, scale): (&[i8; BLOCK], &f32)| block.map(|q| f32::from(q) * scale);
        quants.iter().zip(scales).flat_map(unpack).collect()
    }

    /// The product with each of the tokens in `input`, one after the other.
    pub fn times(&self, input: &[f32], crew: &Crew) -> Vec<f32> {
        let tokens = input.len() / self.columns;
        let input = Bytes::from_numbers(input);
        let mut out = vec![0.0; tokens * self.rows];
        if crew.threads == 1 {
            crew.product(self, 0, &input, &mut out);
        } else if tokens == 1 {
            let share = self.rows.div_ceil(crew.threads).max(1);
            crew.share(&mut out, share, |part, out| {
                crew.product(self, part * share, &input, out);
            });
        } else {
            let share = tokens.div_ceil(crew.threads).max(1);
            let blocks = share * self.blocks();
            crew.share(&mut out, share * self.rows, |part, out| {
                let to = ((part + 1) * blocks).min(input.scales.len());
                let range = (part * blocks).min(to)..to;
                let mine = Bytes {
                    quants: input.quants[range.clone()].to_vec(),
                    scales: input.scales[range].to_vec(),
                };
                crew.product(self, 0, &mine, out);
            });
        }
        out
    }
}

/// The threads that compute together.
#[derive(Debug)]
pub(super) struct Crew {
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    level: Level,
}

impl Crew {
    /// As many threads as there are cores but one: threads that wait for each
    /// other on a full machine cost far more than the core they add.
    pub fn of_this_machine() -> Crew {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Crew::of(cores.saturating_sub(1))
    }

    pub fn of(threads: usize) -> Crew {
        let name = |number| format!("model-{number}");
        let pool = (threads > 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name))
            .and_then(|builder| builder.build().ok());
        let threads = if pool.is_some() { threads } else { 1 };
        Crew { threads, pool, level: Level::new() }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `work` for each part of `out` with the number of the part.
    pub fn share(
        &self,
        out: &mut [f32],
        size: usize,
        work: impl Fn(usize, &mut [f32]) + Send + Sync,
    ) {
        let size = size.max(1);
        match &self.pool {
            None => out.chunks_mut(size).enumerate().for_each(|(part, out)| work(part, out)),
            Some(pool) => pool.install(|| {
                out.par_chunks_mut(size).enumerate().for_each(|(part, out)| work(part, out));
            }),
        }
    }

    /// Rows from `from` on, times every token; `out` says how many of each.
    fn product(&self, matrix: &Matrix, from: usize, input: &Bytes, out: &mut [f32]) {
        dispatch!(self.level, simd => product(simd, matrix, from, input, out));
    }

    /// One head's look back over everything read so far.
    pub fn attend(&self, attention: Attention<'_>, out: &mut [f32], scores: &mut Vec<f32>) {
        dispatch!(self.level, simd => attend(simd, attention, out, scores));
    }
}

#[inline(always)]
fn product<S: Simd>(_: S, matrix: &Matrix, from: usize, input: &Bytes, out: &mut [f32]) {
    let blocks = matrix.columns / BLOCK;
    let tokens = input.scales.len() / blocks;
    let rows = out.len() / tokens.max(1);
    let mut first = 0;
    while first < rows {
        let count = TILE.min(rows - first);
        let start = (from + first) * blocks;
        let quants = &matrix.bytes.quants[start..start + count * blocks];
        let scales = &matrix.bytes.scales[start..start + count * blocks];
        let input = input.quants.chunks_exact(blocks).zip(input.scales.chunks_exact(blocks));
        for ((token, steps), out) in input.zip(out.chunks_exact_mut(rows)) {
            let weights = quants.chunks_exact(blocks).zip(scales.chunks_exact(blocks));
            for ((row, own), out) in weights.zip(&mut out[first..first + count]) {
                *out = dot(row, own, token, steps);
            }
        }
        first += count;
    }
}

#[inline(always)]
fn dot(row: &[[i8; BLOCK]], own: &[f32], token: &[[i8; BLOCK]], steps: &[f32]) -> f32 {
    let mut sum = 0.0;
    for ((row, own), (token, step)) in row.iter().zip(own).zip(token.iter().zip(steps)) {
        let mut whole = 0_i32;
        for (one, other) in row.iter().zip(token) {
            whole += i32::from(*one) * i32::from(*other);
        }
        sum += whole as f32 * (own * step);
    }
    sum
}

/// One head of one token looking back: `keys` and `values` hold `stride`
/// numbers per position, of which this head's begin at `offset`.
#[derive(Clone, Copy)]
pub(super) struct Attention<'a> {
    pub query: &'a [f32],
    pub keys: &'a [f32],
    pub values: &'a [f32],
    pub stride: usize,
    pub offset: usize,
    pub positions: usize,
}

/// Sums run in this many lanes, because a single running sum cannot be computed
/// several numbers at a time.
const LANES: usize = 16;

#[inline(always)]
fn attend<S: Simd>(_: S, this: Attention<'_>, out: &mut [f32], scores: &mut Vec<f32>) {
    let size = this.query.len();
    let part = this.offset..this.offset + size;
    let scale = 1.0 / (size as f32).sqrt();
    scores.clear();
    let keys = this.keys.chunks_exact(this.stride).take(this.positions);
    scores.extend(keys.map(|key| lanes(this.query, &key[part.clone()]) * scale));
    let most = scores.iter().fold(f32::NEG_INFINITY, |most, score| most.max(*score));
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    out.fill(0.0);
    let values = this.values.chunks_exact(this.stride);
    for (value, score) in values.zip(scores.iter()) {
        let share = score / sum;
        for (out, value) in out.iter_mut().zip(&value[part.clone()]) {
            *out += share * value;
        }
    }
}

#[inline(always)]
fn lanes(one: &[f32], other: &[f32]) -> f32 {
    let (ones, rest) = one.as_chunks::<LANES>();
    let (others, other_rest) = other.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (one, other) in ones.iter().zip(others) {
        for at in 0..LANES {
            sums[at] += one[at] * other[at];
        }
    }
    let tail: f32 = rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + tail
}
