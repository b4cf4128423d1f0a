//! Predictions beside Nsight Compute's source page of a program that somebody ran.
//!
//! Given: the page as CSV, the shapes of its launches where they are known, and the analysis of the
//! sources. Gives: for each line, space and operation what was counted and what was predicted,
//! whether that agrees, and if not, why.
//! Does not know: how the program was run, or devices.

use std::collections::{BTreeMap, BTreeSet};

use crate::gpu::{Arch, Total};
use crate::ir::NotAnalysed;
use crate::prove::verdict::{Access, Status, Verdict};
use crate::report::measured::{Agreement, Measured, Row};
use crate::session::Analysis;
use crate::source::Span;

use super::counters::{self, Counter, InstructionCounters};
use super::measurement::LineCounters;
use super::ncu::{self, Section};
use super::shapes::Launched;

/// Counts of one launch of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profiled {
    /// Demangled, without parameters.
    pub kernel: String,
    pub rows: Vec<LineCounters>,
    /// Places of memory instructions that no lane executed.
    pub idle: Vec<(String, u32)>,
    /// Every file that its instructions come from.
    pub files: Vec<String>,
    /// Grid and block, where they are known.
    pub shape: Option<([u32; 3], [u32; 3])>,
}

/// Reads a source page.
///
/// # Errors
/// One sentence if the text is no page, or one without source lines.
pub fn read(text: &str) -> Result<Vec<Profiled>, String> {
    let pages = ncu::pages(text)?;
    if pages
        .iter()
        .flatten()
        .all(|section| section.instructions.is_empty())
    {
        return Err("the page lists no memory instruction with its source line; export it with `ncu --import FILE --page source --print-source cuda,sass --csv` from a report of a program built with -lineinfo".to_owned());
    }
    Ok(pages.into_iter().map(profiled).collect())
}

/// Notes the shapes of launches, if both lists speak of the same ones.
pub fn add_shapes(profiled: &mut [Profiled], launched: &[Launched]) {
    let is_same = |(page, launch): (&Profiled, &Launched)| page.kernel == base_name(&launch.kernel);
    if profiled.len() != launched.len() || !profiled.iter().zip(launched).all(is_same) {
        return;
    }
    for (page, launch) in profiled.iter_mut().zip(launched) {
        page.shape = Some((launch.grid, launch.block));
    }
}

fn profiled(sections: Vec<Section>) -> Profiled {
    let function = sections.first().map(|section| section.function.clone());
    let files = sections
        .iter()
        .map(|section| section.file.clone())
        .collect();
    let instructions = ncu::once(sections);
    let is_idle = |counted: &&InstructionCounters| counted.get(Counter::Lanes) == 0;
    let idle: BTreeSet<(String, u32)> = instructions
        .iter()
        .filter(is_idle)
        .map(|counted| (counted.file.clone(), counted.line))
        .collect();
    Profiled {
        kernel: base_name(&function.unwrap_or_default()).to_owned(),
        rows: counters::by_line(&instructions),
        idle: idle.into_iter().collect(),
        files,
        shape: None,
    }
}

/// The name alone of `void ns::kernel<float, (int)3>(float *)`.
fn base_name(function: &str) -> &str {
    let name = function.trim_start_matches("void ");
    let name = name.split(['<', '(']).next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default().trim()
}

/// Kernels that a note names.
const MOST_NAMED: usize = 8;

type Key = (String, u32, u8, u8);

