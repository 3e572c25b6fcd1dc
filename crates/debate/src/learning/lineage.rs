//! The name of a model without its version, so that what one version did can
//! count in part for the next.

/// Words in a model's name that say which release it is and nothing else.
const RELEASE_WORDS: [&str; 6] = ["latest", "preview", "exp", "experimental", "beta", "stable"];
const SEPARATORS: [char; 6] = ['-', '_', '.', ':', '@', '/'];

/// A model's name without its version: `x/sonnet-4-5` and `x/sonnet-5` are one.
/// The size stays, since a small model is no version of a large one.
pub fn lineage(agent: &str) -> String {
    let (provider, model) = agent.split_once('/').unwrap_or(("", agent));
    let parts: Vec<String> =
        model.to_lowercase().split(SEPARATORS).filter_map(unversioned).collect();
    format!("{provider}/{}", parts.join("-"))
}

fn unversioned(part: &str) -> Option<String> {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let is_size = digits > 0
        && part.ends_with(['b', 'm'])
        && part.trim_end_matches(['b', 'm']).bytes().all(|b| b.is_ascii_digit() || b == b'x');
    if is_size {
        return Some(part.to_owned());
    }
    let begins_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
    let bare = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let says_nothing = bare.is_empty()
        || begins_with_digit
        || (bare == "v" && digits > 0)
        || RELEASE_WORDS.contains(&bare);
    (!says_nothing).then(|| bare.to_owned())
}
