//! The four layers in a form that a very small model can hold in mind: a few
//! hundred tokens instead of a few thousand. What differs between seats of one
//! role stands at the end of the message, so that everything before it is read
//! once for all of them. The words replace templates of the same names; what
//! they leave out they leave out for want of room, not of worth.

use std::collections::BTreeMap;

/// Template files by name, as a brief takes them.
const COMPACT: &[(&str, &str)] = &[
    ("role.md", include_str!("words/role.md")),
    ("perspective.md", include_str!("words/perspective.md")),
    ("contract.md", include_str!("words/contract.md")),
    ("structure.md", include_str!("words/structure.md")),
    ("verification.md", include_str!("words/verification.md")),
    ("turn.md", include_str!("words/turn.md")),
    ("notice.md", include_str!("words/notice.md")),
    ("repair.md", include_str!("words/repair.md")),
];

/// For [`debate::model::Brief::words`] where every seat is a small local model.
/// Words of the user's own win.
pub fn compact_words(own: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let ours = COMPACT.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    ours.chain(own).collect()
}