/// Matches what was counted with what was proved, by file, line, space and operation.
#[must_use]
pub fn reconcile(profiled: &[Profiled], analysis: &Analysis, arch: &Arch) -> Measured {
    let mut all = Measured::default();
    if arch.basis() != Arch::DEFAULT.basis() {
        all.notes.push(format!(
            "the cost rules of this architecture are {}",
            arch.basis()
        ));
    }
    // Launches of one kernel add up: the verdicts speak of every launch.
    let mut kernels: BTreeMap<&str, Vec<&Profiled>> = BTreeMap::new();
    for launch in profiled {
        kernels.entry(&launch.kernel).or_default().push(launch);
    }
    for (kernel, launches) in kernels {
        let of_kernel = |access: &&Access| base_name(&access.kernel) == kernel;
        let accesses: Vec<&Access> = analysis.accesses.iter().filter(of_kernel).collect();
        if accesses.is_empty() {
            let gap = analysis
                .not_analysed
                .iter()
                .find(|gap| base_name(&gap.function) == kernel);
            let reason = gap.map_or("no file given defines it", |gap| gap.reason.as_str());
            all.notes
                .push(format!("kernel {kernel} is not predicted: {reason}"));
            continue;
        }
        one_kernel(kernel, &launches, &accesses, analysis, &mut all.rows);
    }
    let seen: BTreeSet<&str> = profiled.iter().map(|known| known.kernel.as_str()).collect();
    let unseen: BTreeSet<&str> = analysis
        .program
        .kernels
        .iter()
        .map(|kernel| base_name(&kernel.name))
        .filter(|kernel| !seen.contains(kernel))
        .collect();
    if !unseen.is_empty() {
        let names: Vec<&str> = unseen.iter().take(MOST_NAMED).copied().collect();
        let more = match unseen.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        all.notes
            .push(format!("not measured: {}{more}", names.join(", ")));
    }
    all.sort();
    all
}

fn one_kernel(
    kernel: &str,
    launches: &[&Profiled],
    accesses: &[&Access],
    analysis: &Analysis,
    out: &mut Vec<Row>,
) {
    let place = |span: Span| {
        let file = analysis.sources.get(span.file);
        (file.path.display().to_string(), file.line(span.start))
    };
    let mut counted: BTreeMap<Key, Vec<&LineCounters>> = BTreeMap::new();
    let mut predicted: BTreeMap<Key, Vec<&Access>> = BTreeMap::new();
    for access in accesses {
        let (file, line) = place(access.site.line);
        let key = (file, line, access.space as u8, access.op as u8);
        predicted.entry(key).or_default().push(access);
    }
    for row in launches.iter().flat_map(|launch| &launch.rows) {
        let places = std::iter::once((row.file.clone(), row.line)).chain(row.also.iter().cloned());
        let places: Vec<Key> = places
            .map(|(file, line)| (file, line, row.space as u8, row.op as u8))
            .collect();
        // Inlined code goes to the first of its places for which something was predicted.
        let known = places.iter().find_map(|place| nearest(place, &predicted));
        if let Some(key) = known.or(places.first()) {
            counted.entry(key.clone()).or_default().push(row);
        }
    }
    let keys: BTreeSet<Key> = counted.keys().chain(predicted.keys()).cloned().collect();
    for key in keys {
        let rows = counted.get(&key).map_or(&[][..], Vec::as_slice);
        let all = predicted.get(&key).map_or(&[][..], Vec::as_slice);
        let fitting = of_shapes(all, launches);
        let verdicts = if fitting.is_empty() { all } else { &fitting };
        let access = rows
            .first()
            .map(|row| (row.space, row.op))
            .or(verdicts.first().map(|access| (access.space, access.op)));
        let Some((space, op)) = access else { continue };
        let (file, line, ..) = key;
        let outcome = if rows.is_empty() {
            Agreement::Explained(why_absent(&file, line, verdicts, launches))
        } else if verdicts.is_empty() {
            Agreement::Explained(why_unpredicted(&file, line, analysis))
        } else {
            match judge(rows, verdicts) {
                Agreement::Disagrees if fitting.is_empty() => {
                    Agreement::Explained(other_shape(launches))
                }
                outcome => outcome,
            }
        };
        let sum = |part: fn(&LineCounters) -> u64| rows.iter().map(|row| part(row)).sum::<u64>();
        let measured = Total {
            requests: sum(|row| row.requests),
            cost: sum(|row| row.cost),
            ideal: sum(|row| row.ideal),
        };
        out.push(Row {
            kernel: kernel.to_owned(),
            file,
            line,
            space,
            op,
            predicted: words(verdicts, rows),
            predicted_total: total(verdicts, launches),
            measured: (!rows.is_empty()).then_some(measured),
            outcome,
        });
    }
}

