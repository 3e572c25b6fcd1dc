//! Takes secrets out of texts that may be shown: words that look like a provider's
//! key, and what an address carries besides its host and path. It would rather take
//! out too much.

/// The text that replaces a key.
pub const REMOVED_KEY: &str = "[key]";
/// The text that replaces a part of an address.
const REMOVED_PART: &str = "[removed]";
/// The beginnings of well-known services' keys.
const BEGINNINGS: [&str; 19] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "gsk_",
    "xai-",
    "pplx-",
    "key-",
    "AIza",
    "AKIA",
    "tvly-",
    "hf_",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "glpat-",
    "nvapi-",
];
/// A word that begins so and has at least this many characters is taken for a key.
const SHORTEST: usize = 10;

/// Returns whether a word looks like a key.
pub fn looks_like_a_key(word: &str) -> bool {
    word.len() >= SHORTEST && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

/// Returns the text without the words in it that look like keys.
pub fn without_keys(text: &str) -> String {
    if !BEGINNINGS.iter().any(|beginning| text.contains(beginning)) {
        return text.to_owned();
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '~');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        // A full stop ends the sentence, not the key.
        let bare = word.trim_end_matches('.');
        let stops = word.get(bare.len()..).unwrap_or_default();
        out.push_str(before);
        out.push_str(if looks_like_a_key(bare) { REMOVED_KEY } else { bare });
        out.push_str(stops);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Returns an address that can be shown: without a user, a password and a query,
/// even where it cannot be read as an address.
pub fn shown_address(address: &str) -> String {
    let address = address.trim();
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    // A password may itself hold an @ or a slash.
    let rest = match rest.rsplit_once('@') {
        Some((_, host)) => format!("{REMOVED_PART}@{host}"),
        None => rest.to_owned(),
    };
    let rest = match rest.find(['?', '#']) {
        Some(at) => format!("{}?{REMOVED_PART}", rest.get(..at).unwrap_or_default()),
        None => rest,
    };
    let shown = without_keys(&format!("{scheme}{rest}"));
    shown.chars().take(200).collect()
}

#[cfg(test)]
mod tests;
