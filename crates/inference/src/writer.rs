//! Writes one answer, token by token: reads the prompt from where it differs
//! from the last one, asks the model, keeps to the schema. It can be stopped
//! between any two tokens. It knows no debate and no threads.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use llguidance::toktrie::SimpleVob;
use serde_json::Value;

use crate::chat::ChatForm;
use crate::fault::LocalFault;
use crate::gguf::Gguf;
use crate::guide::{Guides, NextToken};
use crate::matrix::Crew;
use crate::transformer::{Memory, Transformer};
use crate::vocabulary::Vocabulary;

/// Tokens read between two looks at the clock.
const STRIDE: usize = 16;
/// Longer texts cost more memory than a model of this size is worth.
const LONGEST: usize = 8192;
/// The number of likeliest tokens to draw from.
const CANDIDATES: usize = 40;
/// Tokens less likely than this share of the likeliest are not drawn: the long
/// tail of a small model is noise.
const LEAST_SHARE: f32 = 0.08;
/// Small models repeat themselves, so words written lately count a little less.
const REPEAT_PENALTY: f32 = 1.1;
const LATELY: usize = 64;

pub struct LocalWriter {
    model: Transformer,
    vocabulary: Arc<Vocabulary>,
    chat: ChatForm,
    guides: Guides,
    ends: Vec<u32>,
    crew: Crew,
    /// The last prompt and answer: the next one often begins alike.
    memory: Memory,
}

/// The request for one answer.
pub struct WritingOrder<'a> {
    pub system: &'a str,
    pub message: &'a str,
    pub schema: &'a Value,
    pub most_tokens: usize,
    pub temperature: f32,
    pub seed: u64,
    pub deadline: Instant,
}

/// Tokens used by one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    pub prompt: usize,
    pub remembered: usize,
    pub written: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub enum WritingEnd {
    /// The text fits the schema.
    Whole(String),
    CutOff,
    Late,
    CalledOff,
    TooLong {
        window: usize,
    },
    Broken(String),
}

impl LocalWriter {
    pub fn read(mut gguf: Gguf, crew: Crew) -> Result<LocalWriter, LocalFault> {
        let vocabulary = Arc::new(Vocabulary::read(&gguf)?);
        let chat = ChatForm::of(&vocabulary)?;
        let model = Transformer::read(&mut gguf)?;
        if model.vocabulary < vocabulary.len() {
            return Err(LocalFault::Damaged("it has more words than weights for them".into()));
        }
        let ends = chat.ends(&vocabulary);
        let guides = Guides::new(&vocabulary, &ends)?;
        Ok(LocalWriter { model, vocabulary, chat, guides, ends, crew, memory: Memory::default() })
    }

    pub fn window(&self) -> usize {
        self.model.window.min(LONGEST)
    }

    pub fn threads(&self) -> usize {
        self.crew.threads()
    }

    /// Writes one answer; `say` receives the text as it grows, `stop` is called
    /// between tokens.
    pub fn write(
        &mut self,
        order: &WritingOrder<'_>,
        stop: &dyn Fn() -> bool,
        say: &mut dyn FnMut(&str),
    ) -> (WritingEnd, TokenUsage) {
        let prompt = self.chat.prompt(&self.vocabulary, order.system, order.message);
        let mut count = TokenUsage { prompt: prompt.len(), ..TokenUsage::default() };
        let room = self.window().saturating_sub(prompt.len());
        // Space for less than half the answer is too little.
        if room < order.most_tokens / 2 {
            return (WritingEnd::TooLong { window: self.window() }, count);
        }
        let halted = || match (stop(), Instant::now() >= order.deadline) {
            (true, _) => Some(WritingEnd::CalledOff),
            (false, true) => Some(WritingEnd::Late),
            (false, false) => None,
        };
        count.remembered = self.recall(&prompt);
        let scores = match self.read_on(&prompt[count.remembered..], &halted) {
            Ok(scores) => scores,
            Err(end) => return (end, count),
        };
        let mut draft = WritingDraft {
            most: order.most_tokens.min(room),
            tokens: Vec::new(),
            shown: Vec::new(),
            dice: TokenDice(order.seed),
        };
        let end = self.answer(order, scores, &mut draft, &halted, say);
        count.written = draft.tokens.len();
        (end, count)
    }

