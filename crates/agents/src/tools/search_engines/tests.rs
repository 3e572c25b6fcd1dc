//! Searches as each engine is sent them, and their answers.

use super::*;

fn request(name: &str, base: Option<&str>, query: &str) -> SearchRequest {
    let row = find(name).unwrap();
    (row.request)(row.endpoint(base).unwrap(), query, 5)
}

#[test]
fn a_query_becomes_each_engines_request() {
    let brave = request("brave", None, "cats & dogs");
    assert_eq!(
        brave.url.as_str(),
        "https://api.search.brave.com/res/v1/web/search?q=cats+%26+dogs&count=5&text_decorations=false"
    );
    assert_eq!(
        (brave.method, brave.key_header.unwrap().name),
        (HttpMethod::Get, "x-subscription-token")
    );
    let tavily = request("tavily", None, "cats");
    assert_eq!(tavily.url.as_str(), "https://api.tavily.com/search");
    assert_eq!(tavily.key_header.unwrap(), SearchKey { name: "authorization", before: "Bearer " });
    assert_eq!(
        tavily.body.unwrap(),
        json!({"query": "cats", "max_results": 5, "search_depth": "basic"})
    );
    let exa = request("exa", None, "cats");
    assert_eq!(exa.key_header.unwrap().name, "x-api-key");
    assert_eq!(exa.body.unwrap()["numResults"], 5);
    let searxng = request("searxng", Some("http://127.0.0.1:8080/searx/"), "a=b#c");
    assert_eq!(searxng.url.as_str(), "http://127.0.0.1:8080/searx/search?q=a%3Db%23c&format=json");
    assert_eq!((searxng.key_header, searxng.body), (None, None));
}

#[test]
fn addresses_are_forgiving_and_refused_with_a_reason() {
    let searxng = find("SearXNG").unwrap();
    for given in ["http://h:1", "http://h:1/", "http://h:1/search", " http://h:1/search/ "] {
        assert_eq!(searxng.endpoint(Some(given)).unwrap().as_str(), "http://h:1/search", "{given}");
    }
    assert!(searxng.endpoint(None).unwrap_err().to_string().contains("SEARXNG_URL"));
    for bad in ["localhost", "ftp://h", "http://", "", "http://user@h"] {
        assert!(searxng.endpoint(Some(bad)).is_err(), "{bad}");
    }
}

#[test]
fn long_queries_are_cut_to_what_brave_takes() {
    let brave = request("brave", None, &"word ".repeat(200));
    let (_, query) = brave.url.query_pairs().next().unwrap();
    assert_eq!(query.split(' ').count(), 50);
    let brave = request("brave", None, &"ö".repeat(900));
    assert_eq!(brave.url.query_pairs().next().unwrap().1.chars().count(), 400);
}

#[test]
fn answers_become_results_of_one_shape() {
    let brave = json!({"query": {}, "web": {"results": [
        {"title": "Cats", "url": "https://cats.example/", "description": "On  cats.",
         "extra_snippets": ["More."], "page_age": "2026-01-02"},
        {"title": "no address"},
    ]}});
    let found = (find("brave").unwrap().results)(&brave).unwrap();
    assert_eq!(
        found,
        [SearchResult {
            title: "Cats".into(),
            url: "https://cats.example/".into(),
            snippet: "On cats. … More.".into(),
            published: Some("2026-01-02".into()),
        }]
    );
    let exa = json!({"results": [{"url": "https://a.example/", "title": null, "highlights": ["x", "y"]}]});
    let found = (find("exa").unwrap().results)(&exa).unwrap();
    assert_eq!(
        (found[0].title.as_str(), found[0].snippet.as_str()),
        ("https://a.example/", "x … y")
    );
    let tavily = json!({"results": [{"url": "u", "title": "t", "content": "x".repeat(5000)}]});
    assert_eq!((find("tavily").unwrap().results)(&tavily).unwrap()[0].snippet.len(), 600);
    let searxng = json!({"results": []});
    assert_eq!((find("searxng").unwrap().results)(&searxng), Some(vec![]));
}

#[test]
fn nothing_found_is_not_the_same_as_no_answer() {
    assert_eq!(
        (find("brave").unwrap().results)(&json!({"query": {"original": "x"}})),
        Some(vec![])
    );
    for row in ENGINES {
        assert_eq!((row.results)(&json!({"error": "no"})), None, "{}", row.name);
        assert_eq!((row.results)(&json!([])), None, "{}", row.name);
    }
}

#[test]
fn the_engine_is_the_one_named_or_the_first_that_is_set_up() {
    let pick = |named: Option<&str>, variables: &[(&str, &str)]| {
        let look = |name: &str| {
            variables.iter().find(|(set, _)| *set == name).map(|(_, value)| value.to_string())
        };
        chosen(named, &look).map(|engine| engine.map(|engine| engine.row.name))
    };
    assert_eq!(pick(None, &[]), Ok(None));
    assert_eq!(pick(None, &[("BRAVE_API_KEY", "  ")]), Ok(None));
    assert_eq!(pick(None, &[("SEARXNG_URL", "http://h"), ("EXA_API_KEY", "k")]), Ok(Some("exa")));
    assert_eq!(pick(None, &[("SEARXNG_URL", "http://h")]), Ok(Some("searxng")));
    // An address without a key sets up nothing.
    assert_eq!(pick(None, &[("BRAVE_BASE_URL", "http://h")]), Ok(None));
    assert_eq!(pick(Some("Tavily"), &[("EXA_API_KEY", "k")]), Ok(Some("tavily")));
    assert!(pick(Some("altavista"), &[]).unwrap_err().to_string().contains("altavista"));
}
