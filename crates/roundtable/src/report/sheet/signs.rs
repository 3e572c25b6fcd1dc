//! The small parts of every designed page: the sign of an agent, icons, bars, and text
//! whose claim and source ids are links.

use askama::Template;
use debate::model::{Ledger, Room, SeatId};

use crate::document::escape::clean_line;

/// Outline and baseline of the letter, by seat; more seats than shapes begin again.
const SHAPES: [(&str, &str); 10] = [
    ("M12 1a11 11 0 1 0 0 22a11 11 0 1 0 0-22z", "16.2"),
    (
        "M5 1.5h14a3.5 3.5 0 0 1 3.5 3.5v14a3.5 3.5 0 0 1-3.5 3.5H5a3.5 3.5 0 0 1-3.5-3.5V5A3.5 \
         3.5 0 0 1 5 1.5z",
        "16.2",
    ),
    ("M12 -1.2L25.2 12L12 25.2L-1.2 12z", "16.2"),
    ("M6 1.2h12L24.2 12L18 22.8H6L-.2 12z", "16.2"),
    ("M12 -1L25 23.5H-1z", "19.5"),
    ("M12 -.5L23.6 8L19.2 22.5H4.8L.4 8z", "17.2"),
    ("M1.5 1.5h21V13a10.5 10.5 0 0 1-21 0z", "15"),
    ("M7 0h10v7h7v10h-7v7H7v-7H0V7h7z", "16.2"),
    ("M-1 1h26L12 25.5z", "13"),
    ("M1.5 12A10.5 10.5 0 0 1 22.5 12V22.5H1.5z", "17.5"),
];

/// The sign of a seat: one colour, one shape and one initial everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "sign.html", whitespace = "preserve")]
pub struct SeatSign {
    /// From 1 to 10; 0 is a seat whose agent is not named yet.
    pub number: usize,
    pub name: String,
    initial: String,
    size: &'static str,
}

impl SeatSign {
    pub fn new(index: usize, name: &str) -> SeatSign {
        let name = clean_line(name);
        let letter = name.chars().find(|c| c.is_alphanumeric());
        let initial = letter.map_or_else(|| "?".into(), |c| c.to_uppercase().collect());
        SeatSign { number: index % SHAPES.len() + 1, name, initial, size: "" }
    }

    /// The grey sign of a seat in a debate that is anonymous until it ends.
    pub fn masked(index: usize) -> SeatSign {
        let name = format!("Seat {}", index + 1);
        SeatSign { number: 0, name, initial: (index + 1).to_string(), size: "" }
    }

    #[must_use]
    pub fn small(mut self) -> SeatSign {
        self.size = "s";
        self
    }

    #[must_use]
    pub fn large(mut self) -> SeatSign {
        self.size = "l";
        self
    }

    pub fn letter(&self) -> &str {
        &self.initial
    }

    pub fn outline(&self) -> &'static str {
        SHAPES[self.number.saturating_sub(1) % SHAPES.len()].0
    }

    pub fn baseline(&self) -> &'static str {
        SHAPES[self.number.saturating_sub(1) % SHAPES.len()].1
    }
}

/// The sign inside a drawing, with its middle at a point.
#[derive(Debug, Clone, Template)]
#[template(path = "sign_mark.html", whitespace = "preserve")]
pub struct SignMark {
    sign: SeatSign,
    x: String,
    y: String,
    scale: String,
    lettered: bool,
}

impl SignMark {
    pub fn lettered(sign: &SeatSign, x: f64, y: f64) -> SignMark {
        SignMark::sized(sign, x, y, 1.0, true)
    }

    /// A small mark without its letter.
    pub fn small(sign: &SeatSign, x: f64, y: f64) -> SignMark {
        SignMark::sized(sign, x, y, 0.42, false)
    }

    fn sized(sign: &SeatSign, x: f64, y: f64, scale: f64, lettered: bool) -> SignMark {
        let corner = |middle: f64| place(middle - 12.0 * scale);
        let (x, y) = (corner(x), corner(y));
        SignMark { sign: sign.clone(), x, y, scale: format!("{scale}"), lettered }
    }
}

