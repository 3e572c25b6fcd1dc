//! The room that speaks to models. It turns one ask into one reply or one
//! failure, and shows the words to a watcher as they arrive.
//!
//! It knows providers, wire formats and scripts. It knows no debate, keeps no
//! record and reads no environment: keys and addresses come in as data. It never
//! writes a word in an agent's name that the agent did not send.
//!
//! Its rooms use only those above them:
//!
//! | room | holds |
//! |---|---|
//! | [`redaction`] | texts without keys and passwords |
//! | [`speaker`], [`conversation`] | the promises of a speaker and the nouns of tool use |
//! | [`wire`] | the providers' wire formats: pure functions |
//! | [`http`] | everything that sends bytes |
//! | [`catalogue`] | the tables of providers, models, prices and programs |
//! | [`embed`] | vectors for texts |
//! | [`tools`] | what agents can do besides speaking |
//! | [`speakers`] | whatever can hold a seat, and the panel |

pub mod catalogue;
pub mod conversation;
pub mod embed;
pub mod http;
pub mod redaction;
pub mod speaker;
pub mod speakers;
pub mod tools;
pub mod wire;

pub use catalogue::{agent_spec, discovery, models, prices, providers};
pub use conversation::{
    Converse, Exchange, Prompt, StepEnd, ToolOutcome, ToolResult, ToolSpec, WantedCall, WantedCalls,
};
pub use http::retry::RetryPolicy;
pub use http::{Http, HttpSettings, Timeouts};
pub use speaker::{
    FetchEnd, NoWatch, RequestCost, Speaker, SpeechDelta, StepPermit, Watch, cancelled,
};
#[cfg(feature = "local")]
pub use speakers::local;
pub use speakers::{
    MOST_SEARCHES, Machine, Outside, Panel, PanelError, Remote, SCRIPT_PROVIDER, WithFallback,
    WithTools, answer_style, command, converser, measure, recorded, scripted, searches_natively,
    takes_tools,
};
pub use tokio_util::sync::CancellationToken;
pub use tools::search_engines;
pub use wire::{EffortField, Keep, NativeSearch};
