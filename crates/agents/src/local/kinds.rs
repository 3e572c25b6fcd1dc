//! How numbers are packed in a weights file: one row per kind. Every kind is
//! unpacked to plain numbers; how they are computed with is decided elsewhere.

/// One way of packing numbers: so many to a block of so many bytes.
#[derive(Debug)]
pub(super) struct Kind {
    code: u32,
    name: &'static str,
    pub block: usize,
    pub bytes: usize,
    pub decode: fn(&[u8], &mut Vec<f32>),
}

#[rustfmt::skip] // One row per kind reads best.
static KINDS: &[Kind] = &[
    Kind { code: 0, name: "F32", block: 1, bytes: 4, decode: f32s },
    Kind { code: 1, name: "F16", block: 1, bytes: 2, decode: f16s },
    Kind { code: 2, name: "Q4_0", block: 32, bytes: 18, decode: |b, o| blocks(b, o, q4_0) },
    Kind { code: 3, name: "Q4_1", block: 32, bytes: 20, decode: |b, o| blocks(b, o, q4_1) },
    Kind { code: 6, name: "Q5_0", block: 32, bytes: 22, decode: |b, o| blocks(b, o, q5_0) },
    Kind { code: 7, name: "Q5_1", block: 32, bytes: 24, decode: |b, o| blocks(b, o, q5_1) },
    Kind { code: 8, name: "Q8_0", block: 32, bytes: 34, decode: |b, o| blocks(b, o, q8_0) },
    Kind { code: 12, name: "Q4_K", block: 256, bytes: 144, decode: |b, o| blocks(b, o, q4_k) },
    Kind { code: 13, name: "Q5_K", block: 256, bytes: 176, decode: |b, o| blocks(b, o, q5_k) },
    Kind { code: 14, name: "Q6_K", block: 256, bytes: 210, decode: |b, o| blocks(b, o, q6_k) },
    Kind { code: 30, name: "BF16", block: 1, bytes: 2, decode: bf16s },
];

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

pub(super) fn find(code: u32) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.code == code)
}

pub(super) fn name(code: u32) -> String {
    let known = NOT_READ.iter().find(|(other, _)| *other == code);
    known.map_or_else(|| format!("an unknown kind ({code})"), |(_, name)| (*name).to_owned())
}

pub(super) fn all_names() -> Vec<&'static str> {
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

fn blocks<const N: usize, const M: usize>(
    bytes: &[u8],
    out: &mut Vec<f32>,
    block: fn(&[u8; N]) -> [f32; M],
) {
    out.reserve(bytes.len() / N * M);
    for packed in bytes.as_chunks::<N>().0 {
        out.extend(block(packed));
    }
}

fn q4_0(packed: &[u8; 18]) -> [f32; 32] {
    let scale = half([packed[0], packed[1]]);
    nibbles(&packed[2..], |low, _| scale * (f32::from(low) - 8.0))
}

fn q4_1(packed: &[u8; 20]) -> [f32; 32] {
    let (scale, least) = (half([packed[0], packed[1]]), half([packed[2], packed[3]]));
    nibbles(&packed[4..], |low, _| scale * f32::from(low) + least)
}

fn q5_0(packed: &[u8; 22]) -> [f32; 32] {
    let scale = half([packed[0], packed[1]]);
    let high = u32::from_le_bytes([packed[2], packed[3], packed[4], packed[5]]);
    nibbles(&packed[6..], |low, at| scale * (f32::from(low | fifth(high, at)) - 16.0))
}

fn q5_1(packed: &[u8; 24]) -> [f32; 32] {
    let (scale, least) = (half([packed[0], packed[1]]), half([packed[2], packed[3]]));
    let high = u32::from_le_bytes([packed[4], packed[5], packed[6], packed[7]]);
    nibbles(&packed[8..], |low, at| scale * f32::from(low | fifth(high, at)) + least)
}

fn q8_0(packed: &[u8; 34]) -> [f32; 32] {
    let scale = half([packed[0], packed[1]]);
    std::array::from_fn(|at| scale * f32::from(packed[2 + at].cast_signed()))
}

/// Sixteen bytes hold 32 numbers: the first half in the low four bits.
fn nibbles(bytes: &[u8], number: impl Fn(u8, usize) -> f32) -> [f32; 32] {
    std::array::from_fn(|at| {
        let byte = bytes.get(at % 16).copied().unwrap_or(0);
        number(if at < 16 { byte & 0xf } else { byte >> 4 }, at)
    })
}

fn fifth(high: u32, at: usize) -> u8 {
    ((high >> at & 1) << 4) as u8
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

fn sub_blocks(
    head: &[u8; 16],
    quants: &[u8; 128],
    high: impl Fn(usize, usize) -> u8,
) -> [f32; 256] {
    let (scale, offset) = (half([head[0], head[1]]), half([head[2], head[3]]));
    let steps: [u8; 12] = std::array::from_fn(|at| head[4 + at]);
    let steps: [(f32, f32); 8] = std::array::from_fn(|at| six_bits(&steps, at));
    std::array::from_fn(|at| {
        let (sub, within) = (at / 32, at % 32);
        let byte = quants[sub / 2 * 32 + within];
        let low = if sub % 2 == 0 { byte & 0xf } else { byte >> 4 };
        let (step, lift) = steps[sub];
        scale * step * f32::from(low | high(sub, within)) - offset * lift
    })
}

fn q4_k(packed: &[u8; 144]) -> [f32; 256] {
    let head = std::array::from_fn(|at| packed[at]);
    let quants = std::array::from_fn(|at| packed[16 + at]);
    sub_blocks(&head, &quants, |_, _| 0)
}

fn q5_k(packed: &[u8; 176]) -> [f32; 256] {
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
