//! Outcomes of decisions: tracked, judged in a post-mortem, and recorded so that
//! later debates learn from them.

pub mod calibration;
pub mod lessons;
pub mod lessons_file;
pub mod linked;
pub mod post_mortem;
pub mod record;
pub mod track;
