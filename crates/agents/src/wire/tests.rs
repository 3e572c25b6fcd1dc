//! Helpers that the tests of the dialects share.

pub(crate) mod sample;
