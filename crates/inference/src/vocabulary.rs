//! Text to tokens and back, from the vocabulary inside the weights file. Control
//! tokens are never made from text, so foreign text cannot end a message or open
//! one in another's name.

use std::collections::HashMap;

use fancy_regex::Regex;

use crate::fault::LocalFault;
use crate::gguf::Gguf;

/// The rule that splits a text before its pieces are merged, by the name in the
/// file.
struct PreTokenizer {
    names: &'static [&'static str],
    /// Applied one after the other, each to the pieces of the one before.
    patterns: &'static [&'static str],
}

const WORDS: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const MODERN_1: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const MODERN_3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

static CUTS: &[PreTokenizer] = &[
    PreTokenizer {
        names: &["smollm", "starcoder", "refact", "command-r"],
        patterns: &[r"\p{N}", WORDS],
    },
    PreTokenizer { names: &["qwen2", "deepseek-r1-qwen"], patterns: &[MODERN_1] },
    PreTokenizer {
        names: &["llama-bpe", "llama3", "llama-v3", "smaug-bpe"],
        patterns: &[MODERN_3],
    },
    PreTokenizer { names: &["gpt-2", "default", "phi-2"], patterns: &[WORDS] },
];

/// The kind of a token in the file's table.
const ORDINARY: i64 = 1;

pub(crate) struct Vocabulary {
    /// Every token's bytes; control tokens by their name.
    tokens: Vec<Vec<u8>>,
    control: Vec<bool>,
    ids: HashMap<Vec<u8>, u32>,
    names: HashMap<String, u32>,
    /// Two neighbours and how early they are joined.
    merges: HashMap<(u32, u32), (usize, u32)>,
    patterns: Vec<Regex>,
    /// Ends the model's message.
    pub end: u32,
}

impl Vocabulary {
    pub fn read(gguf: &Gguf) -> Result<Vocabulary, LocalFault> {
        let kind = gguf.text("tokenizer.ggml.model").unwrap_or("none");
        if kind != "gpt2" {
            return Err(LocalFault::Vocabulary(kind.into()));
        }
        let names = gguf.texts("tokenizer.ggml.tokens").ok_or_else(|| missing("tokens"))?;
        let kinds = gguf.wholes("tokenizer.ggml.token_type").unwrap_or(&[]);
        let merges = gguf.texts("tokenizer.ggml.merges").ok_or_else(|| missing("merges"))?;
        let cut = gguf.text("tokenizer.ggml.pre").unwrap_or("default");
        let patterns = CUTS
            .iter()
            .find(|row| row.names.contains(&cut))
            .ok_or_else(|| LocalFault::Vocabulary(cut.into()))?
            .patterns
            .iter()
            .map(|pattern| Regex::new(pattern).map_err(|_| LocalFault::Vocabulary(cut.into())))
            .collect::<Result<_, LocalFault>>()?;
        let bytes = bytes_of_letters();
        let control: Vec<bool> = (0..names.len())
            .map(|at| kinds.get(at).is_some_and(|kind| *kind != ORDINARY))
            .collect();
        let tokens: Vec<Vec<u8>> = names
            .iter()
            .zip(&control)
            .map(|(name, control)| {
                if *control {
                    name.clone().into_bytes()
                } else {
                    name.chars().filter_map(|letter| bytes.get(&letter).copied()).collect()
                }
            })
            .collect();
        let mut vocabulary = Vocabulary {
            ids: (0..)
                .zip(&tokens)
                .zip(&control)
                .filter(|(_, control)| !**control)
                .map(|((id, bytes), _)| (bytes.clone(), id))
                .collect(),
            names: (0..).zip(names).map(|(id, name)| (name.clone(), id)).collect(),
            tokens,
            control,
            merges: HashMap::with_capacity(merges.len()),
            patterns,
            end: 0,
        };
        vocabulary.end = gguf
            .whole("tokenizer.ggml.eos_token_id")
            .and_then(|id| u32::try_from(id).ok())
            .filter(|id| (*id as usize) < vocabulary.tokens.len())
            .ok_or_else(|| missing("eos_token_id"))?;
        for (rank, merge) in merges.iter().enumerate() {
            let Some((one, other)) = merge.split_once(' ') else { continue };
            let id = |name: &str| vocabulary.names.get(name).copied();
            if let (Some(a), Some(b), Some(joined)) =
                (id(one), id(other), id(&format!("{one}{other}")))
            {
                vocabulary.merges.insert((a, b), (rank, joined));
            }
        }
        Ok(vocabulary)
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn bytes(&self, token: u32) -> &[u8] {
        self.tokens.get(token as usize).map_or(&[], Vec::as_slice)
    }

    pub fn is_control(&self, token: u32) -> bool {
        self.control.get(token as usize).copied().unwrap_or(true)
    }

    /// A token by its name in the file, control tokens included.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Ordinary text as tokens. Never yields a control token.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let mut pieces = vec![text];
        for pattern in &self.patterns {
            pieces = pieces.into_iter().flat_map(|piece| cut(pattern, piece)).collect();
        }
        pieces.into_iter().flat_map(|piece| self.merged(piece.as_bytes())).collect()
    }

    fn merged(&self, piece: &[u8]) -> Vec<u32> {
        if let Some(id) = self.ids.get(piece) {
            return vec![*id];
        }
        let single = |byte: &u8| self.ids.get(std::slice::from_ref(byte)).copied();
        let mut tokens: Vec<u32> = piece.iter().filter_map(single).collect();
        loop {
            let best = tokens
                .windows(2)
                .enumerate()
                .filter_map(|(at, pair)| match pair {
                    [a, b] => self.merges.get(&(*a, *b)).map(|(rank, to)| (*rank, at, *to)),
                    _ => None,
                })
                .min();
            let Some((_, at, joined)) = best else { return tokens };
            tokens.splice(at..at + 2, [joined]);
        }
    }
}

fn missing(what: &str) -> LocalFault {
    LocalFault::Missing(format!("tokenizer.ggml.{what}"))
}

/// Returns the pieces a pattern finds, and the text between them.
fn cut<'a>(pattern: &Regex, text: &'a str) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for found in pattern.find_iter(text).flatten() {
        pieces.push(&text[from..found.start()]);
        pieces.push(&text[found.start()..found.end()]);
        from = found.end();
    }
    pieces.push(&text[from..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Vocabularies of this kind write every byte as a letter that can be printed:
/// printable bytes as themselves, the others in order from U+0100 on.
fn bytes_of_letters() -> HashMap<char, u8> {
    let mut letters = HashMap::new();
    let mut next = 0x100;
    for byte in 0..=u8::MAX {
        let itself = matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
        let code = if itself { u32::from(byte) } else { next };
        next += u32::from(!itself);
        letters.extend(char::from_u32(code).map(|letter| (letter, byte)));
    }
    letters
}
