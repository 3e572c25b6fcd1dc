//! One row per provider: what it is called, how it speaks, where it lives, and
//! which environment variables it listens to. The rows are data; nothing here
//! reads the environment or sends anything.

use std::collections::BTreeMap;

use secrecy::SecretString;

use crate::catalogue::models;
pub use crate::catalogue::models::Tier;
use crate::redaction::shown_address;
pub use crate::wire::dialect::{KeyNeed, Provider, ProviderPlace};
use crate::wire::{
    EffortField, Keep, NativeSearch, OutputLimit, Target, anthropic, gemini, openai_chat, responses,
};

/// The user's settings for one provider; absent fields keep the row's own.
#[derive(Debug, Clone, Default)]
pub struct ProviderSettings {
    pub base_url: Option<String>,
    pub key: Option<SecretString>,
    /// The source of the key, for people: a variable, a file, a keyring.
    pub key_from: Option<String>,
    /// Further headers, sent to this provider's host only.
    pub headers: Vec<(String, SecretString)>,
    pub models: TierModels,
    /// Allows agents of this provider to use its own web search.
    pub search: NativeSearch,
    pub effort: EffortField,
    /// Asks the provider to keep answers until they are stored here.
    pub keep: Keep,
    /// Set where the name stands for a program of the user's own.
    pub command: Option<OwnCommand>,
}

/// A program of the user's own that holds a seat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnCommand {
    /// The program first, each argument as it stands.
    pub argv: Vec<String>,
    /// Variables it is given besides those that every program gets, by name.
    pub variables: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TierModels {
    pub heavy: Option<String>,
    pub light: Option<String>,
}

/// Settings by provider name.
pub type Settings = BTreeMap<String, ProviderSettings>;

/// An environment variable a row listens to. The binary reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderVariable {
    pub variable: &'static str,
    pub sets: Sets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sets {
    Key,
    BaseUrl,
}

const fn local(
    name: &'static str,
    title: &'static str,
    base_url: &'static str,
    url_variables: &'static [&'static str],
    key_variable: Option<&'static str>,
) -> Provider {
    Provider {
        name,
        title,
        dialect: &openai_chat::DIALECT,
        base_url: Some(base_url),
        place: ProviderPlace::Local,
        key: KeyNeed::Optional,
        key_variable,
        other_key_variables: &[],
        key_page: None,
        url_variables,
        output_limit: OutputLimit::MaxTokens,
    }
}

const fn remote(
    name: &'static str,
    title: &'static str,
    base_url: &'static str,
    variables: (&'static str, &'static [&'static str]),
    key_page: &'static str,
) -> Provider {
    Provider {
        name,
        title,
        dialect: &openai_chat::DIALECT,
        base_url: Some(base_url),
        place: ProviderPlace::Remote,
        key: KeyNeed::Required,
        key_variable: Some(variables.0),
        other_key_variables: &[],
        key_page: Some(key_page),
        url_variables: variables.1,
        output_limit: OutputLimit::MaxTokens,
    }
}

pub const PROVIDERS: &[Provider] = &[
    local(
        "ollama",
        "Ollama",
        "http://127.0.0.1:11434/v1",
        &["OLLAMA_BASE_URL", "OLLAMA_HOST"],
        None,
    ),
    local("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", &["LLAMACPP_BASE_URL"], None),
    local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", &["LMSTUDIO_BASE_URL"], None),
    local("vllm", "vLLM", "http://127.0.0.1:8000/v1", &["VLLM_BASE_URL"], Some("VLLM_API_KEY")),
    Provider {
        dialect: &anthropic::DIALECT,
        ..remote(
            "anthropic",
            "Anthropic",
            "https://api.anthropic.com",
            ("ANTHROPIC_API_KEY", &["ANTHROPIC_BASE_URL"]),
            "https://console.anthropic.com/settings/keys",
        )
    },
    Provider {
        dialect: &responses::OPENAI,
        ..remote(
            "openai",
            "OpenAI",
            "https://api.openai.com/v1",
            ("OPENAI_API_KEY", &["OPENAI_BASE_URL"]),
            "https://platform.openai.com/api-keys",
        )
    },
    Provider {
        dialect: &gemini::DIALECT,
        other_key_variables: &["GOOGLE_API_KEY"],
        ..remote(
            "gemini",
            "Google Gemini",
            "https://generativelanguage.googleapis.com",
            ("GEMINI_API_KEY", &["GEMINI_BASE_URL"]),
            "https://aistudio.google.com/apikey",
        )
    },
    Provider {
        dialect: &responses::PERPLEXITY,
        other_key_variables: &["PPLX_API_KEY"],
        ..remote(
            "perplexity",
            "Perplexity",
            "https://api.perplexity.ai",
            ("PERPLEXITY_API_KEY", &["PERPLEXITY_BASE_URL"]),
            "https://www.perplexity.ai/settings/api",
        )
    },
    Provider {
        dialect: &openai_chat::OPENROUTER,
        ..remote(
            "openrouter",
            "OpenRouter",
            "https://openrouter.ai/api/v1",
            ("OPENROUTER_API_KEY", &["OPENROUTER_BASE_URL"]),
            "https://openrouter.ai/settings/keys",
        )
    },
    remote(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY", &["GROQ_BASE_URL"]),
        "https://console.groq.com/keys",
    ),
    remote(
        "deepseek",
        "DeepSeek",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY", &["DEEPSEEK_BASE_URL"]),
        "https://platform.deepseek.com/api_keys",
    ),
    Provider {
        dialect: &responses::XAI,
        ..remote(
            "xai",
            "xAI",
            "https://api.x.ai/v1",
            ("XAI_API_KEY", &["XAI_BASE_URL"]),
            "https://console.x.ai",
        )
    },
    remote(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY", &["MISTRAL_BASE_URL"]),
        "https://console.mistral.ai/api-keys",
    ),
    remote(
        "together",
        "Together",
        "https://api.together.xyz/v1",
        ("TOGETHER_API_KEY", &["TOGETHER_BASE_URL"]),
        "https://api.together.ai/settings/api-keys",
    ),
    Provider {
        name: "custom",
        title: "a server of your own",
        dialect: &openai_chat::DIALECT,
        base_url: None,
        place: ProviderPlace::Remote,
        key: KeyNeed::Optional,
        key_variable: Some("CUSTOM_API_KEY"),
        other_key_variables: &[],
        key_page: None,
        url_variables: &["CUSTOM_BASE_URL"],
        output_limit: OutputLimit::MaxTokens,
    },
];

pub fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name.eq_ignore_ascii_case(name))
}

