//! What keys mean while a debate is watched. A line being typed is kept here,
//! so that nothing that happens meanwhile can disturb it. Nothing is carried out
//! here: a key ends in a wish, a word to the person, or nothing.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use debate::model::{ContextRequest, PauseReason};

use crate::document::escape::clean_line;
use crate::terminal::live::panel::Foot;

/// What a person wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Pause,
    Resume,
    Stop,
    Remark(String),
    Focus(String),
    /// The answer to what an agent asked a person for, or to a turn of their own.
    Context(String),
    /// No answer in this turn of one's own.
    Pass,
    /// Ask this agent no more.
    Drop(String),
    /// Play the example without its pauses.
    Hurry,
    /// Leave a debate that is paused.
    Leave,
    Interrupt,
}

/// What comes of a key.
#[derive(Debug, PartialEq, Eq)]
pub enum Comes {
    Nothing,
    Say(String),
    Wish(Wish),
}

/// How the debate stands, as far as keys are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    #[default]
    Running,
    /// Paused; answers on their way are still waited for.
    Draining,
    /// Paused, and nothing is on its way.
    Paused,
}

#[derive(Debug, Default)]
pub struct KeySteering {
    pub phase: Phase,
    /// What an agent asked a person for, where it did.
    pub wanted: Option<String>,
    /// True if that is the person's own turn.
    pub is_turn: bool,
    /// What was typed for one's own turn; kept until it is sent.
    said: String,
    /// True if an agent gave no answer.
    pub failing: bool,
    /// True if the example is played at a pace for reading.
    pub paced: bool,
    mode: InputMode,
}

#[derive(Debug, Default)]
enum InputMode {
    #[default]
    Watching,
    Help,
    StopAsked,
    Typing {
        purpose: Purpose,
        text: Vec<char>,
        cursor: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Remark,
    Focus,
    Context,
    /// The answer of one's own seat, then how sure one is of it.
    Turn,
    Sure,
    Drop,
}

impl Purpose {
    fn label(self) -> &'static str {
        match self {
            Purpose::Remark => "remark to all",
            Purpose::Focus => "focus question",
            Purpose::Context => "your answer",
            Purpose::Turn => "your answer (Enter sends, an empty line passes, Esc: later)",
            Purpose::Sure => "how sure are you, 0–100? (an empty line: not said)",
            Purpose::Drop => "the agent to drop",
        }
    }

