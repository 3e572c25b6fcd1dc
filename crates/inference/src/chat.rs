//! The chat format of an instruct model: the control tokens around the system
//! prompt, the message and the answer. The tokens of the vocabulary tell which
//! format applies; templates in the file are not run.

use crate::fault::LocalFault;
use crate::vocabulary::Vocabulary;

/// A piece of the form: a control token by name, or plain text.
enum TemplatePiece {
    Control(&'static str),
    Text(&'static str),
    System,
    Message,
}

use TemplatePiece::{Control, Message, System, Text};

struct ChatTemplate {
    /// The control token that identifies it.
    mark: &'static str,
    pieces: &'static [TemplatePiece],
    ends: &'static [&'static str],
}

static FORMS: &[ChatTemplate] = &[
    ChatTemplate {
        mark: "<|im_start|>",
        pieces: &[
            Control("<|im_start|>"),
            Text("system\n"),
            System,
            Control("<|im_end|>"),
            Text("\n"),
            Control("<|im_start|>"),
            Text("user\n"),
            Message,
            Control("<|im_end|>"),
            Text("\n"),
            Control("<|im_start|>"),
            Text("assistant\n"),
        ],
        ends: &["<|im_end|>", "<|endoftext|>"],
    },
    ChatTemplate {
        mark: "<|start_header_id|>",
        pieces: &[
            Control("<|begin_of_text|>"),
            Control("<|start_header_id|>"),
            Text("system"),
            Control("<|end_header_id|>"),
            Text("\n\n"),
            System,
            Control("<|eot_id|>"),
            Control("<|start_header_id|>"),
            Text("user"),
            Control("<|end_header_id|>"),
            Text("\n\n"),
            Message,
            Control("<|eot_id|>"),
            Control("<|start_header_id|>"),
            Text("assistant"),
            Control("<|end_header_id|>"),
            Text("\n\n"),
        ],
        ends: &["<|eot_id|>", "<|end_of_text|>"],
    },
];

/// The chat format of one vocabulary.
pub(crate) struct ChatForm {
    form: &'static ChatTemplate,
}

impl ChatForm {
    pub fn of(vocabulary: &Vocabulary) -> Result<ChatForm, LocalFault> {
        let all_there = |form: &&ChatTemplate| {
            vocabulary.named(form.mark).is_some()
                && form.pieces.iter().all(|piece| match piece {
                    Control(name) => vocabulary.named(name).is_some(),
                    Text(_) | System | Message => true,
                })
        };
        FORMS.iter().find(all_there).map(|form| ChatForm { form }).ok_or(LocalFault::Chat)
    }

    /// Returns the whole conversation up to the point where the model begins to
    /// write.
    pub fn prompt(&self, vocabulary: &Vocabulary, system: &str, message: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        for piece in self.form.pieces {
            match piece {
                Control(name) => tokens.extend(vocabulary.named(name)),
                Text(text) => tokens.extend(vocabulary.tokens(text)),
                System => tokens.extend(vocabulary.tokens(system)),
                Message => tokens.extend(vocabulary.tokens(message)),
            }
        }
        tokens
    }

    /// The tokens with which the model ends its message.
    pub fn ends(&self, vocabulary: &Vocabulary) -> Vec<u32> {
        let named = self.form.ends.iter().filter_map(|name| vocabulary.named(name));
        named.chain([vocabulary.end]).collect()
    }
}
