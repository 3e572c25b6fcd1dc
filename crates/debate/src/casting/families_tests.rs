//! Model families, and a clerk of another family than the table.

use super::*;

fn agent(name: &str, provider: &str, model: &str) -> Agent {
    Agent {
        name: name.into(),
        provider: provider.into(),
        model: model.into(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

#[test]
fn a_family_is_read_from_the_name() {
    let rows = [
        ("anthropic", "claude-opus-4-5", Some("claude")),
        ("openrouter", "anthropic/claude-sonnet-4", Some("claude")),
        ("openai", "gpt-5", Some("gpt")),
        ("openai", "o3-mini", Some("gpt")),
        ("openai", "brand-new", Some("gpt")),
        ("google", "gemini-2.5-pro", Some("gemini")),
        ("ollama", "gemma3:4b", Some("gemma")),
        ("groq", "meta-llama/Llama-4-Scout", Some("llama")),
        ("ollama", "meta-llama-3", Some("llama")),
        ("ollama", "qwen3:8b", Some("qwen")),
        ("mistral", "magistral-medium", Some("mistral")),
        ("ollama", "deepseek-r1-distill-qwen", Some("deepseek")),
        ("xai", "grok-4", Some("grok")),
        ("perplexity", "sonar-pro", Some("sonar")),
        ("ollama", "phi4", Some("phi")),
        ("ollama", "SmolLM2-360M", Some("smollm")),
        ("ollama", "my-finetune", None),
        ("ollama", "dolphin-o3", None),
    ];
    for (provider, model, family) in rows {
        assert_eq!(family_of(provider, model), family, "{provider} {model}");
    }
}

#[test]
fn only_open_families_are_filled_in() {
    let mut agents =
        [agent("a", "openai", "gpt-5"), agent("b", "openai", "gpt-5"), agent("c", "x", "mine")];
    agents[1].family = Some("house".into());
    name_families(&mut agents);
    let families: Vec<_> = agents.iter().map(|agent| agent.family.as_deref()).collect();
    assert_eq!(families, [Some("gpt"), Some("house"), None]);
}

#[test]
fn the_clerk_is_of_another_family_than_most_of_the_table() {
    let gpt = agent("Ada", "openai", "gpt-5");
    let also_gpt = agent("Ben", "openai", "gpt-5");
    let claude = agent("Cy", "anthropic", "claude-opus-4-5");
    let small_gpt = agent("clerk", "openai", "gpt-5-mini");
    let small_claude = agent("clerk", "anthropic", "claude-haiku-4-5");
    let gemini = agent("clerk", "google", "gemini-2.5-flash");
    let table = [gpt.clone(), also_gpt, claude.clone()];
    let choose = |candidates: &[Agent]| choose_clerk(candidates, &table);
    assert_eq!(choose(&[small_gpt.clone(), small_claude.clone()]), Some(1), "not the majority's");
    assert_eq!(choose(&[small_gpt.clone(), small_claude, gemini]), Some(2), "an outsider is best");
    assert_eq!(choose(std::slice::from_ref(&small_gpt)), Some(0), "better than none");
    assert_eq!(choose(std::slice::from_ref(&claude)), None, "never a seat's own agent");
    let twin = agent("clerk", "openai", "gpt-5");
    assert_eq!(choose(&[twin.clone(), small_gpt]), Some(1), "another model of the family first");
    assert_eq!(choose(&[gpt, twin]), Some(1), "a twin under its own name may serve");
    assert_eq!(choose(&[]), None);
}

#[test]
fn a_tie_at_the_table_counts_for_both() {
    let table = [agent("Ada", "openai", "gpt-5"), agent("Cy", "anthropic", "claude-opus-4-5")];
    let candidates = [
        agent("clerk", "openai", "gpt-5-mini"),
        agent("clerk", "ollama", "qwen3:4b"),
        agent("clerk", "anthropic", "claude-haiku-4-5"),
    ];
    assert_eq!(choose_clerk(&candidates, &table), Some(1));
}
