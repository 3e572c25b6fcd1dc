//! Agents of every kind at one table, through the binary: real HTTP to a fake
//! provider on loopback, programs, weights. What fails leaves an exact gap, what
//! cannot be is refused before anything is written, and no key is ever shown.

use std::path::Path;

use crate::support::{Did, Home, events};
use fake_provider::{DEFAULT_ANSWER, FakeOptions, FakeProvider, KeySeen};
use serde_json::Value;

const KEY: &str = "sk-canary-1234567890";
const TOPIC: &str = "Should it be done in stages?";
/// Everybody says the same here, which would call for a round of objections.
const EASY: &str = "groupthinkDetection.enabled=false";
/// Nothing listens here.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Provider, variables of its key and its address, the end of the path it is
/// asked on, and whether it knows the version in its path itself.
const DIALECTS: [(&str, &str, &str, &str, Versioned); 7] = [
    ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "/v1/messages", Versioned::Itself),
    ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1/responses", Versioned::InUrl),
    ("gemini", "GEMINI_API_KEY", "GEMINI_BASE_URL", ":streamGenerateContent", Versioned::Itself),
    ("perplexity", "PERPLEXITY_API_KEY", "PERPLEXITY_BASE_URL", "/v1/agent", Versioned::Itself),
    ("xai", "XAI_API_KEY", "XAI_BASE_URL", "/v1/responses", Versioned::InUrl),
    (
        "openrouter",
        "OPENROUTER_API_KEY",
        "OPENROUTER_BASE_URL",
        "/v1/chat/completions",
        Versioned::InUrl,
    ),
    ("custom", "CUSTOM_API_KEY", "CUSTOM_BASE_URL", "/v1/chat/completions", Versioned::InUrl),
];

#[derive(Clone, Copy, PartialEq)]
enum Versioned {
    Itself,
    InUrl,
}

async fn fake() -> FakeProvider {
    FakeProvider::start(FakeOptions { key: Some(KEY.into()), ..FakeOptions::default() })
        .await
        .unwrap()
}

fn address(fake: &FakeProvider, versioned: Versioned) -> String {
    match versioned {
        Versioned::Itself => fake.origin(),
        Versioned::InUrl => fake.base_url(),
    }
}

