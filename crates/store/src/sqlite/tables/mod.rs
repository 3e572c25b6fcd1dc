//! The tables, one file each: its statements and how its rows are read. A row is
//! checked by the pure rules above before anything in it is believed.

pub(crate) mod calls;
pub(crate) mod commands;
pub(crate) mod debates;
pub(crate) mod events;
pub(crate) mod outcomes;
pub(crate) mod people;
pub(crate) mod runs;
pub(crate) mod words;