impl Provider {
    /// Every environment variable this row listens to, strongest first.
    pub fn listens(&self) -> Vec<ProviderVariable> {
        let urls = self.url_variables.iter();
        let urls = urls.map(|variable| ProviderVariable { variable, sets: Sets::BaseUrl });
        let keys = self.key_variable.iter().chain(self.other_key_variables);
        let keys = keys.map(|variable| ProviderVariable { variable, sets: Sets::Key });
        keys.chain(urls).collect()
    }

    /// True where its models can search the web by themselves.
    pub fn has_native_search(&self) -> bool {
        self.dialect.native_search == NativeSearch::Native
    }

    /// True where it can keep an answer to be fetched later.
    pub fn keeps_answers(&self) -> bool {
        self.dialect.kept.is_some()
    }

    /// The model for a tier: the user's, else the row's own.
    pub fn model(&self, tier: Tier, settings: Option<&ProviderSettings>) -> Option<String> {
        let set = settings.map(|settings| &settings.models);
        let set = match tier {
            Tier::Heavy => set.and_then(|models| models.heavy.clone()),
            Tier::Light => set.and_then(|models| models.light.clone()),
        };
        set.or_else(|| models::default_model(self.name, tier).map(str::to_owned))
    }
}

/// Makes a base URL of what people put into such variables: `OLLAMA_HOST` may
/// be `0.0.0.0`, `box:11434` or a whole URL with or without `/v1`.
pub fn base_url(provider: &Provider, given: &str) -> Result<String, BadUrl> {
    let bad = |problem| BadUrl { provider: provider.name, given: shown_address(given), problem };
    let given = given.trim();
    let with_scheme =
        if given.contains("://") { given.to_owned() } else { format!("http://{given}") };
    let mut url =
        reqwest::Url::parse(&with_scheme).map_err(|_| bad("it cannot be read as a URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("only http and https are spoken"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("keys do not belong into the URL; set the key instead"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("a base URL has no query; a key is set, not written into it"));
    }
    // A listening address is no address to call.
    if url.host_str() == Some("0.0.0.0") {
        url.set_host(Some("127.0.0.1")).map_err(|_| bad("its host cannot be used"))?;
    }
    // A bare host stands for the server's usual port and path.
    let usual = provider.base_url.and_then(|usual| reqwest::Url::parse(usual).ok());
    if let (ProviderPlace::Local, Some(usual)) = (provider.place, usual) {
        if url.port().is_none() && !given.contains("://") {
            url.set_port(usual.port()).map_err(|()| bad("its port cannot be used"))?;
        }
        if matches!(url.path(), "" | "/") {
            url.set_path(usual.path());
        }
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the base URL \"{given}\" for {provider} cannot be used: {problem}. Example: http://127.0.0.1:11434/v1"
)]
pub struct BadUrl {
    pub provider: &'static str,
    /// The address without a password.
    pub given: String,
    pub problem: &'static str,
}

/// Why a provider's row and settings make no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("{provider} needs an address. Set {variable}, for example to http://127.0.0.1:8000/v1")]
    NoUrl { provider: &'static str, variable: &'static str },
    #[error(transparent)]
    BadUrl(#[from] BadUrl),
}

/// The target for a model: its address and key, as the user set them.
pub(crate) fn target(
    provider: &'static Provider,
    model: String,
    settings: &Settings,
) -> Result<Target, TargetError> {
    let set = settings.get(provider.name).cloned().unwrap_or_default();
    let given = set.base_url.as_deref().or(provider.base_url).ok_or(TargetError::NoUrl {
        provider: provider.name,
        variable: provider.url_variables.first().copied().unwrap_or("its base URL"),
    })?;
    let base_url = base_url(provider, given)?;
    let host = reqwest::Url::parse(&base_url).ok().and_then(|url| {
        let host = url.host_str()?.to_owned();
        Some(url.port().map_or(host.clone(), |port| format!("{host}:{port}")))
    });
    let facts = models::facts(provider.name, &model);
    Ok(Target {
        provider,
        facts,
        model,
        host: host.unwrap_or_default(),
        base_url,
        key: set.key,
        headers: set.headers,
        search: set.search,
        effort: set.effort,
        keep: set.keep,
    })
}
