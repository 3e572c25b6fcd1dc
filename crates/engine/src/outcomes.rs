//! How decisions turned out: tracked, judged in a post-mortem, and recorded for
//! later debates to learn from.

pub mod lessons_file;
pub mod post_mortem;
pub mod record;
pub mod track;
