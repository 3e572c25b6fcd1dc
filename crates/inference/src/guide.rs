//! Holds the model to the schema: returns after every token which tokens may
//! follow, and which must. It never adds a word that the schema leaves open.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{
    InferenceCapabilities, SimpleVob, TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv,
};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use crate::fault::LocalFault;
use crate::vocabulary::Vocabulary;

/// Makes a guide for each answer; one per vocabulary.
pub(crate) struct Guides {
    factory: ParserFactory,
}

pub(crate) struct Guide {
    matcher: Matcher,
}

/// The schema's verdict on the next token.
pub(crate) enum NextToken {
    /// The answer is whole.
    Done,
    /// Only these can follow; the model need not be asked.
    Must(Vec<u32>),
    May(SimpleVob),
    /// The guide itself failed; the answer cannot be trusted.
    Broken(String),
}

impl Guides {
    pub fn new(vocabulary: &Arc<Vocabulary>, ends: &[u32]) -> Result<Guides, LocalFault> {
        let env: TokEnv = Arc::new(Tokens::new(Arc::clone(vocabulary), ends));
        let abilities = InferenceCapabilities { ff_tokens: true, ..Default::default() };
        let mut factory =
            ParserFactory::new(&env, abilities, &SlicedBiasComputer::general_slices()).map_err(
                |error| LocalFault::Damaged(format!("its vocabulary cannot be used: {error}")),
            )?;
        factory.quiet();
        Ok(Guides { factory })
    }

    pub fn guide(&self, schema: &Value) -> Guide {
        let mut schema = schema.clone();
        if let Some(fields) = schema.as_object_mut() {
            // Left free, small models fill pages with spaces.
            fields.insert("x-guidance".into(), json!({"whitespace_flexible": false}));
        }
        let grammar = TopLevelGrammar::from_json_schema(schema);
        Guide { matcher: Matcher::new(self.factory.create_parser(grammar)) }
    }
}

impl Guide {
    pub fn next(&mut self) -> NextToken {
        if let Some(problem) = self.matcher.get_error() {
            return NextToken::Broken(problem);
        }
        if self.matcher.is_stopped() {
            return NextToken::Done;
        }
        let must = self.matcher.compute_ff_tokens();
        if !must.is_empty() {
            return NextToken::Must(must);
        }
        match self.matcher.compute_mask() {
            Ok(mask) => NextToken::May(mask),
            Err(_) if self.matcher.is_stopped() && !self.matcher.is_error() => NextToken::Done,
            Err(error) => NextToken::Broken(error.to_string()),
        }
    }

    /// Tells the guide what was written. `false`: it does not fit.
    pub fn take(&mut self, tokens: &[u32]) -> bool {
        self.matcher.consume_tokens(tokens).is_ok()
    }

    pub fn is_whole(&mut self) -> bool {
        self.matcher.is_accepting().unwrap_or(false)
    }
}

/// The vocabulary as the guide wants to see it.
struct Tokens {
    vocabulary: Arc<Vocabulary>,
    trie: TokTrie,
}

impl Tokens {
    fn new(vocabulary: Arc<Vocabulary>, ends: &[u32]) -> Tokens {
        let size = u32::try_from(vocabulary.len()).unwrap_or(u32::MAX);
        let words: Vec<Vec<u8>> = (0..size)
            .map(|token| {
                if vocabulary.is_control(token) {
                    [&[TokTrie::SPECIAL_TOKEN_MARKER], vocabulary.bytes(token)].concat()
                } else {
                    vocabulary.bytes(token).to_vec()
                }
            })
            .collect();
        let end = ends.first().copied().unwrap_or(vocabulary.end);
        let trie = TokTrie::from(&TokRxInfo::new(size, end), &words);
        Tokens { vocabulary, trie }
    }
}

impl TokenizerEnv for Tokens {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, text: &[u8]) -> Vec<TokenId> {
        let vocabulary = &self.vocabulary;
        self.trie.tokenize_with_greedy_fallback(text, |text| vocabulary.tokens(text))
    }
}
