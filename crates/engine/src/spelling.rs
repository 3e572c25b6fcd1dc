//! Finds the known names that a misspelt one may mean.

/// Returns the known names most like one that was given, at most three, best first.
pub fn nearest(given: &str, known: &[&str]) -> Vec<String> {
    let given = given.to_ascii_lowercase();
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|name| (strsim::jaro_winkler(&given, &name.to_ascii_lowercase()), *name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Returns "did you mean …", or the whole list if no known name is similar. It is for
/// faces that refuse a name of their own.
pub fn did_you_mean(given: &str, known: &[&str]) -> String {
    match nearest(given, known).as_slice() {
        [] => format!("there are: {}", known.join(", ")),
        some => format!("did you mean {}?", some.join(", ")),
    }
}
