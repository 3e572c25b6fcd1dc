//! Every language has every label, every label is written somewhere, and texts are found.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;

fn german() -> &'static Labels {
    ALL.iter().find(|labels| labels.code == "de").unwrap()
}

/// The places of a text, sorted.
fn places(text: &str) -> BTreeSet<char> {
    text.split('{').skip(1).filter_map(|rest| rest.chars().next()).collect()
}

/// Covers: 5-language
#[test]
fn every_language_has_every_label_and_no_other() {
    let english = texts(ENGLISH);
    assert!(english.len() > 400, "the file was not read: {}", english.len());
    let different: BTreeSet<&String> = english.values().collect();
    assert_eq!(different.len(), english.len(), "a text stands twice in the English file");
    for (code, words) in LANGUAGES {
        let own = texts(words);
        let keys = |all: &HashMap<String, String>| all.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(keys(&own), keys(&english), "{code}: missing or unused keys");
        for (key, text) in &own {
            assert_eq!(places(text), places(&english[key]), "{code}: {key}");
        }
    }
}

/// All sources that write for people, with the lines of long texts joined.
fn sources() -> String {
    fn read(folder: &Path, out: &mut String) {
        let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
        all.sort_by_key(std::fs::DirEntry::path);
        for entry in all {
            let path = entry.path();
            let ending = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
            if path.is_dir() {
                read(&path, out);
            } else if ["rs", "html", "js"].contains(&ending) {
                out.push_str(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    for folder in ["src", "../debate/src", "../engine/src"] {
        read(&root.join(folder), &mut all);
    }
    let lines: Vec<&str> = all.lines().map(str::trim).collect();
    lines.join("\n").replace("\\\n", "")
}

#[test]
fn every_label_is_written_somewhere() {
    let small = sources().to_lowercase();
    let unused: Vec<String> = texts(ENGLISH)
        .into_values()
        .filter(|text| {
            let words = text.split(['{', '}']).step_by(2);
            let signs = |c: char| !c.is_alphanumeric();
            let mut words = words.map(|part| part.trim_matches(signs)).filter(|w| !w.is_empty());
            // Counted things and codes are put together from words, some lines begin small.
            let counted = text.starts_with(|c: char| c.is_ascii_digit() || c == '{');
            let coded = ["stance ", "votes ", "points "].iter().any(|code| text.starts_with(code));
            let has = |one: &str| small.contains(one.to_lowercase().trim_end_matches('s'));
            !words.all(|part| has(part) || (counted || coded) && part.split(' ').all(has))
        })
        .collect();
    assert_eq!(unused, Vec::<String>::new(), "labels that no code writes");
}

#[test]
fn labels_sentences_and_figures_are_found() {
    for (english, own) in [
        ("Decision", "Entscheidung"),
        ("  Why ", "  Warum "),
        (
            "3 of 3 agree · 86 % weighed · 1 point disputed",
            "3 von 3 einig · 86 % gewichtet · 1 Punkt strittig",
        ),
        (
            "3 agents · 1 round · 1,234 tokens · free",
            "3 Agenten · 1 Runde · 1.234 Token · kostenlos",
        ),
        ("confidence 0.82 (+0.04)", "Sicherheit 0,82 (+0,04)"),
        ("0.94", "0,94"),
        ("86\u{a0}% weighed", "86\u{a0}% gewichtet"),
        (
            "3 of 3 agree (agreement 0.83). Still contested: look at C4.",
            "3 von 3 sind sich einig (Einigkeit 0,83). Noch umstritten: Siehe C4.",
        ),
        (
            "Bert is surer than its evidence allows. No agent cited a source.",
            "Bert ist sicherer, als die Belege erlauben. Kein Agent nannte eine Quelle.",
        ),
        ("FACT, DOCUMENTED", "TATSACHE, DOKUMENTIERT"),
        (
            "3 of 3 agree (agreement 0.67). Anna and Bert contradict each other: Kommt es am 20. Mai?",
            "3 von 3 sind sich einig (Einigkeit 0,67). Anna und Bert widersprechen einander: Kommt es am 20. Mai?",
        ),
        ("Anna, Bert and Cem", "Anna, Bert und Cem"),
        (
            "qwen3-8b and gpt-5.2 are surer than their evidence allows",
            "qwen3-8b und gpt-5.2 sind sicherer, als die Belege erlauben",
        ),
        (
            "Groupthink is possible: no dissenting vote: all 2 say ACCEPT; agreement 1.00 is at or over 0.90.",
            "Gruppendenken ist möglich: keine Gegenstimme: alle 2 stimmen zu; die Einigkeit von 1,00 erreicht oder übersteigt 0,90.",
        ),
        (
            "Anna states 0.85, but its evidence supports at most 0.54.",
            "Anna nennt 0,85, die Belege tragen aber höchstens 0,54.",
        ),
        ("· no source", "· ohne Quelle"),
        // The words of people and models stay.
        ("Der Vertrag endet: im Juni. Mehr nicht.", "Der Vertrag endet: im Juni. Mehr nicht."),
        ("v1.2", "v1.2"),
        ("", ""),
    ] {
        assert_eq!(german().say(english), own, "{english}");
    }
}

#[test]
fn a_page_is_translated_between_its_tags_and_stays_whole() {
    let page = "<h2 id=\"Why\">Why</h2><p aria-label=\"Rounds\" dir=\"auto\">A &amp; B &lt;b&gt;</p>\
                <style>.Why{}</style><code>Why</code><b>3 of 3</b> agree &middot;";
    let own = "<h2 id=\"Why\">Warum</h2><p aria-label=\"Runden\" dir=\"auto\">A &amp; B &lt;b&gt;</p>\
               <style>.Why{}</style><code>Why</code><b>3 von 3</b> agree &middot;";
    assert_eq!(german().html(page), own);
    // A text that fits a sentence brings no markup in.
    let said = german().html("<p>&lt;i&gt; is surer than its evidence allows</p>");
    assert_eq!(said, "<p>&lt;i&gt; ist sicherer, als die Belege erlauben</p>");
}

#[test]
fn only_languages_with_a_translation_have_labels() {
    let brief = |language: &str| Brief {
        language: Some(language.into()),
        ..Brief::new("Frage?", "collaborative", Vec::new(), "0")
    };
    for (language, code) in [("de", Some("de")), ("German", Some("de")), ("en", None), ("ja", None)]
    {
        assert_eq!(Labels::of(&brief(language)).map(|labels| labels.code), code, "{language}");
        let known = debate::model::Language::find(language).unwrap();
        assert_eq!(
            engine::export::notices::has_labels(known),
            code.is_some() || language == "en",
            "{language}"
        );
    }
}
