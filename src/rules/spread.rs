//! Why the lanes of a global request lie apart, and how the index would have to read.
//!
//! Given an access with its kernel's walk, looks at what each symbol of the address moves:
//! lanes may be strided by a constant, by a pitch, by a structure, may run along the wrong
//! thread index, or each walk a row of its own. Says only what addresses show.

use super::kernel_facts::{Attempt, KernelFacts, STEP, Wanted, attempts};
use crate::gpu::{LaneAddresses, WARP};
use crate::prove::verdict::Access;
use crate::source::SourceMap;
use crate::term::compiled::Lanes;
use crate::term::{Symbol, SymbolId, SymbolOrigin};
use std::sync::Arc;

/// How far apart the address moves where one symbol grows by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub symbol: SymbolId,
    pub origin: SymbolOrigin,
    /// The variable behind the symbol, such as the counter of a loop.
    pub variable: Option<Arc<str>>,
    /// Bytes.
    pub bytes: i64,
}

/// A request of the access: its witness, or one with plain values.
pub fn request(access: &Access, view: &KernelFacts) -> Option<LaneAddresses> {
    if let Some(witness) = &access.verdict.witness {
        return Some(witness.addresses);
    }
    let Wanted {
        walk,
        conditions,
        offset,
    } = view.wanted(access)?;
    let lanes = attempts().find_map(view.sampled(walk, conditions, offset))?;
    Some(lanes.map(|lane| lane.map(|byte| byte as u64)))
}

/// Bytes from one access to another of the same kernel, where that is one number in every lane
/// whatever the symbols are, as far as samples show.
pub fn distance(from: &Access, to: &Access, view: &KernelFacts) -> Option<i64> {
    distance_in(from, to, view, attempts().step_by(STEP))
}

/// The same in the first turn of all loops, under one choice of everything else.
pub fn distance_at_start(from: &Access, to: &Access, view: &KernelFacts) -> Option<i64> {
    distance_in(from, to, view, attempts().take(1))
}

/// Bytes from one access to another lane by lane, each one number whatever the symbols are, as far as samples show.
pub fn distances(from: &Access, to: &Access, view: &KernelFacts) -> Option<Lanes> {
    let mut found: Lanes = [None; WARP];
    for [from, to] in requests_of(from, to, view, attempts().step_by(STEP))? {
        for ((from, to), found) in from.iter().zip(&to).zip(&mut found) {
            if let (Some(from), Some(to)) = (from, to) {
                let distance = to.checked_sub(*from)?;
                if *found.get_or_insert(distance) != distance {
                    return None;
                }
            }
        }
    }
    Some(found)
}

fn distance_in(
    from: &Access,
    to: &Access,
    view: &KernelFacts,
    attempts: impl Iterator<Item = Attempt>,
) -> Option<i64> {
    let mut found = None;
    for [from, to] in requests_of(from, to, view, attempts)? {
        for (from, to) in from.iter().zip(&to) {
            let distance = match (from, to) {
                (Some(from), Some(to)) => to.checked_sub(*from)?,
                (None, None) => continue,
                _ => return None,
            };
            if *found.get_or_insert(distance) != distance {
                return None;
            }
        }
    }
    found
}

/// What two accesses take under the same choices of everything.
fn requests_of(
    from: &Access,
    to: &Access,
    view: &KernelFacts,
    attempts: impl Iterator<Item = Attempt>,
) -> Option<Vec<[Lanes; 2]>> {
    let (a, b) = (view.wanted(from)?, view.wanted(to)?);
    let attempts: Vec<Attempt> = attempts.collect();
    let mut first = view.sampled(a.walk, a.conditions, a.offset);
    let mut second = view.sampled(b.walk, a.conditions, b.offset);
    let mut requests: Vec<[Lanes; 2]> = attempts
        .iter()
        .filter_map(|attempt| Some([first(*attempt)?, second(*attempt)?]))
        .collect();
    if requests.is_empty() {
        // No sample meets the conditions: where they would go.
        let at = |one: &Wanted, attempt| view.moved_lanes(one.walk, one.offset, attempt, None);
        let both = attempts.iter().map(|one| [at(&a, *one), at(&b, *one)]);
        requests.extend(both);
    }
    Some(requests)
}

/// How far the first lane moves if a shared symbol grows by one, for each symbol.
pub fn steps(access: &Access, view: &KernelFacts) -> Vec<Step> {
    let Some(Wanted {
        walk,
        conditions,
        offset,
    }) = view.wanted(access)
    else {
        return Vec::new();
    };
    let mut symbols = Vec::new();
    walk.terms.symbols_of(offset, &mut symbols);
    // The first sample that lets a lane through; else where it would go.
    let mut samples = attempts().step_by(STEP);
    let mut sampled = view.sampled(walk, conditions, offset);
    let active = |attempt: Attempt| {
        let lanes = sampled(attempt)?;
        let lane = lanes.iter().position(Option::is_some)?;
        Some((attempt, lane))
    };
    let (attempt, lane) = samples.find_map(active).unwrap_or((Attempt::FIRST, 0));
    let at = |symbol: Option<SymbolId>| view.moved_lanes(walk, offset, attempt, symbol)[lane];
    let Some(here) = at(None) else {
        return Vec::new();
    };
    symbols
        .into_iter()
        .filter(|symbol| *symbol != walk.lane && !view.is_free(walk, *symbol))
        .filter_map(|symbol| {
            let known = walk.terms.symbol(symbol);
            Some(Step {
                symbol,
                origin: known.origin,
                variable: known.variable.clone(),
                bytes: at(Some(symbol))?.checked_sub(here)?,
            })
        })
        .collect()
}

