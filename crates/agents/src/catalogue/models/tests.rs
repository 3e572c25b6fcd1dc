//! The table of models can be read and covers every provider.

use super::{ModelFacts, ModelTable, TABLE, date, default_model, facts, listed};
use crate::catalogue::providers::{PROVIDERS, Tier};

#[test]
fn the_table_can_be_read_and_speaks_only_of_known_providers() {
    let table: ModelTable = toml::from_str(TABLE).unwrap();
    assert_eq!(date().len(), 10);
    for (name, section) in &table.providers {
        assert!(PROVIDERS.iter().any(|row| row.name == name), "{name}");
        assert!(section.heavy.is_some() && section.light.is_some(), "{name}");
    }
    assert!(listed().len() >= 12);
}

#[test]
fn every_provider_with_a_fixed_choice_has_both_tiers() {
    for name in ["anthropic", "openai", "gemini", "perplexity", "groq", "deepseek", "xai"] {
        for tier in [Tier::Heavy, Tier::Light] {
            let model = default_model(name, tier).unwrap();
            let known = facts(name, model);
            assert_ne!(known, ModelFacts::UNKNOWN, "{name} {model}");
            assert!(known.context.is_some(), "{name} {model}");
        }
    }
    assert_eq!(default_model("ollama", Tier::Heavy), None);
}

#[test]
fn thinking_gets_room_within_what_the_model_can_write() {
    let model = ModelFacts { thinking: 1000, output: Some(1500), ..ModelFacts::UNKNOWN };
    assert_eq!(model.output_room(200), 1200);
    assert_eq!(model.output_room(900), 1500);
    assert_eq!(model.output_room(2000), 2000, "what was asked for is not cut down in silence");
    assert_eq!(ModelFacts::UNKNOWN.output_room(700), 700);
    assert_eq!(facts("openai", "a-model-of-tomorrow"), ModelFacts::UNKNOWN);
}
