//! A verdict in a few characters, for the margin of an editor.
//!
//! Given the verdicts of one place, gives `32-way`, `4 sectors ✓` or `1..32-way (n)`.

use crate::gpu::Space;
use crate::prove::verdict::{Access, Status, Verdict};

/// Marks what is proved to cost its ideal.
const IDEAL: &str = "✓";

/// All accesses of one place (operations, launches, instances), each thing said once, worst first.
#[must_use]
pub fn label(accesses: &[&Access]) -> String {
    let mut sorted: Vec<&Access> = accesses.to_vec();
    sorted.sort_by_key(|access| std::cmp::Reverse(badness(access)));
    let mut said: Vec<String> = Vec::new();
    for access in sorted {
        let text = one(access);
        if !said.contains(&text) {
            said.push(text);
        }
    }
    const MOST: usize = 2;
    if said.len() > MOST {
        let more = said.len() - MOST;
        said.truncate(MOST);
        said.push(format!("+{more}"));
    }
    said.join(" · ")
}

/// Larger is worse: known costs by their ratio to the ideal, then what is not known, then what is ideal.
#[must_use]
pub fn badness(access: &Access) -> u64 {
    let verdict = &access.verdict;
    match verdict.status {
        _ if verdict.is_ideal() => 0,
        Status::Unknown => 1,
        Status::DataDependent => 2,
        Status::Exact | Status::Bounded => {
            3 + u64::from(verdict.max) * 1000 / u64::from(verdict.ideal.max(1))
        }
    }
}

/// `32-way` and the like, for one access.
#[must_use]
pub fn one(access: &Access) -> String {
    let verdict = &access.verdict;
    match verdict.status {
        Status::Unknown => return "?".to_owned(),
        Status::DataDependent => return "data".to_owned(),
        Status::Exact | Status::Bounded => {}
    }
    let units = match access.space {
        Space::Shared => ["wavefront", "wavefronts"],
        Space::Global => ["sector", "sectors"],
    };
    if verdict.is_ideal() {
        return format!("{} {IDEAL}", counted(verdict.min, verdict.max, units));
    }
    let cost = match ways(access.space, verdict) {
        Some((min, max)) => {
            let numbers = if min == max {
                max.to_string()
            } else {
                format!("{min}..{max}")
            };
            format!("{numbers}-way")
        }
        None => format!(
            "{} of {}",
            counted(verdict.min, verdict.max, units),
            verdict.ideal
        ),
    };
    let symbols: Vec<&str> = verdict
        .depends_on
        .iter()
        .map(|one| one.symbol.as_str())
        .collect();
    if verdict.min == verdict.max || symbols.is_empty() {
        cost
    } else {
        format!("{cost} ({})", symbols.join(", "))
    }
}

fn counted(min: u32, max: u32, [one, more]: [&str; 2]) -> String {
    let unit = if max == 1 { one } else { more };
    if min == max {
        format!("{max} {unit}")
    } else {
        format!("{min}..{max} {unit}")
    }
}

/// Ways of a bank conflict, where the wavefronts are whole multiples of the ideal.
fn ways(space: Space, verdict: &Verdict) -> Option<(u32, u32)> {
    let ideal = verdict.ideal;
    let is_whole =
        ideal > 0 && verdict.min.is_multiple_of(ideal) && verdict.max.is_multiple_of(ideal);
    (space == Space::Shared && is_whole).then(|| (verdict.min / ideal, verdict.max / ideal))
}
