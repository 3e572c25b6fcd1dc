//! The inner loops: everything here is compiled once for each kind of processor
//! and chosen when the program runs. Plain numbers in, plain numbers out; no
//! threads and no files.

use fearless_simd::{Simd, f32x16, i16x32, i32x16, prelude::*, u16x32};

use crate::kinds::BLOCK;
use crate::matrix::{ABREAST, Input, InputPart, Packing, Words};

/// So many tokens pass a weight while it is in a register.
const TOGETHER: usize = 4;
/// The largest step of an input: 32 of them times a weight of a byte stay far
/// below what 32 bits hold.
const LARGEST: f32 = 32_767.0;

/// Some rows of a matrix, in tiles of sixteen.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<'a> {
    pub blocks: usize,
    pub packing: Packing,
    pub words: &'a [Words],
    pub scales: &'a [[f32; ABREAST]],
    pub offsets: &'a [[f32; ABREAST]],
}

/// Numbers as steps, block by block.
#[inline(always)]
pub(crate) fn steps<S: Simd>(_: S, numbers: &[f32], input: &mut Input) {
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
pub(crate) fn product<S: Simd>(simd: S, tiles: Tiles<'_>, input: InputPart<'_>, out: &mut [f32]) {
    let tokens = input.sums.len() / tiles.blocks;
    let rows = out.len() / tokens.max(1);
    let mut first = 0;
    while first < tokens {
        let some = if tokens - first >= TOGETHER { TOGETHER } else { 1 };
        let range = first * tiles.blocks..(first + some) * tiles.blocks;
        let input = InputPart {
            pairs: &input.pairs[range.clone()],
            sizes: &input.sizes[range.clone()],
            sums: &input.sums[range],
        };
        let out = &mut out[first * rows..(first + some) * rows];
        match (some, tiles.packing) {
            (TOGETHER, Packing::Nibbles) => pass::<S, TOGETHER, 4, 4>(simd, tiles, input, out),
            (TOGETHER, Packing::Bytes) => pass::<S, TOGETHER, 8, 2>(simd, tiles, input, out),
            (_, Packing::Nibbles) => pass::<S, 1, 4, 4>(simd, tiles, input, out),
            (_, Packing::Bytes) => pass::<S, 1, 8, 2>(simd, tiles, input, out),
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
    input: InputPart<'_>,
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
                let word: u16x32<S> = word.0.simd_into(simd);
                for plane in 0..PLANES {
                    let steps: i16x32<S> = ((word >> (bits * plane as u32)) & mask).bitcast();
                    for (whole, own) in wholes.iter_mut().zip(own) {
                        let pair = i32x16::splat(simd, own[at * PLANES + plane]);
                        *whole += steps.pairwise_dot_product(pair.bitcast::<i16x32<S>>());
                    }
                }
            }
            let scale: f32x16<S> = scales[block].simd_into(simd);
            let offset: f32x16<S> = offsets[block].simd_into(simd);
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

/// One head of one token looking back: `keys` and `values` hold `stride`
/// numbers per position, of which this head's begin at `offset`.
#[derive(Clone, Copy)]
pub(crate) struct Attention<'a> {
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
pub(crate) fn attend<S: Simd>(_: S, this: Attention<'_>, out: &mut [f32], scores: &mut Vec<f32>) {
    let size = this.query.len();
    let part = this.offset..this.offset + size;
    let scale = 1.0 / (size as f32).sqrt();
    scores.clear();
    let keys = this.keys.chunks_exact(this.stride).take(this.positions);
    scores.extend(keys.map(|key| lanes(this.query, &key[part.clone()]) * scale));
    let most = scores.iter().fold(f32::NEG_INFINITY, |most, score| most.max(*score));
    scores.iter_mut().for_each(|score| *score = power(*score - most));
    let sum: f32 = total(scores);
    out.fill(0.0);
    let values = this.values.chunks_exact(this.stride);
    for (value, score) in values.zip(scores.iter()) {
        for (out, value) in out.iter_mut().zip(&value[part.clone()]) {
            *out += score * value;
        }
    }
    out.iter_mut().for_each(|out| *out /= sum);
}

#[inline(always)]
pub(crate) fn open_gate<S: Simd>(_: S, gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + power(-*gate)) * up;
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

#[inline(always)]
fn total(numbers: &[f32]) -> f32 {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for numbers in whole {
        for at in 0..LANES {
            sums[at] += numbers[at];
        }
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
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