    fn answer(
        &mut self,
        order: &WritingOrder<'_>,
        mut scores: Vec<f32>,
        draft: &mut WritingDraft,
        halted: &dyn Fn() -> Option<WritingEnd>,
        say: &mut dyn FnMut(&str),
    ) -> WritingEnd {
        let mut guide = self.guides.guide(order.schema);
        loop {
            if let Some(end) = halted() {
                return end;
            }
            let tokens = match guide.next() {
                NextToken::Done => return draft.whole(&self.vocabulary),
                NextToken::Broken(problem) => return WritingEnd::Broken(problem),
                NextToken::Must(tokens) => tokens,
                NextToken::May(mask) => {
                    let lately = draft.lately(&self.vocabulary);
                    match draft.dice.draw(&mut scores, &mask, &lately, order.temperature) {
                        Some(token) => vec![token],
                        None => return WritingEnd::Broken("no token was allowed".into()),
                    }
                }
            };
            if tokens.iter().any(|token| self.ends.contains(token)) {
                return if guide.is_whole() {
                    draft.whole(&self.vocabulary)
                } else {
                    WritingEnd::Broken("the model ended in mid-answer".into())
                };
            }
            if !guide.take(&tokens) {
                return WritingEnd::Broken("what was written does not fit the schema".into());
            }
            draft.add(&tokens, &self.vocabulary, say);
            if draft.tokens.len() >= draft.most {
                // The last token may have been the one that closes the answer.
                return match guide.next() {
                    NextToken::Done => draft.whole(&self.vocabulary),
                    _ => WritingEnd::CutOff,
                };
            }
            scores = match self.read_on(&tokens, halted) {
                Ok(scores) => scores,
                Err(end) => return end,
            };
        }
    }

    /// Goes back to the point where the new prompt differs from the old one.
    /// Returns the number of tokens that need not be read again.
    fn recall(&mut self, prompt: &[u32]) -> usize {
        let alike = self.memory.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        // The last token is read in any case, because its scores are needed.
        let kept = alike.min(prompt.len().saturating_sub(1));
        self.memory.keep(kept);
        kept
    }

    fn read_on(
        &mut self,
        tokens: &[u32],
        halted: &dyn Fn() -> Option<WritingEnd>,
    ) -> Result<Vec<f32>, WritingEnd> {
        let mut scores = Vec::new();
        for stride in tokens.chunks(STRIDE) {
            if let Some(end) = halted() {
                return Err(end);
            }
            scores = self.model.read_on(stride, &mut self.memory, &self.crew);
        }
        Ok(scores)
    }
}

/// An answer in progress.
struct WritingDraft {
    most: usize,
    tokens: Vec<u32>,
    /// Bytes not yet shown: half a character is held back.
    shown: Vec<u8>,
    dice: TokenDice,
}

impl WritingDraft {
    fn add(&mut self, tokens: &[u32], vocabulary: &Vocabulary, say: &mut dyn FnMut(&str)) {
        self.tokens.extend_from_slice(tokens);
        for token in tokens {
            self.shown.extend_from_slice(vocabulary.bytes(*token));
        }
        let whole = match std::str::from_utf8(&self.shown) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.shown.split_off(whole);
        if let (false, Ok(text)) = (self.shown.is_empty(), std::str::from_utf8(&self.shown)) {
            say(text);
        }
        self.shown = rest;
    }

    /// Returns the words written lately. Quotes and commas are left out, because
    /// the schema sets them.
    fn lately(&self, vocabulary: &Vocabulary) -> BTreeSet<u32> {
        let is_word = |token: &u32| vocabulary.bytes(*token).iter().any(u8::is_ascii_alphanumeric);
        self.tokens.iter().rev().take(LATELY).copied().filter(is_word).collect()
    }

    fn whole(&self, vocabulary: &Vocabulary) -> WritingEnd {
        let bytes: Vec<u8> =
            self.tokens.iter().flat_map(|token| vocabulary.bytes(*token)).copied().collect();
        match String::from_utf8(bytes) {
            Ok(text) => WritingEnd::Whole(text),
            Err(_) => WritingEnd::Broken("the text is not UTF-8".into()),
        }
    }
}

/// Repeatable randomness: the same seed draws the same tokens.
struct TokenDice(u64);

impl TokenDice {
    fn draw(
        &mut self,
        scores: &mut [f32],
        mask: &SimpleVob,
        lately: &BTreeSet<u32>,
        temperature: f32,
    ) -> Option<u32> {
        for token in lately {
            if let Some(score) = scores.get_mut(*token as usize) {
                *score =
                    if *score > 0.0 { *score / REPEAT_PENALTY } else { *score * REPEAT_PENALTY };
            }
        }
        let mut likely: Vec<(f32, u32)> = mask
            .iter()
            .filter_map(|token| scores.get(token as usize).map(|score| (*score, token)))
            .filter(|(score, _)| score.is_finite())
            .collect();
        let by_score = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0);
        if likely.len() > CANDIDATES {
            likely.select_nth_unstable_by(CANDIDATES, by_score);
            likely.truncate(CANDIDATES);
        }
        likely.sort_unstable_by(by_score);
        let (most, best) = *likely.first()?;
        if temperature <= 0.0 {
            return Some(best);
        }
        let weights: Vec<f32> = likely
            .iter()
            .map(|(score, _)| ((score - most) / temperature).exp())
            .take_while(|weight| *weight >= LEAST_SHARE)
            .collect();
        let mut point = self.next() * weights.iter().sum::<f32>();
        for ((_, token), weight) in likely.iter().zip(&weights) {
            point -= weight;
            if point <= 0.0 {
                return Some(*token);
            }
        }
        Some(best)
    }

    /// From 0 to 1 (SplitMix64).
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / 16_777_216.0
    }
}
