//! Finds the known names that a misspelt one may mean.

use debate::sorting::SortRows;

/// So many letters of a name say which is meant.
const FEW_LETTERS: usize = 3;

/// Returns the known names most like one that was given, at most three, best first: those
/// that begin with it, else those that hold it, else those spelt much like it.
pub fn nearest(given: &str, known: &[&str]) -> Vec<String> {
    let given = given.trim().to_ascii_lowercase();
    let part = |fits: fn(&str, &str) -> bool| -> Vec<String> {
        let fit = known.iter().filter(|name| fits(&name.to_ascii_lowercase(), &given));
        fit.take(3).map(|name| (*name).to_owned()).collect()
    };
    if given.len() >= FEW_LETTERS {
        let whole =
            [part(|name, given| name.starts_with(given)), part(|name, given| name.contains(given))];
        if let Some(found) = whole.into_iter().find(|found| !found.is_empty()) {
            return found;
        }
    }
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|name| (strsim::jaro_winkler(&given, &name.to_ascii_lowercase()), *name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    near.sort_rows_by(|a, b| b.0.total_cmp(&a.0));
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
