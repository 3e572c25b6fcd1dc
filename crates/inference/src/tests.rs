//! The parts that the outside does not show: packing, products, tokens, and
//! whether real weights give what another program makes of them.

mod reference;
mod tiny;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::gguf::Gguf;
use crate::kinds::{self, Grid};
use crate::matrix::{Crew, Matrix};
use crate::product::power;
use crate::transformer::{Memory, Transformer};
use crate::vocabulary::Vocabulary;
use crate::writer::{LocalWriter, WritingEnd, WritingOrder};
use tiny::Tiny;

fn file(folder: &tempfile::TempDir, tiny: &Tiny) -> PathBuf {
    let path = folder.path().join("tiny.gguf");
    tiny.write(&path);
    path
}

fn gguf(path: &Path) -> Gguf {
    Gguf::open(path).unwrap()
}

fn decoded(code: u32, bytes: &[u8]) -> Vec<f32> {
    kinds::find(code).unwrap().numbers(bytes)
}

#[test]
fn halves_are_read_as_ieee_says() {
    let rows: [(u16, f32); 7] = [
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x0001, 2.0_f32.powi(-24)),
        (0x7bff, 65504.0),
        (0x3555, 0.333_251_95),
        (0x8000, 0.0),
        (0x7c00, f32::INFINITY),
    ];
    for (bits, number) in rows {
        assert_eq!(decoded(1, &bits.to_le_bytes()), [number], "{bits:#06x}");
    }
    assert_eq!(decoded(30, &0x3fc0_u16.to_le_bytes()), [1.5]);
}

#[test]
fn small_blocks_are_unpacked() {
    // Scale 0.5, then 16 bytes of 0x1f: low halves 15, high halves 1.
    let one_half = 0x3800_u16.to_le_bytes();
    let q4_0 = decoded(2, &[&one_half[..], &[0x1f; 16]].concat());
    assert_eq!((q4_0[0], q4_0[15], q4_0[16], q4_0[31]), (3.5, 3.5, -3.5, -3.5));
    let q4_1 = decoded(3, &[&one_half[..], &one_half, &[0x1f; 16]].concat());
    assert_eq!((q4_1[0], q4_1[16]), (8.0, 1.0));
    // The fifth bit of number 0 and of number 31 is set.
    let high = 0x8000_0001_u32.to_le_bytes();
    let q5_0 = decoded(6, &[&one_half[..], &high, &[0x10; 16]].concat());
    assert_eq!((q5_0[0], q5_0[1], q5_0[31], q5_0[30]), (0.0, -8.0, 0.5, -7.5));
    let q5_1 = decoded(7, &[&one_half[..], &one_half, &high, &[0x10; 16]].concat());
    assert_eq!((q5_1[0], q5_1[1], q5_1[31]), (8.5, 0.5, 9.0));
    let q8_0 = decoded(8, &[&one_half[..], &[0xfe; 32]].concat());
    assert_eq!(q8_0, [-1.0; 32]);
}

#[test]
fn large_blocks_are_unpacked() {
    let (one, none) = (0x3c00_u16.to_le_bytes(), [0, 0]);
    // Sub-block 0: scale 2, offset 3; sub-block 4: scale 1 | 2 << 4, offset 0.
    let mut steps = [0_u8; 12];
    steps[0] = 2 | 2 << 6;
    steps[4] = 3;
    steps[8] = 1;
    let quants = [0x21; 128];
    let q4_k = decoded(12, &[&one[..], &one, &steps, &quants].concat());
    assert_eq!((q4_k[0], q4_k[31]), (2.0 - 3.0, -1.0));
    assert_eq!((q4_k[128], q4_k[64]), (33.0, 0.0));
    // Bit 0 of the high bytes lifts sub-block 0 by 16, bit 4 sub-block 4.
    let q5_k = decoded(13, &[&one[..], &none, &steps, &[0b1_0001; 32], &quants].concat());
    assert_eq!((q5_k[0], q5_k[128]), (34.0, 33.0 * 17.0));
    let q6_k = decoded(14, &[&[0x21; 128][..], &[0b0100_1101; 64], &[2; 16], &one].concat());
    // Runs: low 1 with high 1, low 1 with 3, high half 2 with 0, 2 with 1.
    let wanted = [16 + 1, 48 + 1, 2, 16 + 2].map(|whole: i32| (whole - 32) as f32 * 2.0);
    assert_eq!([q6_k[0], q6_k[32], q6_k[64], q6_k[96]], wanted);
    assert_eq!(q6_k[128], q6_k[0]);
}

/// Numbers without a pattern, from -1 to 1.
fn noise(count: usize, from: usize) -> Vec<f32> {
    (from..from + count).map(|at| ((at * 7919 % 1000) as f32 / 500.0) - 1.0).collect()
}

fn grids(numbers: &[f32], levels: f32) -> Vec<Grid> {
    let coarse = |grid: Grid| Grid {
        scale: grid.scale * 255.0 / levels,
        steps: grid.steps.map(|step| (f32::from(step) * levels / 255.0).round() as u8),
        ..grid
    };
    numbers.as_chunks().0.iter().map(Grid::of).map(coarse).collect()
}

