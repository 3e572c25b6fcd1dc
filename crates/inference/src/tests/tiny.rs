//! A weights file of a few kilobytes with a made-up model inside: every byte is
//! a token, the weights are noise. Enough to walk every line without a download.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::Path;

pub const WIDTH: usize = 64;
const LAYERS: u32 = 2;
const INNER: usize = 64;
const HEAD: usize = 32;
const CONTROL: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const MERGES: [(&str, &str); 3] = [("t", "h"), ("th", "e"), ("Ġ", "the")];

/// The differences of one file from a sound model, which is the default.
#[derive(Clone)]
pub struct Tiny {
    pub version: u32,
    pub architecture: &'static str,
    pub vocabulary: &'static str,
    pub cut: &'static str,
    pub control: &'static [&'static str],
    pub kind: u32,
    pub leave_out: &'static str,
    pub window: u32,
}

impl Default for Tiny {
    fn default() -> Self {
        Tiny {
            version: 3,
            architecture: "llama",
            vocabulary: "gpt2",
            cut: "smollm",
            control: &CONTROL,
            kind: 0,
            leave_out: "nothing",
            window: 4096,
        }
    }
}

struct Out(Vec<u8>);

impl Out {
    fn text(&mut self, text: &str) {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
    }

    fn head(&mut self, key: &str, kind: u32) {
        self.text(key);
        self.0.extend(kind.to_le_bytes());
    }

    fn whole(&mut self, key: &str, value: u32) {
        self.head(key, 4);
        self.0.extend(value.to_le_bytes());
    }

    fn words(&mut self, key: &str, value: &str) {
        self.head(key, 8);
        self.text(value);
    }

    fn list<T>(&mut self, key: &str, kind: u32, items: &[T], mut write: impl FnMut(&mut Out, &T)) {
        self.head(key, 9);
        self.0.extend(kind.to_le_bytes());
        self.0.extend((items.len() as u64).to_le_bytes());
        items.iter().for_each(|item| write(self, item));
    }
}

/// Every byte as vocabularies of this kind print it.
fn letters() -> Vec<String> {
    let mut next = 0x100;
    (0..=255_u32)
        .map(|byte| {
            let printable = matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
            let code = if printable { byte } else { next };
            next += u32::from(!printable);
            char::from_u32(code).unwrap().to_string()
        })
        .collect()
}

impl Tiny {
    pub fn write(&self, path: &Path) {
        std::fs::write(path, self.bytes()).unwrap();
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut tokens: Vec<String> = self.control.iter().map(|name| (*name).to_owned()).collect();
        tokens.extend(letters());
        tokens.extend(MERGES.iter().map(|(one, other)| format!("{one}{other}")));
        let tensors = self.tensors(tokens.len());
        let mut out = Out(b"GGUF".to_vec());
        out.0.extend(self.version.to_le_bytes());
        out.0.extend((tensors.len() as u64).to_le_bytes());
        out.0.extend(13_u64.to_le_bytes());
        let a = self.architecture;
        out.words("general.architecture", a);
        out.whole(&format!("{a}.block_count"), LAYERS);
        out.whole(&format!("{a}.context_length"), self.window);
        out.whole(&format!("{a}.embedding_length"), WIDTH as u32);
        out.whole(&format!("{a}.feed_forward_length"), INNER as u32);
        out.whole(&format!("{a}.attention.head_count"), (WIDTH / HEAD) as u32);
        out.whole(&format!("{a}.attention.head_count_kv"), 1);
        out.words("tokenizer.ggml.model", self.vocabulary);
        out.words("tokenizer.ggml.pre", self.cut);
        out.list("tokenizer.ggml.tokens", 8, &tokens, |out, token| out.text(token));
        let kinds: Vec<i32> =
            (0..tokens.len()).map(|at| if at < self.control.len() { 3 } else { 1 }).collect();
        out.list("tokenizer.ggml.token_type", 5, &kinds, |out, kind| {
            out.0.extend(kind.to_le_bytes());
        });
        out.list("tokenizer.ggml.merges", 8, &MERGES, |out, (one, other)| {
            out.text(&format!("{one} {other}"));
        });
        out.whole("tokenizer.ggml.eos_token_id", 0);
        let mut start = 0_u64;
        for (name, [columns, rows]) in &tensors {
            out.text(name);
            out.0.extend(2_u32.to_le_bytes());
            out.0.extend((*columns as u64).to_le_bytes());
            out.0.extend((*rows as u64).to_le_bytes());
            out.0.extend(self.kind.to_le_bytes());
            out.0.extend(start.to_le_bytes());
            start += (columns * rows * 4) as u64;
        }
        out.0.resize(out.0.len().div_ceil(32) * 32, 0);
        let mut noise = 1_u64;
        for (name, [columns, rows]) in &tensors {
            for _ in 0..columns * rows {
                noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let number = (noise >> 40) as f32 / 8_388_608.0 - 1.0;
                let number = if name.contains("norm") { 1.0 } else { number * 0.3 };
                out.0.extend(number.to_le_bytes());
            }
        }
        out.0
    }

    fn tensors(&self, vocabulary: usize) -> Vec<(String, [usize; 2])> {
        let mut all = vec![
            ("token_embd.weight".to_owned(), [WIDTH, vocabulary]),
            ("output_norm.weight".to_owned(), [WIDTH, 1]),
        ];
        for layer in 0..LAYERS {
            let rows = [
                ("attn_norm", [WIDTH, 1]),
                ("attn_q", [WIDTH, WIDTH]),
                ("attn_k", [WIDTH, HEAD]),
                ("attn_v", [WIDTH, HEAD]),
                ("attn_output", [WIDTH, WIDTH]),
                ("ffn_norm", [WIDTH, 1]),
                ("ffn_gate", [WIDTH, INNER]),
                ("ffn_up", [WIDTH, INNER]),
                ("ffn_down", [INNER, WIDTH]),
            ];
            all.extend(rows.map(|(name, size)| (format!("blk.{layer}.{name}.weight"), size)));
        }
        all.retain(|(name, _)| !name.contains(self.leave_out));
        all
    }
}