fn is_shape(block: [Option<u64>; 3], measured: [u32; 3]) -> bool {
    let mut axes = block.iter().zip(measured);
    axes.all(|(known, measured)| known.is_none_or(|known| known == u64::from(measured)))
}

/// Those that speak of block shapes that were launched; all of them where the shapes are not known.
fn of_shapes<'a>(verdicts: &[&'a Access], launches: &[&Profiled]) -> Vec<&'a Access> {
    let blocks: Option<Vec<[u32; 3]>> = launches
        .iter()
        .map(|launch| launch.shape.map(|(_, block)| block))
        .collect();
    let Some(blocks) = blocks else {
        return verdicts.to_vec();
    };
    let was_launched = |access: &&Access| {
        let mut blocks = blocks.iter();
        blocks.any(|block| is_shape(access.launch.block, *block))
    };
    verdicts.iter().copied().filter(was_launched).collect()
}

fn other_shape(launches: &[&Profiled]) -> String {
    let blocks: BTreeSet<[u32; 3]> = launches
        .iter()
        .filter_map(|launch| launch.shape.map(|(_, block)| block))
        .collect();
    let blocks: Vec<String> = blocks
        .iter()
        .map(|[x, y, z]| format!("({x}, {y}, {z})"))
        .collect();
    format!(
        "another launch shape: it ran with block {}, which no launch in these files has",
        blocks.join(" and ")
    )
}

/// What all accesses of a line come to in these launches: known where shapes are, and where every
/// instance and launch that it may have been comes to the same.
fn total(verdicts: &[&Access], launches: &[&Profiled]) -> Option<Total> {
    let mut all = Total::default();
    for launch in launches {
        let (grid, block) = launch.shape?;
        let mut sums: BTreeMap<_, Option<Total>> = BTreeMap::new();
        for access in verdicts {
            let known = access.launch.block.iter().all(Option::is_some);
            if !known || !is_shape(access.launch.block, block) {
                continue;
            }
            // What the compiler merges asks for less than the text does.
            let own = access.per_block.filter(|_| access.merged.is_none());
            let place = access.launch.span.map(|span| (span.file, span.start));
            let key = (&*access.instance, access.launch.grid, place);
            let sum = sums.entry(key).or_insert(Some(Total::default()));
            *sum = sum.zip(own).and_then(|(sum, own)| sum.plus(own));
        }
        let mut sums = sums.into_values();
        let one = sums.next()??;
        if sums.any(|other| other != Some(one)) {
            return None;
        }
        let blocks = grid.iter().map(|axis| u64::from(*axis)).product();
        all = all.plus(one.times(blocks)?)?;
    }
    Some(all)
}

/// Whether both speak of one access: the program may have been built in another folder, so a file goes by
/// its name.
fn is_same(ours: &Key, theirs: &Key) -> bool {
    common(&ours.0, &theirs.0) > 0 && (ours.1, ours.2, ours.3) == (theirs.1, theirs.2, theirs.3)
}

/// How many last parts two paths have in common.
fn common(one: &str, other: &str) -> usize {
    let parts = |path: &str| {
        let parts = path.rsplit('/').filter(|part| *part != ".");
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, other) = (parts(one), parts(other));
    let pairs = one.iter().zip(&other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// The prediction that a place speaks of: that of the file whose path is most alike, if there is one.
fn nearest<'a>(place: &Key, predicted: &'a BTreeMap<Key, Vec<&Access>>) -> Option<&'a Key> {
    let mut alike: Vec<(usize, &Key)> = predicted
        .keys()
        .filter(|ours| is_same(ours, place))
        .map(|ours| (common(&ours.0, &place.0), ours))
        .collect();
    alike.sort_by_key(|(parts, _)| std::cmp::Reverse(*parts));
    match alike.as_slice() {
        [(first, _), (second, _), ..] if first == second => None,
        [(_, key), ..] => Some(key),
        [] => None,
    }
}

