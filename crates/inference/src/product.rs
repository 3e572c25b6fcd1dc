//! The inner loops: everything here is compiled once for each kind of processor
//! and chosen when the program runs. Plain numbers in, plain numbers out; no
//! threads and no files.

use fearless_simd::{Simd, f32x16, i16x32, i32x16, prelude::*, u16x32};

use crate::kinds::BLOCK;
use crate::packing::{ABREAST, MatrixInput, MatrixInputPart, RegisterWords, StepPacking};

/// The number of tokens processed while a weight is in a register.
const TOGETHER: usize = 4;
/// The largest step of an input: 32 of them times a weight of a byte stay far
/// below what 32 bits hold.
const LARGEST: f32 = 32_767.0;

/// Some rows of a matrix, in tiles of sixteen.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<'a> {
    pub blocks: usize,
    pub packing: StepPacking,
    pub words: &'a [RegisterWords],
    pub scales: &'a [[f32; ABREAST]],
    pub offsets: &'a [[f32; ABREAST]],
}

/// Converts numbers to steps, block by block.
#[inline(always)]
pub(crate) fn steps<S: Simd>(_: S, numbers: &[f32], input: &mut MatrixInput) {
    let blocks = numbers.as_chunks::<BLOCK>().0;
    input.pairs.reserve_exact(blocks.len());
    for block in blocks {
        let mut most = [0.0_f32; ABREAST];
        for half in block.as_chunks::<ABREAST>().0 {
            for (most, number) in most.iter_mut().zip(half) {
                *most = most.max(number.abs());
            }
        }
        let size = most.iter().fold(0.0_f32, |most, other| most.max(*other)) / LARGEST;
        let inverse = if size > 0.0 { 1.0 / size } else { 0.0 };
        let whole: [i32; BLOCK] = std::array::from_fn(|at| {
            let step = block[at] * inverse;
            (step + 0.5_f32.copysign(step)) as i32
        });
        let pair = |at: usize| whole[2 * at] & 0xffff | whole[2 * at + 1] << 16;
        input.pairs.push(std::array::from_fn(pair));
        input.sizes.push(size);
        input.sums.push(size * whole.iter().sum::<i32>() as f32);
    }
}

#[inline(always)]
pub(crate) fn product<S: Simd>(
    simd: S,
    tiles: Tiles<'_>,
    input: MatrixInputPart<'_>,
    out: &mut [f32],
) {
    let tokens = input.sums.len() / tiles.blocks;
    let rows = out.len() / tokens.max(1);
    let mut first = 0;
    while first < tokens {
        let some = if tokens - first >= TOGETHER { TOGETHER } else { 1 };
        let range = first * tiles.blocks..(first + some) * tiles.blocks;
        let input = MatrixInputPart {
            pairs: &input.pairs[range.clone()],
            sizes: &input.sizes[range.clone()],
            sums: &input.sums[range],
        };
        let out = &mut out[first * rows..(first + some) * rows];
        match (some, tiles.packing) {
            (TOGETHER, StepPacking::Nibbles) => pass::<S, TOGETHER, 4, 4>(simd, tiles, input, out),
            (TOGETHER, StepPacking::Bytes) => pass::<S, TOGETHER, 8, 2>(simd, tiles, input, out),
            (_, StepPacking::Nibbles) => pass::<S, 1, 4, 4>(simd, tiles, input, out),
            (_, StepPacking::Bytes) => pass::<S, 1, 8, 2>(simd, tiles, input, out),
        }
        first += some;
    }
}