/// Whether the address moves as far under other values, as far as samples show: `j * j` moves by one element
/// from 0 to 1 only.
pub fn is_steady(step: &Step, access: &Access, view: &KernelFacts) -> bool {
    let Some(Wanted {
        walk,
        conditions,
        offset,
    }) = view.wanted(access)
    else {
        return false;
    };
    attempts().step_by(STEP).all(|attempt| {
        let at = |moved| view.moved_lane(walk, conditions, offset, attempt, moved);
        // Where no lane is active, nothing is shown.
        let Some((here, there)) = at(None).zip(at(Some(step.symbol))) else {
            return true;
        };
        there.checked_sub(here) == Some(step.bytes)
    })
}

/// Bytes from most lanes to the next one, where that is one number whatever varies, as far as samples show: rows of a block
/// are as far apart as a parameter says.
pub fn lane_step(access: &Access, view: &KernelFacts) -> Option<i64> {
    let Wanted {
        walk,
        conditions,
        offset,
    } = view.wanted(access)?;
    let mut sampled = view.sampled(walk, conditions, offset);
    let mut found = None;
    for attempt in attempts().step_by(STEP) {
        let Some(lanes) = sampled(attempt) else {
            continue;
        };
        let pairs = lanes.windows(2);
        let steps: Vec<i64> = pairs
            .filter_map(|pair| pair[1]?.checked_sub(pair[0]?))
            .collect();
        let is_most = |step: &&i64| {
            let alike = steps.iter().filter(|other| other == step);
            2 * alike.count() > steps.len()
        };
        let step = *steps.iter().find(is_most)?;
        if *found.get_or_insert(step) != step {
            return None;
        }
    }
    found
}

/// The symbols that have a say in how far neighbouring lanes stand apart.
pub fn symbols_of_stride<'v>(access: &Access, view: &'v KernelFacts) -> Vec<&'v Symbol> {
    let Some(Wanted { walk, .. }) = view.wanted(access) else {
        return Vec::new();
    };
    let known = stride(access, view).into_iter();
    known.map(|symbol| walk.terms.symbol(symbol)).collect()
}

/// The same by number.
pub fn stride(access: &Access, view: &KernelFacts) -> Vec<SymbolId> {
    let Some(Wanted { walk, offset, .. }) = view.wanted(access) else {
        return Vec::new();
    };
    let mut symbols = Vec::new();
    walk.terms.symbols_of(offset, &mut symbols);
    let distances = |attempt: Attempt, moved: Option<SymbolId>| {
        let lanes = view.moved_lanes(walk, offset, attempt, moved);
        let pairs = lanes.windows(2).map(|pair| pair[1]?.checked_sub(pair[0]?));
        pairs.collect::<Vec<_>>()
    };
    // The first sample with an address; where none has one, nothing says which symbols have no say.
    let sample = attempts().step_by(STEP).find_map(|attempt| {
        let here = distances(attempt, None);
        here.iter().any(Option::is_some).then_some((attempt, here))
    });
    let has_a_say = |symbol: SymbolId| {
        sample
            .as_ref()
            .is_none_or(|(attempt, here)| distances(*attempt, Some(symbol)) != *here)
    };
    symbols.retain(|symbol| *symbol != walk.lane && has_a_say(*symbol));
    symbols
}

/// `in[x * n + y]` for `in[y * n + x]`: the index with the two names changed places; `None`
/// where the text does not hold both.
#[must_use]
pub fn exchanged(text: &str, a: &str, b: &str) -> Option<String> {
    if a == b || !text.contains(a) || !text.contains(b) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let before = out.chars().next_back();
        let starts = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let ends = |name: &str| {
            rest[name.len()..]
                .chars()
                .next()
                .is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
        };
        if starts && rest.starts_with(a) && ends(a) {
            out.push_str(b);
            rest = &rest[a.len()..];
        } else if starts && rest.starts_with(b) && ends(b) {
            out.push_str(a);
            rest = &rest[b.len()..];
        } else {
            let c = rest.chars().next()?;
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    (out != text).then_some(out)
}

/// The names that stand for rows and columns in a plain `a[row * pitch + column]`.
#[must_use]
pub fn row_and_column(access: &Access, sources: &SourceMap) -> Option<(String, String)> {
    let text = sources.text(access.site.span);
    let inside = text.split_once('[')?.1.rsplit_once(']')?.0;
    let (product, column) = inside.split_once('+')?;
    let row = product.split('*').next()?.trim();
    let column = column.trim();
    let is_name = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
            && !text.starts_with(|c: char| c.is_ascii_digit())
    };
    (is_name(row) && is_name(column)).then(|| (row.to_owned(), column.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::rules::spread::exchanged;

    #[test]
    fn names_change_places_as_words() {
        assert_eq!(
            exchanged("in[x * n + y]", "x", "y").as_deref(),
            Some("in[y * n + x]")
        );
        assert_eq!(exchanged("in[x * nx]", "x", "y"), None);
        assert_eq!(
            exchanged("a[row * nrow + col]", "row", "col").as_deref(),
            Some("a[col * nrow + row]")
        );
    }
}
