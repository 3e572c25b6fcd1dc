//! The words of `roundtable config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::args::ListingArgs;
use super::examples;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting.
    #[command(after_help = examples::CONFIG_SHOW)]
    Show {
        /// Say where each value came from.
        #[arg(long)]
        sources: bool,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set one value of the config file; comments and the rest stay.
    #[command(after_help = examples::CONFIG_SET)]
    Set {
        /// As `config show` lists it, e.g. rounds or exitCriteria.enabled, or a key of a table,
        /// e.g. profiles.review.mode.
        key: String,
        /// Lists are separated by commas.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take one value out of the config file; the default holds again.
    #[command(after_help = examples::CONFIG_UNSET)]
    Unset {
        /// As in `config set`.
        key: String,
    },
    /// Choose what ends a debate early: agreement, votes or evidence_based_debate.
    #[command(after_help = examples::CONFIG_SET_ALGORITHM)]
    SetAlgorithm {
        /// The algorithm's name.
        name: String,
    },
    /// List the profiles: named panels of agents with their settings.
    #[command(after_help = examples::CONFIG_PROFILES)]
    Profiles(ListingArgs),
    /// Show where the config file, the templates and the database are.
    #[command(after_help = examples::CONFIG_PATH)]
    Path,
    /// Measure the config file's embedder, so that its similarities mean what others' do.
    #[command(after_help = examples::CONFIG_CALIBRATE)]
    Calibrate,
    /// Keep the key of a provider or a search API in a file that only you can read.
    #[command(after_help = examples::CONFIG_SET_KEY)]
    SetKey {
        /// Whose key: anthropic, openai, … as `roundtable agents` lists them.
        provider: String,
        #[command(flatten)]
        keyring: Keyring,
    },
    /// Remove a key that was kept.
    #[command(after_help = examples::CONFIG_REMOVE_KEY)]
    RemoveKey {
        /// Whose key.
        provider: String,
    },
    /// Write the built-in prompt templates to a folder, to change them.
    #[command(after_help = examples::CONFIG_WORDS)]
    Words {
        /// The folder; files that exist there are never overwritten.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct Keyring {
    /// Keep it in the system keyring instead (in builds that have it).
    #[arg(long)]
    pub keyring: bool,
}
