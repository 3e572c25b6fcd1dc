//! The formats in which numbers are packed in a weights file: one row per format.
//! A format is either a list of plain numbers or whole steps on a grid for every
//! 32; the grids are kept as they are, so that nothing is rounded twice.

/// The number of numbers that share one grid.
pub(crate) const BLOCK: usize = 32;

/// Numbers as whole steps: each is `scale` times its step, plus `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grid {
    pub scale: f32,
    pub offset: f32,
    pub steps: [u8; BLOCK],
}

impl Grid {
    /// The finest grid of bytes that holds these numbers.
    pub fn of(numbers: &[f32; BLOCK]) -> Grid {
        let least = numbers.iter().fold(f32::INFINITY, |least, number| least.min(*number));
        let most = numbers.iter().fold(f32::NEG_INFINITY, |most, number| most.max(*number));
        let scale = (most - least) / 255.0;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        // What is no number becomes step 0; a model with such weights is noise anyway.
        let steps = numbers.map(|number| ((number - least) * inverse).round() as u8);
        Grid { scale, offset: least, steps }
    }

    pub fn numbers(&self) -> [f32; BLOCK] {
        self.steps.map(|step| self.scale * f32::from(step) + self.offset)
    }
}

/// One way of packing numbers: so many to a block of so many bytes.
#[derive(Debug)]
pub(crate) struct BlockFormat {
    code: u32,
    name: &'static str,
    pub block: usize,
    pub bytes: usize,
    unpack: Unpack,
}

#[derive(Debug)]
enum Unpack {
    Numbers(fn(&[u8], &mut Vec<f32>)),
    Grids(fn(&[u8], &mut Vec<Grid>)),
}

use Unpack::{Grids, Numbers};

#[rustfmt::skip] // One row per kind reads best.
static KINDS: &[BlockFormat] = &[
    BlockFormat { code: 0, name: "F32", block: 1, bytes: 4, unpack: Numbers(f32s) },
    BlockFormat { code: 1, name: "F16", block: 1, bytes: 2, unpack: Numbers(f16s) },
    BlockFormat { code: 2, name: "Q4_0", block: 32, bytes: 18, unpack: Grids(|b, o| blocks(b, o, q4_0)) },
    BlockFormat { code: 3, name: "Q4_1", block: 32, bytes: 20, unpack: Grids(|b, o| blocks(b, o, q4_1)) },
    BlockFormat { code: 6, name: "Q5_0", block: 32, bytes: 22, unpack: Grids(|b, o| blocks(b, o, q5_0)) },
    BlockFormat { code: 7, name: "Q5_1", block: 32, bytes: 24, unpack: Grids(|b, o| blocks(b, o, q5_1)) },
    BlockFormat { code: 8, name: "Q8_0", block: 32, bytes: 34, unpack: Grids(|b, o| blocks(b, o, q8_0)) },
    BlockFormat { code: 12, name: "Q4_K", block: 256, bytes: 144, unpack: Grids(|b, o| blocks(b, o, q4_k)) },
    BlockFormat { code: 13, name: "Q5_K", block: 256, bytes: 176, unpack: Grids(|b, o| blocks(b, o, q5_k)) },
    BlockFormat { code: 14, name: "Q6_K", block: 256, bytes: 210, unpack: Numbers(|b, o| blocks(b, o, q6_k)) },
    BlockFormat { code: 30, name: "BF16", block: 1, bytes: 2, unpack: Numbers(bf16s) },
];

impl BlockFormat {
    pub fn numbers(&self, bytes: &[u8]) -> Vec<f32> {
        match self.unpack {
            Numbers(unpack) => filled(bytes, unpack),
            Grids(unpack) => filled(bytes, unpack).iter().flat_map(Grid::numbers).collect(),
        }
    }

    /// A last block that is not full is left out.
    pub fn grids(&self, bytes: &[u8]) -> Vec<Grid> {
        match self.unpack {
            Numbers(unpack) => filled(bytes, unpack).as_chunks().0.iter().map(Grid::of).collect(),
            Grids(unpack) => filled(bytes, unpack),
        }
    }
}

fn filled<T>(bytes: &[u8], unpack: fn(&[u8], &mut Vec<T>)) -> Vec<T> {
    let mut out = Vec::new();
    unpack(bytes, &mut out);
    out
}

/// Kinds that exist and are not read, so that a message can name them.
const NOT_READ: &[(u32, &str)] = &[
    (10, "Q2_K"),
    (11, "Q3_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (23, "IQ4_XS"),
];

pub(crate) fn find(code: u32) -> Option<&'static BlockFormat> {
    KINDS.iter().find(|kind| kind.code == code)
}

pub(crate) fn name(code: u32) -> String {
    let known = NOT_READ.iter().find(|(other, _)| *other == code);
    known.map_or_else(|| format!("an unknown kind ({code})"), |(_, name)| (*name).to_owned())
}

pub(crate) fn all_names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}

fn f32s(bytes: &[u8], out: &mut Vec<f32>) {
    out.extend(bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)));
}

fn f16s(bytes: &[u8], out: &mut Vec<f32>) {
    out.extend(bytes.as_chunks().0.iter().map(|two| half(*two)));
}

fn bf16s(bytes: &[u8], out: &mut Vec<f32>) {
    let wide = |two: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*two)) << 16);
    out.extend(bytes.as_chunks().0.iter().map(wide));
}

