//! Topics in many languages, and names that people give them.

use super::Language;

#[test]
fn the_language_of_a_topic_is_told() {
    for (topic, code) in [
        ("Should we rewrite the billing service in Rust?", Some("en")),
        ("Tabs or spaces?", Some("en")),
        ("Sollen wir den Dienst in Rust neu schreiben?", Some("de")),
        ("Welche Datenbank ist die richtige?", Some("de")),
        ("Faut-il réécrire le service en Rust ?", Some("fr")),
        ("¿Debemos reescribir el servicio en Rust?", Some("es")),
        ("Czy powinniśmy przepisać usługę?", Some("pl")),
        ("サービスを書き直すべきですか。", Some("ja")),
        ("我们应该重写服务吗？", Some("zh")),
        ("هل يجب أن نعيد كتابة الخدمة؟", Some("ar")),
        ("Стоит ли переписать сервис?", Some("ru")),
        ("Monorepo?", None),
        ("", None),
    ] {
        assert_eq!(Language::of(topic).map(|one| one.code), code, "{topic}");
    }
}

#[test]
fn a_language_is_found_by_tag_and_by_name() {
    for given in ["de", "DE-at", "German", "deutsch", " Deutsch "] {
        assert_eq!(Language::find(given).map(|one| one.code), Some("de"), "{given}");
    }
    assert_eq!(Language::find("Klingon"), None);
    assert!(Language::find("ar").is_some_and(|one| one.is_rtl));
    let known = |code: &str| Language::find(code).is_some_and(|one| one.has_cues());
    assert!(known("en") && known("de") && !known("ja"));
}
