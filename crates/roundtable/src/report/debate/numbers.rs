//! The numbers of an answer's citations, put into those of the one list of
//! sources. Code is left alone, and so are links.

use std::collections::BTreeMap;

/// A longer range is not a citation but a range of figures.
const RANGE_AT_MOST: u32 = 50;

/// Rewrites `[1]`, `[1, 2]` and `[1-3]` in a text. A number that stands for no
/// source keeps its figure with a question mark where it could be mistaken for
/// one of the list.
pub fn renumber(text: &str, own: &BTreeMap<u32, u32>, sources: usize) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let mark = line.trim_start();
        if mark.starts_with("```") || mark.starts_with("~~~") {
            fenced = !fenced;
            out.push_str(line);
        } else if fenced {
            out.push_str(line);
        } else {
            renumber_line(line, own, sources, &mut out);
        }
    }
    out
}

fn renumber_line(line: &str, own: &BTreeMap<u32, u32>, sources: usize, out: &mut String) {
    let mut rest = line;
    let mut in_code = false;
    while let Some(at) = rest.find(['[', '`']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let bracket = from.starts_with('[');
        if !bracket {
            in_code = !in_code;
        }
        let found = if bracket && !in_code { bracketed(from) } else { None };
        let ours = |number: &u32| own.contains_key(number) || *number as usize <= sources;
        let found = found.filter(|(numbers, _)| numbers.iter().any(ours));
        match found {
            Some((numbers, after)) => {
                out.push_str(&marks(&numbers, own, sources));
                rest = after;
            }
            None => {
                let (one, after) = from.split_at(1);
                out.push_str(one);
                rest = after;
            }
        }
    }
    out.push_str(rest);
}

/// The numbers between brackets, and what comes after. Not where it is a link.
fn bracketed(text: &str) -> Option<(Vec<u32>, &str)> {
    let (inside, after) = text.strip_prefix('[')?.split_once(']')?;
    if after.starts_with('(') || after.starts_with(':') {
        return None;
    }
    let mut numbers = Vec::new();
    for part in inside.split(',') {
        let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (first, last) = (first.trim().parse::<u32>().ok()?, last.trim().parse::<u32>().ok()?);
        if last < first || last - first > RANGE_AT_MOST {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some((numbers, after))
}

/// The numbers in brackets, each once and in order.
pub fn marks(numbers: &[u32], own: &BTreeMap<u32, u32>, sources: usize) -> String {
    let mut known: Vec<u32> = numbers.iter().filter_map(|n| own.get(n)).copied().collect();
    known.sort_unstable();
    known.dedup();
    let mut out: String = known.iter().map(|number| format!("[{number}]")).collect();
    for stray in numbers.iter().filter(|number| !own.contains_key(number)) {
        let doubt = if (*stray as usize) <= sources { "?" } else { "" };
        out.push_str(&format!("[{stray}{doubt}]"));
    }
    out
}