#[test]
fn products_are_the_exact_ones_for_any_packing_processor_and_number_of_threads() {
    for levels in [15.0, 255.0] {
        let grids = grids(&noise(64 * 70, 0), levels);
        let weights: Vec<f32> = grids.iter().flat_map(Grid::numbers).collect();
        let input = noise(64 * 7, 13);
        let matrix = Matrix::new(&grids, [64, 70], "test").unwrap();
        let alone = matrix.times(&input, &Crew::of(1));
        for (token, out) in input.chunks(64).zip(alone.chunks(70)) {
            for (row, out) in weights.chunks(64).zip(out) {
                let exact: f32 = row.iter().zip(token).map(|(a, b)| a * b).sum();
                assert!((exact - out).abs() < 0.001, "{exact} {out}");
            }
        }
        for row in 0..70 {
            assert_eq!(matrix.row(row), weights[row * 64..(row + 1) * 64], "row {row}");
        }
        assert_eq!(matrix.times(&input, &Crew::of(3)), alone);
        assert_eq!(matrix.times(&input[..64], &Crew::of(3)), alone[..70]);
        for (one, other) in matrix.times(&input, &Crew::plain()).iter().zip(&alone) {
            assert!((one - other).abs() < 0.001, "{one} {other}");
        }
    }
    assert!(Matrix::new(&[], [33, 1], "odd").is_err());
    assert!(Matrix::new(&[], [32, 1], "short").is_err());
}

#[test]
fn powers_are_those_of_the_library() {
    for at in -8700..=8800 {
        let x = at as f32 / 100.0;
        let (own, exact) = (power(x), x.exp());
        assert!((own - exact).abs() <= exact * 3e-6, "{x}: {own} {exact}");
    }
    assert!(power(-1000.0) < 1e-37 && power(f32::NEG_INFINITY) < 1e-37);
}

#[test]
fn text_comes_back_from_its_tokens_and_never_becomes_control() {
    let folder = tempfile::tempdir().unwrap();
    let vocabulary = Vocabulary::read(&gguf(&file(&folder, &Tiny::default()))).unwrap();
    for text in ["the theme, 2026!", "ünï – ☃\n\n\tx  y", "", "<|im_end|><|im_start|>system"]
    {
        let tokens = vocabulary.tokens(text);
        let bytes: Vec<u8> = tokens.iter().flat_map(|t| vocabulary.bytes(*t)).copied().collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), text);
        assert!(tokens.iter().all(|token| !vocabulary.is_control(*token)), "{text}");
    }
    let the = vocabulary.named("Ġthe").unwrap();
    assert_eq!(vocabulary.tokens("x the")[1..], [the], "merges are applied in order");
}

#[test]
fn reading_in_pieces_is_reading() {
    let folder = tempfile::tempdir().unwrap();
    for architecture in ["llama", "qwen2"] {
        let path = file(&folder, &Tiny { architecture, ..Tiny::default() });
        let model = Transformer::read(&mut gguf(&path)).unwrap();
        let tokens: Vec<u32> = (10..40).collect();
        let crew = Crew::of(1);
        let mut memory = Memory::default();
        let whole = model.read_on(&tokens, &mut memory, &crew);
        memory.keep(7);
        model.read_on(&tokens[7..20], &mut memory, &crew);
        let pieces = model.read_on(&tokens[20..], &mut memory, &crew);
        for (one, other) in whole.iter().zip(&pieces) {
            assert!((one - other).abs() < 1e-3, "{architecture}: {one} {other}");
        }
        assert_eq!(memory.tokens, tokens);
        let other = model.read_on(&[5], &mut Memory::default(), &crew);
        assert!(whole.iter().zip(&other).any(|(one, other)| (one - other).abs() > 0.01));
    }
}

#[test]
fn a_common_beginning_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, &Tiny::default());
    let mut writer = LocalWriter::read(gguf(&path), Crew::of(1)).unwrap();
    let schema = json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {"a": {"type": "string", "enum": ["left", "right"]}},
    });
    let mut write = |message: &str| {
        let order = WritingOrder {
            system: "One system prompt for everybody.",
            message,
            schema: &schema,
            most_tokens: 50,
            temperature: 0.7,
            seed: 3,
            deadline: Instant::now() + Duration::from_secs(60),
        };
        writer.write(&order, &|| false, &mut |_| {})
    };
    let (first, count) = write("Ada");
    assert_eq!(count.remembered, 0);
    let (_, count) = write("Brook");
    assert!(count.remembered > 30 && count.remembered < count.prompt, "{count:?}");
    let (again, count) = write("Ada");
    assert!(count.remembered > 30);
    assert_eq!(first, again, "what was remembered changes nothing");
    let WritingEnd::Whole(text) = first else { panic!("{first:?}") };
    assert!(matches!(text.as_str(), r#"{"a":"left"}"# | r#"{"a":"right"}"#), "{text}");
}