/// `TOKENS` tokens pass every tile once; a block is `WORDS` words of `PLANES`
/// steps.
#[inline(always)]
fn pass<S: Simd, const TOKENS: usize, const WORDS: usize, const PLANES: usize>(
    simd: S,
    tiles: Tiles<'_>,
    input: MatrixInputPart<'_>,
    out: &mut [f32],
) {
    let blocks = tiles.blocks;
    let rows = out.len() / TOKENS;
    let bits = (16 / PLANES) as u32;
    let mask = (1_u16 << bits) - 1;
    let words = tiles.words.as_chunks::<WORDS>().0.chunks_exact(blocks);
    let grids = tiles.scales.chunks_exact(blocks).zip(tiles.offsets.chunks_exact(blocks));
    let pairs: [_; TOKENS] = std::array::from_fn(|t| &input.pairs[t * blocks..][..blocks]);
    let sizes: [_; TOKENS] = std::array::from_fn(|t| &input.sizes[t * blocks..][..blocks]);
    let sums: [_; TOKENS] = std::array::from_fn(|t| &input.sums[t * blocks..][..blocks]);
    for (tile, (words, (scales, offsets))) in words.zip(grids).enumerate() {
        let mut totals = [f32x16::splat(simd, 0.0); TOKENS];
        for block in 0..blocks {
            let mut wholes = [i32x16::splat(simd, 0); TOKENS];
            let own: [&[i32; BLOCK / 2]; TOKENS] = std::array::from_fn(|t| &pairs[t][block]);
            for (at, word) in words[block].iter().enumerate() {
                let word = u16x32::load_array_ref(simd, &word.0);
                for plane in 0..PLANES {
                    let steps: i16x32<S> = ((word >> (bits * plane as u32)) & mask).bitcast();
                    for (whole, own) in wholes.iter_mut().zip(own) {
                        let pair = i32x16::splat(simd, own[at * PLANES + plane]);
                        *whole += steps.pairwise_dot_product(pair.bitcast::<i16x32<S>>());
                    }
                }
            }
            let scale = f32x16::load_array_ref(simd, &scales[block]);
            let offset = f32x16::load_array_ref(simd, &offsets[block]);
            for t in 0..TOKENS {
                let whole = f32x16::float_from(wholes[t]);
                let moved = offset.mul_add(f32x16::splat(simd, sums[t][block]), totals[t]);
                totals[t] = whole.mul_add(scale * sizes[t][block], moved);
            }
        }
        for (total, out) in totals.iter().zip(out.chunks_exact_mut(rows)) {
            let out = &mut out[tile * ABREAST..];
            let count = out.len().min(ABREAST);
            out[..count].copy_from_slice(&total.as_slice()[..count]);
        }
    }
}

/// All queries of some tokens that share one head of keys and values. `keys` and
/// `values` hold `stride` numbers per position, of which this head's begin at
/// `offset`.
#[derive(Clone, Copy)]
pub(crate) struct Attention<'a> {
    /// Token by token, and for each token `group` queries of `size` numbers.
    pub queries: &'a [f32],
    pub group: usize,
    pub size: usize,
    pub keys: &'a [f32],
    pub values: &'a [f32],
    pub stride: usize,
    pub offset: usize,
    /// Positions before the first of the tokens.
    pub start: usize,
}

impl Attention<'_> {
    /// Returns the number of positions that this query looks back over.
    #[inline(always)]
    fn positions(&self, query: usize) -> usize {
        self.start + query / self.group + 1
    }
}

/// Registers that hold one head's numbers at a time.
const ACROSS: usize = 4;
/// The number of positions that stay in the nearest cache while every query looks
/// at them.
const TILE: usize = 32;

/// The size of a query must be a multiple of sixteen. Loops, not closures: a
/// closure that is not inlined is compiled for the plainest processor.
#[inline(always)]
pub(crate) fn attend<S: Simd>(simd: S, this: Attention<'_>, out: &mut [f32]) {
    let size = this.size;
    let count = this.queries.len() / size;
    if count == 0 {
        return;
    }
    let all = this.positions(count - 1);
    let mut scores = vec![0.0_f32; count * all];
    compare(simd, this, &mut scores, all);
    let mut sums = vec![0.0_f32; count];
    for (query, sum) in sums.iter_mut().enumerate() {
        *sum = weigh(&mut scores[query * all..][..this.positions(query)]);
    }
    out.fill(0.0);
    let mut from = 0;
    while from < all {
        let to = all.min(from + TILE);
        for (query, out) in out.chunks_exact_mut(size).enumerate() {
            let to = to.min(this.positions(query));
            if from < to {
                let scores = &scores[query * all..][from..to];
                mix(simd, this, from, scores, out);
            }
        }
        from = to;
    }
    for (out, sum) in out.chunks_exact_mut(size).zip(&sums) {
        for out in out {
            *out /= sum;
        }
    }
}

