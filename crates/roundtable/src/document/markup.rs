//! HTML or SVG that was made in this room, with everything foreign in it escaped. No
//! other room can make any, so that nothing unescaped reaches a page.

use std::fmt;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup(String);

impl Markup {
    pub(in crate::document) fn of(html: String) -> Markup {
        Markup(html)
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