fn shown(home: &Home, id: &str) -> Value {
    let did = home.run(&["sessions", "show", id, "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    serde_json::from_str(&did.stdout).unwrap()
}

fn only_id(home: &Home) -> String {
    let did = home.run(&["sessions", "list", "--json"]);
    let rows: Value = serde_json::from_str(&did.stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows:#}");
    rows[0]["id"].as_str().unwrap().into()
}

/// Covers: 10-providers
#[tokio::test(flavor = "multi_thread")]
async fn a_debate_over_every_dialect() {
    for (provider, key, url, path, versioned) in DIALECTS {
        let fake = fake().await;
        let home = Home::new();
        let agents = format!("Ann={provider}/m1,Bea={provider}/m2");
        let args = [
            "debate",
            "--clerk=none",
            "--agents",
            &agents,
            "--rounds",
            "1",
            "--json",
            "--flag",
            EASY,
            TOPIC,
        ];
        let did = home.run_with(&args, &[(key, KEY), (url, &address(&fake, versioned))]);
        assert_eq!(did.code, 0, "{provider}: {did:#?}");
        let answered = events(&did).iter().filter(|event| event["type"] == "answered").count();
        assert_eq!(answered, 2, "{provider}");
        for model in ["m1", "m2"] {
            let asked = fake.asked(model);
            assert_eq!(asked.len(), 1, "{provider}: {asked:#?}");
            let entry = &asked[0];
            assert!(entry.path.contains(path), "{provider} asked on {}", entry.path);
            assert_eq!(entry.key, KeySeen::Right, "{provider}");
            let native = |tool: &Value| {
                let kind = tool["type"].as_str().unwrap_or_default();
                kind.contains("web_search") || tool.get("googleSearch").is_some()
            };
            let searches = entry.body["tools"].as_array().is_some_and(|all| all.iter().any(native));
            assert_eq!(searches, provider != "custom", "{provider}: {}", entry.body["tools"]);
        }
        println!("{provider:<11} 2 answers over {path}");
    }
}

/// Covers: 9-search
#[tokio::test(flavor = "multi_thread")]
async fn search_and_tools_are_offered_as_told_and_stand_in_the_brief() {
    for (way, native, own) in [("native", true, true), ("off", false, false), ("api", false, true)]
    {
        let fake = fake().await;
        let home = Home::new();
        let agents = "Ann=anthropic/claude-opus-5-5,Bea=anthropic/claude-haiku-5-5";
        let args =
            ["debate", "--search", way, "--agents", agents, "--rounds", "1", "--json", TOPIC];
        let variables = [
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", &fake.origin()),
            // It is never asked: nobody calls the tool here.
            ("SEARXNG_URL", NOWHERE),
        ];
        let did = home.run_with(&args, &variables);
        assert_eq!(did.code, 0, "{way}: {did:#?}");
        let entry = &fake.asked("claude-opus-5-5")[0];
        let tools = entry.body["tools"].to_string();
        assert_eq!(tools.contains("\"web_search\""), native, "{way}: {tools}");
        assert!(tools.contains("fact_check") && tools.contains("request_context"), "{tools}");
        assert_eq!(tools.contains("read_page"), own, "{way}: {tools}");
        assert_eq!(tools.contains("search_web"), way == "api", "{way}: {tools}");
        let system = entry.body["system"].to_string();
        assert!(system.contains("Tools: check facts"), "{way}");
        let names = shown(&home, &only_id(&home))["brief"]["tools"].to_string();
        assert_eq!(names.contains("native_search"), native, "{way}: {names}");
    }
}

/// Three agents at three providers; `dead` of them cannot be reached.
fn three<'a>(fake: &'a str, origin: &'a str, dead: usize) -> Vec<(&'static str, &'a str)> {
    let at = |place: usize, alive: &'a str| if place < dead { NOWHERE } else { alive };
    vec![
        ("OPENAI_API_KEY", KEY),
        ("MISTRAL_API_KEY", KEY),
        ("ANTHROPIC_API_KEY", KEY),
        ("OPENAI_BASE_URL", at(0, fake)),
        ("MISTRAL_BASE_URL", at(1, fake)),
        ("ANTHROPIC_BASE_URL", at(2, origin)),
    ]
}

const THREE: [&str; 9] = [
    "debate",
    "--agents",
    "Ann=openai/m1,Bea=mistral/m2,Cem=anthropic/m3",
    "--rounds",
    "2",
    "--timeout",
    "10",
    "--json",
    TOPIC,
];

#[tokio::test(flavor = "multi_thread")]
async fn one_of_three_providers_dead_leaves_exact_gaps() {
    let fake = fake().await;
    let home = Home::new();
    let did = home.run_with(&THREE, &three(&fake.base_url(), &fake.origin(), 1));
    assert_eq!(did.code, 0, "{did:#?}");
    let session = shown(&home, &only_id(&home));
    let rounds = session["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 2);
    for round in rounds {
        let gaps = round["gaps"].as_array().unwrap();
        assert_eq!(gaps.len(), 1, "{round:#}");
        assert_eq!(gaps[0]["seat"], session["seats"][0]["id"], "{round:#}");
        assert_eq!(round["answers"].as_array().unwrap().len(), 2, "{round:#}");
    }
    assert_eq!((fake.asked("m2").len(), fake.asked("m3").len()), (2, 2));
    assert!(fake.asked("m1").is_empty());
    // The gap is the same in the result, the analysis, the text and what others see.
    let metadata = &session["verdict"]["metadata"];
    let gaps = metadata["gaps"].as_array().unwrap();
    let missed: Vec<_> = gaps.iter().map(|gap| (&gap["agent"], &gap["round"])).collect();
    assert_eq!(missed, [(&"Ann".into(), &1.into()), (&"Ann".into(), &2.into())], "{metadata:#}");
    assert_eq!((&metadata["answered"], &metadata["seats"]), (&2.into(), &3.into()));
    for round in rounds {
        assert_eq!(round["analysis"]["answered"], 2, "{round:#}");
    }
    let text = home.run(&["sessions", "show", &only_id(&home)]).stdout;
    // Above all rounds and in each of them.
    assert_eq!(text.matches("Ann gave no answer (").count(), 4, "{text}");
    assert!(text.contains("Ann gave no answer in round 1 (unreachable) and"), "{text}");
    assert!(text.contains("2 of 3 answered"), "{text}");
    let view = fake.asked("m2")[1].body.to_string();
    assert!(view.contains("Ann") && view.contains("(unreachable"), "{view}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_of_three_dead_pauses_and_recovers() {
    let fake = fake().await;
    let home = Home::new();
    let (url, origin) = (fake.base_url(), fake.origin());
    let did = home.run_with(&THREE, &three(&url, &origin, 2));
    assert_eq!(did.code, 3, "{did:#?}");
    assert!(did.stderr.contains("needs at least 2"), "{}", did.stderr);
    for words in ["round 1 has 1 of 3 answers", "Ann: ", "Bea: ", "roundtable resume"] {
        assert!(did.stderr.contains(words), "{words}: {}", did.stderr);
    }
    let before = fake.asked("m3").len();
    let id = only_id(&home);
    let session = shown(&home, &id);
    assert_eq!(session["pausedFor"]["kind"], "quorumLost", "{session:#}");
    assert_eq!(session["pausedFor"]["answered"], 1);
    assert_eq!(session["rounds"][0]["gaps"].as_array().unwrap().len(), 2);
    let text = home.run(&["sessions", "show", &id]).stdout;
    assert!(text.contains("1 of 3 answers") && text.contains("needs at least 2"), "{text}");
    let did = home.run_with(&["sessions", "resume", &id, "--json"], &three(&url, &origin, 0));
    assert_eq!(did.code, 0, "{did:#?}");
    let session = shown(&home, &id);
    assert_eq!(session["status"], "completed");
    let gaps = session["rounds"].as_array().unwrap().iter().map(|round| round["gaps"].as_array());
    assert!(gaps.flatten().all(Vec::is_empty), "the gaps were filled");
    // What was answered before the pause is not asked again.
    assert_eq!((before, fake.asked("m3").len()), (1, 2));
    assert_eq!(fake.asked("m1").len(), 2);
}

/// Covers: 12-breaker
#[tokio::test(flavor = "multi_thread")]
async fn a_fallback_answers_under_its_own_name() {
    let fake = fake().await;
    let home = Home::new();
    let agents = "Ann=custom/fault:truncated|m9,Bea=custom/m2";
    let args = [
        "debate",
        "--clerk=none",
        "--agents",
        agents,
        "--rounds",
        "1",
        "--json",
        "--flag",
        EASY,
        TOPIC,
    ];
    let did = home.run_with(&args, &[("CUSTOM_BASE_URL", &fake.base_url())]);
    assert_eq!(did.code, 0, "{did:#?}");
    let answers = shown(&home, &only_id(&home))["rounds"][0]["answers"].take();
    assert_eq!(answers[0]["turn"]["model"], "m9", "{answers:#}");
    assert_eq!(fake.asked("m9").len(), 1);
}

#[test]
fn a_program_from_the_config_file_debates() {
    let home = Home::new();
    home.file("answer.json", DEFAULT_ANSWER);
    let script = home.file(
        "parrot.sh",
        "cat > heard.txt\necho \"$SECRET-$WORD\" > given.txt\ncat answer.json\n",
    );
    home.file(
        "config/roundtable/config.toml",
        &format!(
            "[commands.parrot]\nargv = [\"/bin/sh\", {:?}]\nvariables = [\"WORD\"]\n",
            script.display().to_string()
        ),
    );
    let args = ["debate", "--agents", "parrot,Polly=parrot", "--rounds", "1", "--json", TOPIC];
    let did = home.run_with(&args, &[("WORD", "told"), ("SECRET", KEY), ("OPENAI_API_KEY", KEY)]);
    assert_eq!(did.code, 0, "{did:#?}");
    let session = shown(&home, &only_id(&home));
    let names: Vec<&Value> =
        session["seats"].as_array().unwrap().iter().map(|seat| &seat["name"]).collect();
    assert_eq!(names, ["parrot", "Polly"]);
    let heard = std::fs::read_to_string(home.path().join("heard.txt")).unwrap();
    assert!(heard.contains(TOPIC) && !heard.contains("Tools: check facts"), "{heard}");
    let given = std::fs::read_to_string(home.path().join("given.txt")).unwrap();
    assert_eq!(given, "-told\n", "a program got a variable that was not listed for it");
}

#[test]
fn what_a_program_costs_is_unknown_and_not_nothing() {
    let home = Home::new();
    home.file("answer.json", DEFAULT_ANSWER);
    let script = home.file("parrot.sh", "cat > /dev/null\ncat answer.json\n");
    let argv = format!("[commands.parrot]\nargv = [\"/bin/sh\", {:?}]\n", script.display());
    let args = [
        "debate",
        "--agents",
        "parrot,Polly=parrot",
        "--rounds",
        "1",
        "--clerk=none",
        "--budget",
        "5",
        "--flag",
        EASY,
        "--json",
        TOPIC,
    ];
    for (more, code) in [
        ("", 2),
        ("allow_unpriced = true\n", 0),
        ("[prices.\"parrot/default\"]\ninput = 0.0\noutput = 0.0\n", 0),
        ("[prices.\"parrot/default\"]\ninput = 0.0\noutput = 1000000.0\n", 2),
    ] {
        let (before, after) = if more.starts_with('[') { ("", more) } else { (more, "") };
        home.file("config/roundtable/config.toml", &format!("{before}{argv}{after}"));
        let did = home.run(&args);
        assert_eq!(did.code, code, "{more:?}: {did:#?}");
        if more.is_empty() {
            assert!(did.stderr.contains("not known"), "{}", did.stderr);
        }
    }
}

#[cfg(unix)]
fn program(home: &Home, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = home.file(&format!("bin/{name}"), text);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    home.path().join("bin").display().to_string()
}

#[cfg(unix)]
/// Covers: 10-found
#[test]
fn programs_on_the_path_are_found_and_take_seats() {
    let home = Home::new();
    home.file("answer.json", DEFAULT_ANSWER);
    let answer = home.path().join("answer.json").display().to_string();
    let script = format!("#!/bin/sh\n/bin/cat > /dev/null\n/bin/cat {answer}\n");
    let path = program(&home, "claude", &script);
    let did = home.run_with(&["agents", "--json"], &[("PATH", &path)]);
    let lines: Value = serde_json::from_str(&did.stdout).unwrap();
    let line =
        |name: &str| lines.as_array().unwrap().iter().find(|l| l["provider"] == name).cloned();
    assert_eq!(line("claude-cli").unwrap()["ready"], true, "{lines:#}");
    let codex = line("codex-cli").unwrap();
    assert_eq!(codex["ready"], false);
    assert!(codex["note"].as_str().unwrap().contains("codex login"), "{codex}");
    assert_eq!(line("local").unwrap()["ready"], false);
    let did = home.run_with(&["debate", "--rounds", "1", "--json", TOPIC], &[("PATH", &path)]);
    assert_eq!(did.code, 0, "{did:#?}");
    let session = shown(&home, &only_id(&home));
    assert_eq!(session["brief"]["agents"].as_array().unwrap().len(), 3);
    assert_eq!(session["brief"]["agents"][0]["provider"], "claude-cli");
}

fn refused(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> String {
    let did = home.run_with(args, variables);
    assert_eq!((did.code, did.stdout.as_str()), (2, ""), "{args:?}: {did:#?}");
    assert!(!home.database().exists(), "{args:?} wrote a database");
    did.stderr
}

/// Agents, variables, and what the message must say.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

#[test]
fn what_cannot_sit_here_is_refused_before_the_debate() {
    let home = Home::new();
    home.file("damaged.gguf", "GGUF and then nothing of the kind");
    home.file("other.gguf", "not weights at all");
    home.file("config/roundtable/config.toml", "[commands.gone]\nargv = [\"no-such-program\"]\n");
    let nonsense = [("OPENAI_BASE_URL", "ftp://x")];
    #[rustfmt::skip]
    let cases: &[Case<'_>] = &[
        ("anthropic,anthropic", &[], &["ANTHROPIC_API_KEY"]),
        ("antropic,openai", &[], &["antropic", "anthropic"]),
        ("ollama/a,ollama/b", &nonsense, &["ftp://x", "http"]),
        ("custom/a,custom/b", &[], &["CUSTOM_BASE_URL"]),
        ("claude-cli,codex-cli", &[], &["claude", "PATH", "Install"]),
        ("ollama-cli,ollama-cli", &[], &["ollama-cli/<model>"]),
        ("gone,gone", &[], &["no-such-program"]),
        ("local/none.gguf,local/none.gguf", &[], &["none.gguf", "does not exist"]),
        ("local/damaged.gguf,ollama/a", &[], &["damaged.gguf"]),
        ("local/other.gguf,ollama/a", &[], &["other.gguf", "not a GGUF file"]),
        ("local/gpt,ollama/a", &[], &["gpt", "smollm2-135m"]),
        ("local,ollama/a", &[], &["SmolLM2", "not here yet"]),
        ("gone|ollama/a,ollama/a", &[], &["fallback"]),
        ("ollama/a|,ollama/a", &[], &["fallback"]),
        ("ollama/a|anthropic/b,ollama/a", &[], &["ANTHROPIC_API_KEY"]),
    ];
    for (agents, variables, said) in cases {
        let message = refused(&home, &["debate", "--agents", agents, TOPIC], variables);
        for word in *said {
            assert!(message.contains(word), "{agents}: {word:?} is not in {message}");
        }
    }
    let two = ["debate", "--agents", "ollama/a,ollama/b", TOPIC, "--search"];
    for (way, variables, said) in [
        ("sideways", [("X", "")], "auto, native, api, off"),
        ("api", [("X", "")], "BRAVE_API_KEY"),
        ("native", [("X", "")], "anthropic"),
        ("auto", [("SEARXNG_URL", "nonsense")], "SearXNG"),
    ] {
        let message = refused(&home, &[&two[..], &[way]].concat(), &variables);
        assert!(message.contains(said), "{way}: {message}");
    }
}

#[test]
fn a_config_file_s_commands_and_prices_are_checked() {
    for (text, said) in [
        ("[commands.openai]\nargv = [\"x\"]\n", "taken"),
        ("[commands.mine]\nargv = []\n", "empty"),
        ("[commands.\"a b\"]\nargv = [\"x\"]\n", "letters"),
        ("[prices.\"custom/m\"]\ninput = -1.0\noutput = 2.0\n", "custom/m"),
        ("[prices.custom]\ninput = 1.0\noutput = 2.0\n", "provider/model"),
    ] {
        let home = Home::new();
        home.file("config/roundtable/config.toml", text);
        let message = refused(&home, &["debate", "--agents", "ollama/a,ollama/b", TOPIC], &[]);
        assert!(message.contains(said), "{text}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_of_one_s_own_makes_a_model_affordable() {
    let fake = fake().await;
    let home = Home::new();
    let url = fake.base_url();
    let args = [
        "debate",
        "--agents",
        "Ann=custom/m1,Bea=custom/m1",
        "--rounds",
        "1",
        "--budget",
        "8",
        "-q",
        TOPIC,
    ];
    let did = home.run_with(&args, &[("CUSTOM_BASE_URL", &url)]);
    assert_eq!(did.code, 2, "{did:#?}");
    assert!(did.stderr.contains("not known"), "{}", did.stderr);
    home.file(
        "config/roundtable/config.toml",
        "[prices.\"custom/m1\"]\ninput = 1.0\ncached = 0.1\noutput = 100.0\n",
    );
    let did = home.run_with(&args, &[("CUSTOM_BASE_URL", &url)]);
    assert_eq!(did.code, 0, "{did:#?}");
    let costs = home.run(&["costs", "--by", "provider", "--json"]);
    let costs: Value = serde_json::from_str(&costs.stdout).unwrap();
    let above = |name: &str| costs[0][name].as_f64() > Some(0.0);
    assert!(above("spentUsd") && above("cachedTokens") && above("savedUsd"), "{costs:#}");
    assert!(home.run(&["costs"]).stdout.contains("40 % of the input from caches"));
    // The worst case of two answers of 4096 tokens is over 0.80 USD.
    let args = args.map(|arg| if arg == "8" { "0.50" } else { arg });
    let did = home.run_with(&args, &[("CUSTOM_BASE_URL", &url)]);
    assert!(did.code == 2 && did.stderr.contains("Allow at least"), "{did:#?}");
}

#[test]
fn weights_that_cannot_be_fetched_say_what_to_do() {
    let home = Home::new();
    let message = refused(&home, &["models", "fetch", "nope"], &[]);
    assert!(message.contains("nope") && message.contains("smollm2-135m"), "{message}");
    let from = format!("{NOWHERE}/x.gguf");
    let did = home.run(&["models", "fetch", "smollm2-135m", "--from", &from]);
    assert_eq!((did.code, did.stdout.as_str()), (1, ""), "{did:#?}");
    assert!(did.stderr.contains("could not be downloaded"), "{}", did.stderr);
    assert!(did.stderr.contains("run the same command again"), "{}", did.stderr);
}

fn no_key_in(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            no_key_in(&path);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes());
        assert!(!found, "the key is in {}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_ever_shown_or_stored() {
    let fake = fake().await;
    for way in ["--json", "--quiet", "--search=auto"] {
        let home = Home::new();
        // One fault quotes the key back.
        let agents = "Ann=openai/m1,Bea=openai/m2,Cem=openai/fault:bad_key";
        let args = ["debate", "--agents", agents, "--rounds", "1", way, TOPIC];
        let url = fake.base_url();
        let variables =
            [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", url.as_str()), ("BRAVE_API_KEY", KEY)];
        let Did { code, stdout, stderr } = home.run_with(&args, &variables);
        assert!(matches!(code, 0 | 3), "{code}: {stderr}");
        assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "{stdout}\n{stderr}");
        assert!(home.database().exists());
        no_key_in(home.path());
    }
    assert!(!fake.asked("fault:bad_key").is_empty());
}