/// Scores each key against each query.
#[inline(always)]
fn compare<S: Simd>(simd: S, this: Attention<'_>, scores: &mut [f32], all: usize) {
    let size = this.size;
    let scale = 1.0 / (size as f32).sqrt();
    let mut from = 0;
    while from < all {
        let to = all.min(from + TILE);
        for (query, own) in this.queries.chunks_exact(size).enumerate() {
            let to = to.min(this.positions(query));
            let own = own.as_chunks::<ABREAST>().0;
            for position in from..to {
                let key = &this.keys[position * this.stride + this.offset..][..size];
                let mut sum = f32x16::splat(simd, 0.0);
                for (one, other) in own.iter().zip(key.as_chunks::<ABREAST>().0) {
                    let other = f32x16::load_array_ref(simd, other);
                    sum = f32x16::load_array_ref(simd, one).mul_add(other, sum);
                }
                scores[query * all + position] = total(sum) * scale;
            }
        }
        from = to;
    }
}

/// Scores become shares that are still to be divided by the sum returned.
#[inline(always)]
fn weigh(scores: &mut [f32]) -> f32 {
    let (whole, rest) = scores.as_chunks_mut::<ABREAST>();
    let mut most = [f32::NEG_INFINITY; ABREAST];
    for some in whole.iter() {
        for (most, score) in most.iter_mut().zip(some) {
            *most = most.max(*score);
        }
    }
    let mut peak = f32::NEG_INFINITY;
    for score in most.iter().chain(rest.iter()) {
        peak = peak.max(*score);
    }
    let mut sums = [0.0_f32; ABREAST];
    for some in whole {
        for (score, sum) in some.iter_mut().zip(&mut sums) {
            *score = power(*score - peak);
            *sum += *score;
        }
    }
    let mut sum = 0.0;
    for score in rest {
        *score = power(*score - peak);
        sum += *score;
    }
    for part in sums {
        sum += part;
    }
    sum
}

/// Adds the values from position `from` on, each with its share.
#[inline(always)]
fn mix<S: Simd>(simd: S, this: Attention<'_>, from: usize, scores: &[f32], out: &mut [f32]) {
    let (wide, narrow) = out.as_chunks_mut::<{ ACROSS * ABREAST }>();
    let mut offset = this.offset;
    for out in wide {
        add_values::<S, ACROSS>(simd, this, from, offset, scores, out);
        offset += ACROSS * ABREAST;
    }
    for out in narrow.as_chunks_mut::<ABREAST>().0 {
        add_values::<S, 1>(simd, this, from, offset, scores, out);
        offset += ABREAST;
    }
}

#[inline(always)]
fn add_values<S: Simd, const REGISTERS: usize>(
    simd: S,
    this: Attention<'_>,
    from: usize,
    offset: usize,
    scores: &[f32],
    out: &mut [f32],
) {
    let out = out.as_chunks_mut::<ABREAST>().0;
    let mut mixed = [f32x16::splat(simd, 0.0); REGISTERS];
    for (mixed, out) in mixed.iter_mut().zip(out.iter()) {
        *mixed = f32x16::load_array_ref(simd, out);
    }
    for (position, score) in (from..).zip(scores) {
        let start = position * this.stride + offset;
        let values = this.values[start..start + REGISTERS * ABREAST].as_chunks::<ABREAST>().0;
        let score = f32x16::splat(simd, *score);
        for (mixed, value) in mixed.iter_mut().zip(values) {
            *mixed = f32x16::load_array_ref(simd, value).mul_add(score, *mixed);
        }
    }
    for (out, mixed) in out.iter_mut().zip(mixed) {
        mixed.store_array(out);
    }
}

#[inline(always)]
pub(crate) fn open_gate<S: Simd>(_: S, gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + power(-*gate)) * up;
    }
}

#[inline(always)]
fn total<S: Simd>(numbers: f32x16<S>) -> f32 {
    let (low, high) = numbers.split();
    let (low, high) = (low + high).split();
    let [a, b, c, d] = *(low + high);
    (a + c) + (b + d)
}

/// e to the power of `x`, to seven digits: the library's own cannot be computed
/// several numbers at a time. 2^n comes from the exponent's bits, the rest of
/// the way is a short series.
#[inline(always)]
pub(crate) fn power(x: f32) -> f32 {
    // Rounds by pushing the fraction out of the number.
    const PUSH: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let pushed = x * std::f32::consts::LOG2_E + PUSH;
    let whole = pushed - PUSH;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let mut series = 1.0 / 5040.0;
    for term in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * rest + term;
    }
    let exponent = (pushed.to_bits().wrapping_sub(PUSH.to_bits()).wrapping_add(127)) << 23;
    series * f32::from_bits(exponent)
}