/// A number of 16 bits, as IEEE 754 packs it.
fn half(bytes: [u8; 2]) -> f32 {
    let bits = u16::from_le_bytes(bytes);
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10) & 0x1f, u32::from(bits) & 0x3ff);
    let magnitude = match exponent {
        // Too small for a leading one: the fraction counts in steps of 2^-24.
        0 => (fraction as f32 / 16_777_216.0).to_bits(),
        0x1f => 0x7f80_0000 | (fraction << 13),
        _ => ((exponent + 112) << 23) | (fraction << 13),
    };
    f32::from_bits(sign | magnitude)
}

fn blocks<const N: usize, const M: usize, T>(
    bytes: &[u8],
    out: &mut Vec<T>,
    block: fn(&[u8; N]) -> [T; M],
) {
    out.reserve_exact(bytes.len() / N * M);
    for packed in bytes.as_chunks::<N>().0 {
        out.extend(block(packed));
    }
}

fn q4_0(packed: &[u8; 18]) -> [Grid; 1] {
    let scale = half([packed[0], packed[1]]);
    [Grid { scale, offset: -8.0 * scale, steps: nibbles(&packed[2..], 0) }]
}

fn q4_1(packed: &[u8; 20]) -> [Grid; 1] {
    let (scale, offset) = (half([packed[0], packed[1]]), half([packed[2], packed[3]]));
    [Grid { scale, offset, steps: nibbles(&packed[4..], 0) }]
}

fn q5_0(packed: &[u8; 22]) -> [Grid; 1] {
    let scale = half([packed[0], packed[1]]);
    let high = u32::from_le_bytes([packed[2], packed[3], packed[4], packed[5]]);
    [Grid { scale, offset: -16.0 * scale, steps: nibbles(&packed[6..], high) }]
}

fn q5_1(packed: &[u8; 24]) -> [Grid; 1] {
    let (scale, offset) = (half([packed[0], packed[1]]), half([packed[2], packed[3]]));
    let high = u32::from_le_bytes([packed[4], packed[5], packed[6], packed[7]]);
    [Grid { scale, offset, steps: nibbles(&packed[8..], high) }]
}

fn q8_0(packed: &[u8; 34]) -> [Grid; 1] {
    let scale = half([packed[0], packed[1]]);
    // Signed bytes, counted from the least of them.
    let steps = std::array::from_fn(|at| packed[2 + at] ^ 0x80);
    [Grid { scale, offset: -128.0 * scale, steps }]
}

/// Sixteen bytes hold 32 steps, the first half in the low four bits; `high` has
/// a fifth bit for each.
fn nibbles(bytes: &[u8], high: u32) -> [u8; BLOCK] {
    std::array::from_fn(|at| {
        let byte = bytes.get(at % 16).copied().unwrap_or(0);
        (if at < 16 { byte & 0xf } else { byte >> 4 }) | ((high >> at & 1) << 4) as u8
    })
}

/// The scale and the offset of the `at`-th of eight sub-blocks, six bits each,
/// packed in twelve bytes.
fn six_bits(packed: &[u8; 12], at: usize) -> (f32, f32) {
    let (scale, offset) = match at {
        0..4 => (packed[at] & 63, packed[at + 4] & 63),
        _ => (
            packed[at + 4] & 0xf | (packed[at - 4] >> 6) << 4,
            packed[at + 4] >> 4 | (packed[at] >> 6) << 4,
        ),
    };
    (f32::from(scale), f32::from(offset))
}

fn sub_blocks(head: &[u8; 16], quants: &[u8; 128], high: impl Fn(usize, usize) -> u8) -> [Grid; 8] {
    let (scale, offset) = (half([head[0], head[1]]), half([head[2], head[3]]));
    let steps: [u8; 12] = std::array::from_fn(|at| head[4 + at]);
    std::array::from_fn(|sub| {
        let (step, lift) = six_bits(&steps, sub);
        let steps = std::array::from_fn(|within| {
            let byte = quants[sub / 2 * 32 + within];
            let low = if sub % 2 == 0 { byte & 0xf } else { byte >> 4 };
            low | high(sub, within)
        });
        Grid { scale: scale * step, offset: -offset * lift, steps }
    })
}

fn q4_k(packed: &[u8; 144]) -> [Grid; 8] {
    let head = std::array::from_fn(|at| packed[at]);
    let quants = std::array::from_fn(|at| packed[16 + at]);
    sub_blocks(&head, &quants, |_, _| 0)
}

fn q5_k(packed: &[u8; 176]) -> [Grid; 8] {
    let head = std::array::from_fn(|at| packed[at]);
    let quants = std::array::from_fn(|at| packed[48 + at]);
    sub_blocks(&head, &quants, |sub, within| (packed[16 + within] >> sub & 1) << 4)
}

fn q6_k(packed: &[u8; 210]) -> [f32; 256] {
    let scale = half([packed[208], packed[209]]);
    std::array::from_fn(|at| {
        // Two halves of 128; in each, four runs of 32 share their high bits.
        let (part, run, within) = (at / 128, at % 128 / 32, at % 32);
        let byte = packed[part * 64 + run % 2 * 32 + within];
        let low = if run < 2 { byte & 0xf } else { byte >> 4 };
        let high = packed[128 + part * 32 + within] >> (2 * run) & 3;
        let step = packed[192 + part * 8 + run * 2 + within / 16].cast_signed();
        scale * f32::from(step) * (f32::from(low | high << 4) - 32.0)
    })
}
