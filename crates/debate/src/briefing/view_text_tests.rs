//! Costs that are added up are those of the whole text.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::model::{AskId, Party, SeatId, Task, clip, clip_and_count, tokens};

fn fence() -> Fence {
    let seat = Party::Seat(SeatId(1));
    let ask = AskId { round: 2, wave: 1, party: seat, task: Task::Speak, about: None };
    Fence::new("00112233445566778899aabbccddeeff", &ask)
}

/// One step of writing a view.
#[derive(Debug, Clone)]
enum Step {
    Text(String),
    Lines(String),
    Fenced(String),
    /// Forgets what was written after this share of the text, in percent.
    Truncate(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let piece = || {
        let words = prop_oneof![
            "[ a-zA-Z0-9,.'\n\t-]{0,30}".boxed(),
            any::<String>().boxed(),
            prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n\n\n"), Just("  "), Just("Ünï")]
                .prop_map(str::to_owned)
                .boxed(),
        ];
        prop::collection::vec(words, 0..3).prop_map(|words| words.concat())
    };
    let step = prop_oneof![
        piece().prop_map(Step::Text),
        piece().prop_map(Step::Lines),
        piece().prop_map(|text| Step::Lines(text + "\n")),
        piece().prop_map(Step::Fenced),
        (0..100usize).prop_map(Step::Truncate),
    ];
    prop::collection::vec(step, 0..12)
}

fn written<'f>(fence: &'f Fence, steps: &[Step]) -> ViewText<'f> {
    let mut out = ViewText::new(fence);
    for step in steps {
        match step {
            Step::Text(text) => out.push_str(text),
            Step::Lines(text) => out.push_lines(&CountedLines::new(text.clone())),
            Step::Fenced(text) if text.trim().is_empty() => {
                out.open_fence("nothing");
                out.close_empty_fence();
            }
            Step::Fenced(text) => {
                out.open_fence("words");
                let _ = writeln!(out, "{text}");
                out.close_fence();
            }
            Step::Truncate(percent) => {
                let at = out.as_str().floor_char_boundary(out.len() * percent / 100);
                out.truncate(at);
            }
        }
    }
    out
}

proptest! {
    #[test]
    fn the_cost_of_every_part_is_that_of_its_text(steps in steps(), cuts in any::<[u8; 2]>()) {
        let fence = fence();
        let out = written(&fence, &steps);
        let place = |cut: u8| out.as_str().floor_char_boundary(out.len() * usize::from(cut) / 255);
        let (one, other) = (place(cuts[0]), place(cuts[1]));
        let part = one.min(other)..one.max(other);
        prop_assert_eq!(out.tokens(part.clone()), tokens(&out.as_str()[part.clone()]));
        prop_assert_eq!(out.tokens_from(part.start), tokens(&out.as_str()[part.start..]));
    }

    #[test]
    fn the_cost_of_a_line_is_that_of_its_text(text in any::<String>(), most in 0..20usize) {
        let (cut, units) = clip_and_count(&text, most);
        prop_assert_eq!(units.tokens(), tokens(&cut));
        prop_assert_eq!(CountedLines::line(&cut, units), CountedLines::new(format!("{cut}\n")));
        // Without counting, `clip` keeps what has no more bytes than the limit.
        if text.len() > most {
            prop_assert_eq!(cut, clip(&text, most));
        }
    }

    #[test]
    fn a_fence_is_closed_as_the_fence_itself_does_it(text in "[a-z \n]{0,12}[a-z][ \n]{0,4}") {
        let fence = fence();
        let mut out = ViewText::new(&fence);
        out.open_fence("words");
        out.push_str(&text);
        out.close_fence();
        let mut plain = String::new();
        fence.open(&mut plain, "words");
        plain.push_str(text.trim_end());
        fence.close(&mut plain);
        prop_assert_eq!(out.into_parts().0, plain);
    }
}
