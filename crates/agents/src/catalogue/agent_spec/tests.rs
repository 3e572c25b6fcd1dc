//! Agents as users write them: provider, model, name, fallbacks and addresses.

use std::collections::BTreeMap;

use crate::catalogue::agent_spec::{parse, parse_all};
use crate::catalogue::providers::{
    OwnCommand, ProviderSettings, Sets, Settings, Tier, TierModels, base_url, find,
};

#[test]
fn specs_name_provider_model_and_name() {
    let none = Settings::new();
    let cases = [
        ("ollama/llama3.2", ("llama3.2", "ollama", "llama3.2")),
        ("Ada = Ollama/qwen3:8b", ("Ada", "ollama", "qwen3:8b")),
        ("openrouter/meta-llama/llama-4", ("llama-4", "openrouter", "meta-llama/llama-4")),
        ("mistral", ("mistral-large-latest", "mistral", "mistral-large-latest")),
        ("example/ada", ("ada", "example", "ada")),
    ];
    for (spec, wanted) in cases {
        let agent = parse(spec, Tier::Heavy, &none).unwrap();
        let got = (agent.name.as_str(), agent.provider.as_str(), agent.model.as_str());
        assert_eq!(got, wanted, "{spec}");
    }
    let models = TierModels { heavy: Some("big".into()), light: Some("small".into()) };
    let set = ProviderSettings { models, ..ProviderSettings::default() };
    let settings = BTreeMap::from([("ollama".to_owned(), set)]);
    assert_eq!(parse("ollama", Tier::Light, &settings).unwrap().model, "small");
    assert_eq!(parse("ollama", Tier::Heavy, &settings).unwrap().model, "big");
}

#[test]
fn programs_weights_and_fallbacks_are_named_alike() {
    let command = OwnCommand { argv: vec!["parrot".into()], variables: Vec::new() };
    let set = ProviderSettings { command: Some(command), ..ProviderSettings::default() };
    let settings = BTreeMap::from([("parrot".to_owned(), set)]);
    let cases = [
        ("claude-cli", ("claude-cli", "claude-cli", "default")),
        ("Codex-CLI/o9", ("o9", "codex-cli", "o9")),
        ("ollama-cli/llama3.2", ("llama3.2", "ollama-cli", "llama3.2")),
        ("parrot", ("parrot", "parrot", "default")),
        ("Polly=PARROT", ("Polly", "parrot", "default")),
        ("local", ("smollm2-135m", "local", "smollm2-135m")),
        ("local//data/Tiny-1B.gguf", ("Tiny-1B", "local", "/data/Tiny-1B.gguf")),
        ("local/tiny.whl", ("tiny", "local", "tiny.whl")),
        ("local/.gguf", (".gguf", "local", ".gguf")),
    ];
    for (spec, wanted) in cases {
        let agent = parse(spec, Tier::Heavy, &settings).unwrap();
        let got = (agent.name.as_str(), agent.provider.as_str(), agent.model.as_str());
        assert_eq!(got, wanted, "{spec}");
        assert_eq!(agent.fallback, None, "{spec}");
    }
    for (spec, model, fallback) in [
        ("Ada=ollama/a|b", "a", "b"),
        ("ollama/a | groq/openai/b", "a", "groq/openai/b"),
        ("mistral|mistral-small-latest", "mistral-large-latest", "mistral-small-latest"),
    ] {
        let agent = parse(spec, Tier::Heavy, &settings).unwrap();
        assert_eq!((agent.model.as_str(), agent.fallback.as_deref()), (model, Some(fallback)));
    }
    for spec in ["ollama/a|", "parrot|ollama/a", "local|ollama/a", "claude-cli|x"] {
        assert!(parse(spec, Tier::Heavy, &settings).is_err(), "{spec}");
    }
}

#[test]
fn bad_specs_say_what_to_write() {
    let cases = [
        ("olama/x", "Did you mean ollama or ollama-cli?"),
        ("gpt-5", "Did you mean openai/gpt-5 or openai?"),
        ("llama9", "Did you mean ollama/llama9?"),
        ("frobnicate", "Known are ollama"),
        ("ollama", "Write ollama/<model>"),
        ("ollama/", "Write ollama/<model>"),
        ("", "Write provider/model"),
        ("=ollama/x", "empty name"),
    ];
    for (spec, wanted) in cases {
        let error = parse(spec, Tier::Heavy, &Settings::new()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{spec}: {error}");
    }
    let specs = ["ollama".to_owned(), "groq".to_owned(), "nope".to_owned()];
    assert_eq!(parse_all(&specs, &Settings::new()).unwrap_err().len(), 2);
}

#[test]
fn a_family_and_a_known_model_need_no_provider() {
    for (spec, provider, model) in [
        ("claude", "anthropic", "claude-opus-5-5"),
        ("GPT", "openai", "gpt-6.1-sol"),
        ("x=google", "gemini", "gemini-4-argon"),
        ("claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5"),
        ("grok-4.3", "xai", "grok-4.3"),
    ] {
        let agent = parse(spec, Tier::Heavy, &Settings::new()).unwrap();
        assert_eq!((agent.provider.as_str(), agent.model.as_str()), (provider, model), "{spec}");
    }
}

#[test]
fn the_same_model_twice_gets_two_names() {
    let specs = ["ollama/a", "ollama/a", "A 2=ollama/b", "ollama/a"].map(str::to_owned);
    let agents = parse_all(&specs, &Settings::new()).unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["a", "a 2", "A 2 2", "a 3"]);
}

#[test]
fn addresses_are_read_as_people_write_them() {
    let ollama = find("ollama").unwrap();
    let cases = [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("box:9999", "http://box:9999/v1"),
        ("http://box:9999", "http://box:9999/v1"),
        ("https://box/api/v1/", "https://box/api/v1"),
        ("box", "http://box:11434/v1"),
    ];
    for (given, wanted) in cases {
        assert_eq!(base_url(ollama, given).unwrap(), wanted, "{given}");
    }
    for bad in ["ftp://box", "http://user:pw@box", "http://", "::"] {
        assert!(base_url(ollama, bad).is_err(), "{bad}");
    }
    let openai = find("openai").unwrap();
    assert_eq!(base_url(openai, "https://gate.example/x").unwrap(), "https://gate.example/x");
}

#[test]
fn rows_say_which_variables_they_listen_to() {
    let listens = find("openai").unwrap().listens();
    let names: Vec<_> = listens.iter().map(|one| (one.variable, one.sets)).collect();
    assert_eq!(names, [("OPENAI_API_KEY", Sets::Key), ("OPENAI_BASE_URL", Sets::BaseUrl)]);
}
