//! `roundtable config words`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::pager;
use engine::config::Config;
use engine::error::EngineError;

/// Write the built-in prompt templates to a folder, to change them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config words my-words")]
pub struct ConfigWordsArgs {
    /// The folder; files that exist there are never overwritten.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub async fn words(config: &Config, args: ConfigWordsArgs) -> CommandEnd {
    let text = write_templates(&args.folder)?;
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

/// Writes the built-in templates, refusing to overwrite any.
fn write_templates(folder: &Path) -> Result<String, EngineError> {
    let cannot = |error: std::io::Error| {
        EngineError::input(format!("cannot write to {}: {error}", folder.display()))
    };
    let taken: Vec<String> = debate::prompts::templates()
        .iter()
        .map(|template| folder.join(&template.name))
        .filter(|path| path.exists())
        .map(|path| format!("{} exists already; nothing was written", path.display()))
        .collect();
    if !taken.is_empty() {
        return Err(EngineError::Face(taken));
    }
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let mut text = String::new();
    for template in debate::prompts::templates() {
        std::fs::write(folder.join(&template.name), template.text).map_err(cannot)?;
        text.push_str(&format!("{:<28} {}\n", template.name, template.purpose));
    }
    Ok(text)
}