/// What was predicted of one request: as the compiler is expected to merge it, where accesses of that
/// width ran.
fn words(verdicts: &[&Access], rows: &[&LineCounters]) -> String {
    let said: BTreeSet<String> = verdicts
        .iter()
        .map(|access| {
            let verdict = &access.verdict;
            let has_width = |width: u32| rows.iter().any(|row| row.width == width);
            if let Some(merged) = access.merged.as_ref().filter(|one| has_width(one.width)) {
                let least = if merged.min == merged.max {
                    String::new()
                } else {
                    format!("{} to ", merged.min)
                };
                return format!("{least}{}/{} merged", merged.max, merged.ideal);
            }
            match verdict.status {
                Status::Exact => format!("{}/{}", verdict.max, verdict.ideal),
                Status::Bounded => {
                    format!("{} to {}/{}", verdict.min, verdict.max, verdict.ideal)
                }
                Status::DataDependent => "data-dependent".to_owned(),
                Status::Unknown => "unknown".to_owned(),
            }
        })
        .collect();
    let said: Vec<String> = said.into_iter().collect();
    if said.is_empty() {
        "-".to_owned()
    } else {
        said.join(" or ")
    }
}

/// Whether cost to ideal lies between the least and the most that these verdicts allow.
fn judge(rows: &[&LineCounters], verdicts: &[&Access]) -> Agreement {
    let cost: u64 = rows.iter().map(|row| row.cost).sum();
    let ideal: u64 = rows.iter().map(|row| row.ideal).sum();
    let lies_in = |verdicts: &[&Access]| {
        let all = verdicts.iter().flat_map(|access| bounds(access, rows));
        let all: Vec<_> = all.collect();
        let share = |own: u32| u128::from(cost) * u128::from(own);
        let of_ideal = |own: u32| u128::from(own) * u128::from(ideal);
        let mut least = all.iter();
        let mut most = all.iter();
        least.any(|(min, _, own)| share(*own) >= of_ideal(*min))
            && most.any(|(_, max, own)| share(*own) <= of_ideal(*max))
    };
    if let Some(open) = verdicts.iter().find(|access| !access.verdict.is_known()) {
        let status = match open.verdict.status {
            Status::DataDependent => "data-dependent",
            _ => "unknown",
        };
        return Agreement::Explained(format!("{status}: {}", open.verdict.reason));
    }
    if lies_in(verdicts) {
        let shapes: BTreeSet<_> = verdicts.iter().map(|access| access.launch.block).collect();
        let fitting: BTreeSet<_> = verdicts
            .iter()
            .filter(|access| lies_in(&[access]))
            .map(|access| access.launch.block)
            .collect();
        if shapes.len() > 1 && fitting.len() == 1 {
            let block: Vec<String> = fitting
                .iter()
                .flatten()
                .map(|n| n.map_or("?".to_owned(), |n| n.to_string()))
                .collect();
            return Agreement::Explained(format!(
                "the launch shape: this is what block ({}) costs, others cost otherwise",
                block.join(", ")
            ));
        }
        return Agreement::Agrees;
    }
    otherwise_compiled(rows, verdicts).map_or(Agreement::Disagrees, Agreement::Explained)
}

/// Least, most and ideal of an access as written, and as the compiler is expected to merge it where accesses of
/// that width ran.
fn bounds(access: &Access, rows: &[&LineCounters]) -> Vec<(u32, u32, u32)> {
    let has_width = |width: u32| rows.iter().any(|row| row.width == width);
    let Verdict {
        min, max, ideal, ..
    } = access.verdict;
    let merged = access.merged.iter().filter(|one| has_width(one.width));
    let merged = merged.map(|one| (one.min, one.max, one.ideal));
    merged.chain([(min, max, ideal)]).collect()
}