/// A coordinate with at most one decimal.
pub fn place(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{rounded}")
}

/// An icon by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Template)]
#[template(path = "icon.html", whitespace = "preserve")]
pub struct IconSign {
    name: &'static str,
}

pub fn icon(name: &'static str) -> IconSign {
    IconSign { name }
}

/// A horizontal bar of 0 to 100, with a tick where there is a threshold.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "bar.html", whitespace = "preserve")]
pub struct ShareBar {
    share: u32,
    tick: Option<u32>,
    look: &'static str,
}

impl ShareBar {
    pub fn of(share: f64) -> ShareBar {
        ShareBar { share: whole(share), tick: None, look: "" }
    }

    #[must_use]
    pub fn tick(mut self, at: f64) -> ShareBar {
        self.tick = Some(whole(at));
        self
    }

    /// The same in the colour of what is left over.
    #[must_use]
    pub fn pale(mut self) -> ShareBar {
        self.look = "pale";
        self
    }
}

/// A share of 0 to 1 in whole percent.
pub fn whole(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

/// `86 %`, with a space that does not break.
pub fn percent(share: f64) -> String {
    format!("{}\u{a0}%", whole(share))
}

/// Text in which ids of the ledger (`C4`, `E6`) are links.
#[derive(Debug, Clone, PartialEq, Eq, Default, Template)]
#[template(path = "linked.html", whitespace = "preserve")]
pub struct LinkedText {
    parts: Vec<LinkedPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LinkedPart {
    text: String,
    is_id: bool,
}

impl LinkedText {
    pub fn of(text: &str, ledger: &Ledger) -> LinkedText {
        let mut parts: Vec<LinkedPart> = Vec::new();
        for word in clean_line(text).split_inclusive(|c: char| !c.is_alphanumeric()) {
            let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let is_id = names_entry(bare, ledger);
            let (id, rest) = word.split_at(if is_id { bare.len() } else { 0 });
            if is_id {
                parts.push(LinkedPart { text: id.into(), is_id });
            }
            match parts.last_mut() {
                Some(last) if !last.is_id => last.text.push_str(rest),
                _ => parts.push(LinkedPart { text: rest.into(), is_id: false }),
            }
        }
        LinkedText { parts }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.text.trim().is_empty())
    }
}

fn names_entry(word: &str, ledger: &Ledger) -> bool {
    let number = |prefix: char| {
        let digits = word.strip_prefix(prefix)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<usize>().ok())?
    };
    let known =
        |number: Option<usize>, count: usize| number.is_some_and(|n| (1..=count).contains(&n));
    known(number('C'), ledger.claims.len()) || known(number('E'), ledger.evidence.len())
}

/// The signs of all seats of a debate.
#[derive(Debug, Clone)]
pub struct TableSigns(Vec<SeatSign>);

impl TableSigns {
    pub fn of(room: &Room) -> TableSigns {
        let sign = |(index, seat): (usize, &debate::model::Seat)| SeatSign::new(index, &seat.name);
        TableSigns(room.seats.iter().enumerate().map(sign).collect())
    }

    /// Grey signs with numbers instead of initials.
    pub fn masked(room: &Room) -> TableSigns {
        TableSigns((0..room.seats.len()).map(SeatSign::masked).collect())
    }

    pub fn seat(&self, seat: SeatId) -> SeatSign {
        self.0.get(seat.index()).cloned().unwrap_or_else(|| SeatSign::masked(seat.index()))
    }

    /// Small signs of some seats.
    pub fn seats(&self, seats: &[SeatId]) -> Vec<SeatSign> {
        seats.iter().map(|seat| self.seat(*seat).small()).collect()
    }

    /// The small sign of an agent by its name.
    pub fn named(&self, name: &str) -> SeatSign {
        let wanted = clean_line(name);
        let found = self.0.iter().find(|sign| sign.name == wanted).cloned();
        found.unwrap_or_else(|| SeatSign { number: 0, ..SeatSign::new(0, name) }).small()
    }

    pub fn names(&self, names: &[String]) -> Vec<SeatSign> {
        names.iter().map(|name| self.named(name)).collect()
    }
}