    fn wish(self, text: String) -> Wish {
        match self {
            Purpose::Remark => Wish::Remark(text),
            Purpose::Focus => Wish::Focus(text),
            Purpose::Context | Purpose::Turn | Purpose::Sure => Wish::Context(text),
            Purpose::Drop => Wish::Drop(text),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Does {
    Pause,
    Resume,
    AskToStop,
    Hurry,
    Type(Purpose),
    Help,
    Leave,
}

struct KeyRow {
    key: char,
    shown: &'static str,
    word: &'static str,
    help: &'static str,
    does: Does,
    /// When the foot offers it.
    offered: &'static [Phase],
}

const ALWAYS: &[Phase] = &[Phase::Running, Phase::Draining, Phase::Paused];
const GOING: &[Phase] = &[Phase::Running];
const RESTING: &[Phase] = &[Phase::Draining, Phase::Paused];
const QUIET: &[Phase] = &[Phase::Paused];

/// Every key, once.
const ROWS: &[KeyRow] = &[
    KeyRow {
        key: 'p',
        shown: "p",
        word: "pause",
        help: "pause: no new calls; answers in flight are stored",
        does: Does::Pause,
        offered: GOING,
    },
    KeyRow {
        key: 'r',
        shown: "r",
        word: "resume",
        help: "resume after a pause",
        does: Does::Resume,
        offered: RESTING,
    },
    KeyRow {
        key: 'i',
        shown: "i",
        word: "remark",
        help: "add a remark that all later answers see",
        does: Does::Type(Purpose::Remark),
        offered: ALWAYS,
    },
    KeyRow {
        key: 'f',
        shown: "f",
        word: "focus",
        help: "set the question every answer from now on must address",
        does: Does::Type(Purpose::Focus),
        offered: ALWAYS,
    },
    KeyRow {
        key: 'c',
        shown: "c",
        word: "answer",
        help: "answer what an agent asked you for, or your own turn",
        does: Does::Type(Purpose::Context),
        offered: &[],
    },
    KeyRow {
        key: 'd',
        shown: "d",
        word: "drop",
        help: "drop an agent that fails; it is asked no more",
        does: Does::Type(Purpose::Drop),
        offered: &[],
    },
    KeyRow {
        key: ' ',
        shown: "space",
        word: "faster",
        help: "play the scripted example without pauses",
        does: Does::Hurry,
        offered: &[],
    },
    KeyRow {
        key: 's',
        shown: "s",
        word: "stop",
        help: "stop now, with a verdict on the answers so far",
        does: Does::AskToStop,
        offered: ALWAYS,
    },
    KeyRow {
        key: 'q',
        shown: "q",
        word: "leave",
        help: "leave a paused debate; it can be resumed later",
        does: Does::Leave,
        offered: QUIET,
    },
    KeyRow {
        key: '?',
        shown: "?",
        word: "help",
        help: "this list",
        does: Does::Help,
        offered: ALWAYS,
    },
];

const STAYS: &str = "The debate runs in this window and would end with it: p pauses it, s ends it \
                     with a verdict, Ctrl-C leaves and keeps every answer.";

impl KeySteering {
    /// `paced`: the example is played at a pace for reading.
    pub fn new(paced: bool) -> KeySteering {
        KeySteering { paced, ..KeySteering::default() }
    }

    pub fn take(&mut self, event: Event) -> Comes {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Paste(text) => {
                // What is pasted is words, never keys.
                if let InputMode::Typing { text: line, cursor, .. } = &mut self.mode {
                    for letter in clean_line(&text).chars() {
                        line.insert((*cursor).min(line.len()), letter);
                        *cursor += 1;
                    }
                }
                Comes::Nothing
            }
            _ => Comes::Nothing,
        }
    }

    pub fn foot(&self) -> Foot {
        match &self.mode {
            InputMode::Watching => {
                let also = [('c', self.wanted.is_some()), ('d', self.failing), (' ', self.paced)];
                let rows = ROWS.iter().filter(|row| {
                    row.offered.contains(&self.phase) || also.contains(&(row.key, true))
                });
                Foot::Keys(rows.map(|row| (row.shown, row.word)).collect())
            }
            InputMode::Help => {
                let rows = ROWS.iter().map(|row| (row.shown, row.help));
                Foot::Help(rows.chain([("Ctrl-C", "leave; nothing answered is lost")]).collect())
            }
            InputMode::StopAsked => {
                Foot::Question("Stop now, with a verdict on the answers so far? [y/N] ".into())
            }
            InputMode::Typing { purpose, text, cursor } => Foot::Prompt {
                label: match purpose {
                    Purpose::Turn | Purpose::Sure => purpose.label().into(),
                    _ => format!("{} (Enter sends, Esc drops)", purpose.label()),
                },
                text: text.iter().collect(),
                cursor: *cursor,
            },
        }
    }

    fn key(&mut self, key: KeyEvent) -> Comes {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            return Comes::Wish(Wish::Interrupt);
        }
        match &mut self.mode {
            InputMode::Typing { .. } => self.typed(key),
            InputMode::StopAsked => {
                self.mode = InputMode::Watching;
                match key.code {
                    KeyCode::Char('y' | 'Y') => Comes::Wish(Wish::Stop),
                    _ => Comes::Say("Not stopped.".into()),
                }
            }
            InputMode::Help => {
                self.mode = InputMode::Watching;
                match key.code {
                    KeyCode::Char('?') | KeyCode::Esc => Comes::Nothing,
                    code => self.pressed(code),
                }
            }
            InputMode::Watching => self.pressed(key.code),
        }
    }

    fn pressed(&mut self, code: KeyCode) -> Comes {
        let KeyCode::Char(letter) = code else { return Comes::Nothing };
        let Some(row) = ROWS.iter().find(|row| row.key == letter.to_ascii_lowercase()) else {
            return Comes::Say("? lists the keys.".into());
        };
        match (row.does, self.phase) {
            (Does::Pause, Phase::Running) => Comes::Wish(Wish::Pause),
            (Does::Pause, _) => Comes::Say("It is already paused; r resumes it.".into()),
            (Does::Resume, Phase::Running) => Comes::Say("It is running; p pauses it.".into()),
            (Does::Resume, _) => Comes::Wish(Wish::Resume),
            (Does::Leave, Phase::Paused) => Comes::Wish(Wish::Leave),
            (Does::Leave, _) => Comes::Say(STAYS.into()),
            (Does::AskToStop, _) => self.turn_to(InputMode::StopAsked),
            (Does::Help, _) => self.turn_to(InputMode::Help),
            (Does::Hurry, _) => {
                self.paced = false;
                Comes::Wish(Wish::Hurry)
            }
            (Does::Type(Purpose::Context), _) if self.wanted.is_none() => {
                Comes::Say("No agent has asked for anything.".into())
            }
            (Does::Type(Purpose::Context), _) if self.is_turn => self.take_turn(),
            (Does::Type(purpose), _) => {
                self.turn_to(InputMode::Typing { purpose, text: Vec::new(), cursor: 0 })
            }
        }
    }

    /// Forgets one's own turn, which has been taken.
    pub fn turn_over(&mut self) {
        (self.is_turn, self.said) = (false, String::new());
    }

    /// Opens the line for one's own answer, with what was typed before.
    pub fn take_turn(&mut self) -> Comes {
        self.type_for(Purpose::Turn, self.said.chars().collect())
    }

    fn type_for(&mut self, purpose: Purpose, text: Vec<char>) -> Comes {
        let cursor = text.len();
        self.turn_to(InputMode::Typing { purpose, text, cursor })
    }

    /// Enter in one's own turn: first the answer, then how sure one is, then both are sent.
    fn turn_typed(&mut self, purpose: Purpose, said: String) -> Comes {
        if purpose == Purpose::Turn {
            self.said = said;
            if self.said.is_empty() {
                self.mode = InputMode::Watching;
                return Comes::Wish(Wish::Pass);
            }
            return self.type_for(Purpose::Sure, Vec::new());
        }
        let figure = said.trim_end_matches('%').trim();
        let sure = figure.parse::<u8>().ok().filter(|percent| *percent <= 100);
        if sure.is_none() && !figure.is_empty() {
            return Comes::Say("Give a whole number from 0 to 100, or nothing.".into());
        }
        self.mode = InputMode::Watching;
        Comes::Wish(Wish::Context(ContextRequest::turn_text(&self.said, sure)))
    }

    fn turn_to(&mut self, mode: InputMode) -> Comes {
        self.mode = mode;
        Comes::Nothing
    }

    fn typed(&mut self, key: KeyEvent) -> Comes {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let InputMode::Typing { purpose, text, cursor } = &mut self.mode else {
            return Comes::Nothing;
        };
        *cursor = (*cursor).min(text.len());
        match (key.code, control) {
            (KeyCode::Enter, _) => {
                let said: String = text.iter().collect();
                if let turn @ (Purpose::Turn | Purpose::Sure) = *purpose {
                    return self.turn_typed(turn, said.trim().to_owned());
                }
                let wish = purpose.wish(said.trim().to_owned());
                self.mode = InputMode::Watching;
                return match said.trim() {
                    "" => Comes::Nothing,
                    _ => Comes::Wish(wish),
                };
            }
            (KeyCode::Esc, _) if *purpose == Purpose::Sure => return self.take_turn(),
            (KeyCode::Esc, _) => {
                if *purpose == Purpose::Turn {
                    self.said = text.iter().collect();
                }
                return self.turn_to(InputMode::Watching);
            }
            (KeyCode::Backspace, _) if *cursor > 0 => {
                *cursor -= 1;
                text.remove(*cursor);
            }
            (KeyCode::Delete, _) if *cursor < text.len() => {
                text.remove(*cursor);
            }
            (KeyCode::Left, _) => *cursor = cursor.saturating_sub(1),
            (KeyCode::Right, _) => *cursor = (*cursor + 1).min(text.len()),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => *cursor = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => *cursor = text.len(),
            (KeyCode::Char('u'), true) => {
                text.drain(..*cursor);
                *cursor = 0;
            }
            (KeyCode::Char('w'), true) => {
                let mut from = *cursor;
                let blank = |at: usize| text.get(at).is_some_and(|c| c.is_whitespace());
                while from > 0 && blank(from - 1) {
                    from -= 1;
                }
                while from > 0 && !blank(from - 1) {
                    from -= 1;
                }
                text.drain(from..*cursor);
                *cursor = from;
            }
            (KeyCode::Char(letter), false) => {
                text.insert(*cursor, letter);
                *cursor += 1;
            }
            _ => {}
        }
        Comes::Nothing
    }
}

/// What an agent asked a person for, where that is why the debate is paused.
/// The one place that knows which pauses can be answered with `c`.
pub fn wanted(reason: &PauseReason) -> Option<String> {
    match reason {
        PauseReason::NeedsContext { requests } => {
            let first = requests.iter().find(|request| request.is_required())?;
            Some(clean_line(&first.question))
        }
        PauseReason::Asked
        | PauseReason::Interrupted
        | PauseReason::QuorumLost { .. }
        | PauseReason::Budget { .. }
        | PauseReason::Trouble { .. } => None,
    }
}

/// True if the debate is paused for the person's own answer.
pub fn is_turn(reason: &PauseReason) -> bool {
    matches!(reason, PauseReason::NeedsContext { requests } if requests.iter().any(|it| it.is_turn))
}

#[cfg(test)]
mod tests;
