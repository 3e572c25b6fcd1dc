//! What a person must know about a table before it debates, typed; each face
//! words it.

use std::path::PathBuf;

use crate::error::FileProblem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableNotice {
    /// The example table debates its own topic.
    Example,
    /// A small model inside the program.
    InProcess,
    Scripted {
        file: PathBuf,
    },
    Replayed {
        file: PathBuf,
    },
    /// All seats are the same model.
    OneModel {
        provider: String,
        model: String,
    },
    /// A light model took the seat of another.
    LightSeat {
        agent: String,
        model: String,
        instead_of: String,
    },
    /// These agents cannot search the web; empty if none of them can.
    NoSearch {
        agents: Vec<String>,
    },
    /// A tool that the brief names is not at hand, in the toolbox's words.
    NoTool {
        why: String,
    },
    Folder {
        folder: PathBuf,
        files: usize,
        bytes: u64,
    },
    LeftOut {
        name: String,
        problem: FileProblem,
    },
    LeftOutMore {
        count: usize,
    },
    LeftOutBeyond {
        count: usize,
        most: usize,
    },
    /// The prices of these agents are not known, so no budget counts them.
    Unpriced {
        agents: Vec<String>,
    },
    /// Each agent is shown a part of the attached text.
    Shortened {
        tokens: usize,
        shown: usize,
    },
}