/// Why a line may cost otherwise than predicted: other accesses, other lanes or another launch than the prediction
/// speaks of.
fn otherwise_compiled(rows: &[&LineCounters], verdicts: &[&Access]) -> Option<String> {
    let widths: BTreeSet<u32> = verdicts.iter().map(|access| access.width).collect();
    if let Some(wide) = rows.iter().find(|row| !widths.contains(&row.width)) {
        let verb = if widths.iter().all(|width| *width < wide.width) {
            "merged"
        } else {
            "split"
        };
        return Some(format!(
            "{verb} by the compiler into accesses of {} bytes ({})",
            wide.width, wide.opcode
        ));
    }
    let requests: u64 = rows.iter().map(|row| row.requests).sum();
    let lanes: u64 = rows.iter().map(|row| row.lanes).sum();
    if lanes < requests * 32 {
        let average = lanes as f64 / requests.max(1) as f64;
        return Some(format!(
            "predicated off in part: {average:.1} of 32 lanes on average, where the prediction speaks of {}",
            if verdicts.iter().any(|access| !access.guards.is_empty()) {
                "the lanes that its guard lets through"
            } else {
                "full warps"
            }
        ));
    }
    if verdicts
        .iter()
        .all(|access| access.launch.block.iter().all(Option::is_none))
    {
        return Some(
            "another launch shape: none is known here, and blockDim.x was taken for a multiple of 32"
                .to_owned(),
        );
    }
    None
}

/// Why nothing was counted where something is predicted.
fn why_absent(file: &str, line: u32, verdicts: &[&Access], launches: &[&Profiled]) -> String {
    let here = |place: &(String, u32)| {
        let key = |(file, line): &(String, u32)| (file.clone(), *line, 0, 0);
        is_same(&key(&(file.to_owned(), line)), &key(place))
    };
    if launches.iter().any(|launch| launch.idle.iter().any(here)) {
        return "predicated off: no lane executed it".to_owned();
    }
    let wider = launches
        .iter()
        .flat_map(|launch| &launch.rows)
        .filter(|row| {
            let near = row.line.abs_diff(line) <= 8;
            near && verdicts.iter().any(|access| {
                (access.space, access.op) == (row.space, row.op) && access.width < row.width
            })
        })
        .map(|row| (row.line, row.width))
        .min();
    match wider {
        Some((line, width)) => format!(
            "merged or eliminated by the compiler: line {line} has accesses of {width} bytes"
        ),
        None => "eliminated by the compiler, or attributed to another line".to_owned(),
    }
}

/// Why nothing is predicted where something was counted.
fn why_unpredicted(file: &str, line: u32, analysis: &Analysis) -> String {
    let inside = |gap: &&NotAnalysed| {
        let source = analysis.sources.get(gap.span.file);
        let first = source.line(gap.span.start);
        let last = source.line(gap.span.end);
        source.path.display().to_string().ends_with(file) && (first..=last).contains(&line)
    };
    let gaps = analysis.not_analysed.iter().chain(
        analysis
            .program
            .kernels
            .iter()
            .flat_map(|kernel| &kernel.gaps),
    );
    match gaps.into_iter().find(inside) {
        Some(gap) => format!("not analysed: {}", gap.reason),
        None => {
            "not predicted: code of a header that is not read, a register spill, or another line's access"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_the_ends_of_their_paths() {
        let key = |file: &str, line| -> Key { (file.to_owned(), line, 0, 0) };
        let mut predicted: BTreeMap<Key, Vec<&Access>> = BTreeMap::new();
        for file in ["/p/project/src/a.cu", "/p/project/test/a.cu", "b.cu"] {
            predicted.insert(key(file, 7), Vec::new());
        }
        let found = |file: &str, line| {
            nearest(&key(file, line), &predicted).map(|(file, ..)| file.as_str())
        };
        assert_eq!(found("/build/src/a.cu", 7), Some("/p/project/src/a.cu"));
        assert_eq!(
            found("/p/project/test/a.cu", 7),
            Some("/p/project/test/a.cu")
        );
        assert_eq!(found("/build/x/./b.cu", 7), Some("b.cu"));
        assert_eq!(found("a.cu", 7), None, "one of two");
        assert_eq!(found("/build/src/a.cu", 8), None);
        assert_eq!(found("/build/src/ba.cu", 7), None);
    }
}
