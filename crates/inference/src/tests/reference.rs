//! Real weights against two others: llama.cpp, and plain arithmetic in 32 bits.
//! The same tokens, the same chat form, the same words and likelihoods.
//! `reference.json` was written by `tools/local-reference`. Runs where
//! `ROUNDTABLE_LOCAL_WEIGHTS` names the file.
#![allow(clippy::disallowed_methods, reason = "a test may be told where weights are")]

use std::path::PathBuf;

use serde_json::Value;

use crate::chat::ChatForm;
use crate::gguf::Gguf;
use crate::matrix::Crew;
use crate::transformer::{Memory, Transformer};
use crate::vocabulary::Vocabulary;

/// The allowed error of a likelihood, in natural logarithms. llama.cpp, which
/// rounds what flows through the model to eight bits, is up to 0.51 off.
const FROM_EXACT: f32 = 0.01;
const FROM_LLAMA_CPP: f32 = 0.6;
/// A word that is behind another by less than this may change places with it.
const TIE: f32 = 0.01;

fn weights() -> Option<PathBuf> {
    proof::weights().map(PathBuf::from)
}

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

fn whole(value: &Value) -> u32 {
    value.as_u64().unwrap() as u32
}

fn list(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(whole).collect()
}

fn likelihoods(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = scores.iter().map(|score| f64::from(score - most).exp()).sum();
    scores.iter().map(|score| score - most - sum.ln() as f32).collect()
}

fn likeliest(scores: &[f32]) -> u32 {
    (0..).zip(scores).max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(token, _)| token)
}

#[test]
fn texts_are_cut_into_the_same_tokens() {
    let Some(path) = weights() else { return };
    let vocabulary = Vocabulary::read(&Gguf::open(&path).unwrap()).unwrap();
    let chat = ChatForm::of(&vocabulary).unwrap();
    let reference = reference();
    for row in reference["texts"].as_array().unwrap() {
        let text = row["text"].as_str().unwrap();
        assert_eq!(vocabulary.tokens(text), list(&row["tokens"]), "{text:?}");
    }
    for row in reference["answers"].as_array().unwrap() {
        let own = match (row["system"].as_str(), row["user"].as_str()) {
            (Some(system), Some(user)) => chat.prompt(&vocabulary, system, user),
            _ => vocabulary.tokens(row["text"].as_str().unwrap()),
        };
        assert_eq!(own, list(&row["prompt"]), "{}", row["text"]);
    }
}

#[test]
fn the_likeliest_words_are_the_same() {
    let Some(path) = weights() else { return };
    let mut gguf = Gguf::open(&path).unwrap();
    let model = Transformer::read(&mut gguf).unwrap();
    let crew = Crew::of_this_machine();
    let (mut exact, mut llama_cpp) = (Apart::default(), Apart::default());
    let (mut words, mut as_llama_cpp) = (0, 0);
    for row in reference()["answers"].as_array().unwrap() {
        let mut memory = Memory::default();
        let mut scores = model.read_on(&list(&row["prompt"]), &mut memory, &crew);
        for (at, step) in row["steps"].as_array().unwrap().iter().enumerate() {
            let own = likelihoods(&scores);
            let (token, best) = (whole(&step["token"]), whole(&step["best"]));
            let ours = likeliest(&scores);
            let behind = own[ours as usize] - own[best as usize];
            assert!(behind < TIE, "{}: word {at} is {behind} behind ours", row["text"]);
            words += 1;
            as_llama_cpp += usize::from(ours == token);
            let tops = step["top"].as_array().unwrap().iter();
            for (top, likelihood) in tops.zip(step["exact"].as_array().unwrap()) {
                let own = own[whole(&top[0]) as usize];
                exact.add(own, likelihood);
                llama_cpp.add(own, &top[1]);
            }
            scores = model.read_on(&[token], &mut memory, &crew);
        }
    }
    println!("{words} words as plain arithmetic has them, {as_llama_cpp} of them as llama.cpp");
    println!("likelihoods are off exact by {exact}, off llama.cpp by {llama_cpp}");
    assert!(exact.most < FROM_EXACT && llama_cpp.most < FROM_LLAMA_CPP);
    assert!(as_llama_cpp * 100 >= words * 95, "{as_llama_cpp} of {words}");
}

/// The distance between likelihoods.
#[derive(Default)]
struct Apart {
    most: f32,
    sum: f32,
    count: u32,
}

impl Apart {
    fn add(&mut self, own: f32, theirs: &Value) {
        let theirs = theirs.as_f64().unwrap() as f32;
        // Of what is next to impossible nothing is asked.
        if theirs > -6.0 {
            let apart = (own - theirs).abs();
            self.most = self.most.max(apart);
            self.sum += apart;
            self.count += 1;
        }
    }
}

impl std::fmt::Display for Apart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.4} on average and {:.4} at most", self.sum / self.count as f32, self.most)
    }
}
