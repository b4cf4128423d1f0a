//! Predictions beside a source page that a user exported from Nsight Compute.
//!
//! Given: the page as CSV, and the analysis of the sources.
//! Gives: for each line, space and operation what was counted and what was proved, whether
//! that agrees, and if not, why.
//! Does not know: launches of the profiled program beyond what the page says, or devices.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::gpu::{Arch, Op, Space};
use crate::ir::NotAnalysed;
use crate::prove::verdict::{Access, Status};
use crate::session::Analysis;
use crate::source::Span;

use super::counters::{self, Counter, InstructionCounters};
use super::measurement::LineCounters;
use super::ncu::{self, Section};

/// What a page says of one launch of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profiled {
    /// Demangled, without parameters.
    pub kernel: String,
    pub rows: Vec<LineCounters>,
    /// Places of memory instructions that no lane executed.
    pub idle: Vec<(String, u32)>,
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

fn profiled(sections: Vec<Section>) -> Profiled {
    let function = sections.first().map(|section| section.function.clone());
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
    }
}

/// The name alone of `void ns::kernel<float, (int)3>(float *)`.
fn base_name(function: &str) -> &str {
    let name = function.trim_start_matches("void ");
    let name = name.split(['<', '(']).next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default().trim()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What was counted lies in the proved bounds.
    Agrees,
    /// It does not, or nothing can be compared, and this is why.
    Explained(String),
    /// It does not, for no reason that is known.
    Disagrees,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciled {
    pub kernel: String,
    pub file: String,
    pub line: u32,
    pub space: Space,
    pub op: Op,
    /// Cost and ideal, summed; `None` if nothing was counted.
    pub counted: Option<(u64, u64)>,
    /// What was proved of one request, in words.
    pub proved: String,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconciliation {
    pub rows: Vec<Reconciled>,
    pub notes: Vec<String>,
}

type Key = (String, u32, u8, u8);

/// Matches what was counted with what was proved, by file, line, space and operation.
#[must_use]
pub fn reconcile(profiled: &[Profiled], analysis: &Analysis, arch: &Arch) -> Reconciliation {
    let mut all = Reconciliation::default();
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
    for kernel in unseen {
        all.notes
            .push(format!("kernel {kernel} is not in the report"));
    }
    all
}

fn one_kernel(
    kernel: &str,
    launches: &[&Profiled],
    accesses: &[&Access],
    analysis: &Analysis,
    out: &mut Vec<Reconciled>,
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
        let known = places
            .iter()
            .find_map(|place| predicted.keys().find(|key| is_same(key, place)));
        if let Some(key) = known.or(places.first()) {
            counted.entry(key.clone()).or_default().push(row);
        }
    }
    let keys: BTreeSet<Key> = counted.keys().chain(predicted.keys()).cloned().collect();
    for key in keys {
        let rows = counted.get(&key).map_or(&[][..], Vec::as_slice);
        let verdicts = predicted.get(&key).map_or(&[][..], Vec::as_slice);
        let access = rows
            .first()
            .map(|row| (row.space, row.op))
            .or(verdicts.first().map(|access| (access.space, access.op)));
        let Some((space, op)) = access else { continue };
        let (file, line, ..) = key;
        let outcome = if rows.is_empty() {
            Outcome::Explained(why_absent(&file, line, verdicts, launches))
        } else if verdicts.is_empty() {
            Outcome::Explained(why_unpredicted(&file, line, analysis))
        } else {
            judge(rows, verdicts)
        };
        let sum = |part: fn(&LineCounters) -> u64| rows.iter().map(|row| part(row)).sum::<u64>();
        out.push(Reconciled {
            kernel: kernel.to_owned(),
            file,
            line,
            space,
            op,
            counted: (!rows.is_empty()).then(|| (sum(|row| row.cost), sum(|row| row.ideal))),
            proved: words(verdicts),
            outcome,
        });
    }
}

/// Paths agree as far as both are given.
fn is_same(ours: &Key, theirs: &Key) -> bool {
    let parts = |path: &str| path.rsplit('/').map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (parts(&ours.0), parts(&theirs.0));
    let agrees = one
        .iter()
        .zip(&other)
        .all(|(one, other)| one == other || one == "." || other == ".");
    agrees && (ours.1, ours.2, ours.3) == (theirs.1, theirs.2, theirs.3)
}

fn words(verdicts: &[&Access]) -> String {
    let said: BTreeSet<String> = verdicts
        .iter()
        .map(|access| {
            let verdict = &access.verdict;
            match verdict.status {
                Status::Exact => format!("{}/{}", verdict.max, verdict.ideal),
                Status::Bounded => {
                    format!("{}..{}/{}", verdict.min, verdict.max, verdict.ideal)
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
fn judge(rows: &[&LineCounters], verdicts: &[&Access]) -> Outcome {
    let cost: u64 = rows.iter().map(|row| row.cost).sum();
    let ideal: u64 = rows.iter().map(|row| row.ideal).sum();
    let lies_in = |verdicts: &[&Access]| {
        let at_least = |access: &&Access| {
            let verdict = &access.verdict;
            u128::from(cost) * u128::from(verdict.ideal)
                >= u128::from(verdict.min) * u128::from(ideal)
        };
        let at_most = |access: &&Access| {
            let verdict = &access.verdict;
            u128::from(cost) * u128::from(verdict.ideal)
                <= u128::from(verdict.max) * u128::from(ideal)
        };
        verdicts.iter().any(at_least) && verdicts.iter().any(at_most)
    };
    if let Some(open) = verdicts.iter().find(|access| !access.verdict.is_known()) {
        let status = match open.verdict.status {
            Status::DataDependent => "data-dependent",
            _ => "unknown",
        };
        return Outcome::Explained(format!("{status}: {}", open.verdict.reason));
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
            return Outcome::Explained(format!(
                "the launch shape: this is what block ({}) costs, others cost otherwise",
                block.join(", ")
            ));
        }
        return Outcome::Agrees;
    }
    let widths: BTreeSet<u32> = verdicts.iter().map(|access| access.width).collect();
    if let Some(wide) = rows.iter().find(|row| !widths.contains(&row.width)) {
        let verb = if widths.iter().all(|width| *width < wide.width) {
            "merged"
        } else {
            "split"
        };
        return Outcome::Explained(format!(
            "{verb} by the compiler into accesses of {} bytes ({})",
            wide.width, wide.opcode
        ));
    }
    let requests: u64 = rows.iter().map(|row| row.requests).sum();
    let lanes: u64 = rows.iter().map(|row| row.lanes).sum();
    if lanes < requests * 32 {
        let average = lanes as f64 / requests.max(1) as f64;
        return Outcome::Explained(format!(
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
        return Outcome::Explained(
            "another launch shape: none is known here, and blockDim.x was taken for a multiple of 32"
                .to_owned(),
        );
    }
    Outcome::Disagrees
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

impl Reconciliation {
    /// 0 if every difference is explained, 1 otherwise.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        u8::from(
            self.rows
                .iter()
                .any(|row| row.outcome == Outcome::Disagrees),
        )
    }

    /// The table by kernel and line, and counts.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        let mut kernel = "";
        for row in &self.rows {
            // Writing to a String can't fail, so the results are dropped.
            if row.kernel != kernel {
                kernel = &row.kernel;
                let _ = writeln!(out, "{kernel}");
            }
            let place = format!("{}:{}", row.file, row.line);
            let access = format!("{} {}", row.space.name(), row.op.name());
            let counted = row.counted.map_or("-".to_owned(), |(cost, ideal)| {
                let each = cost as f64 / ideal.max(1) as f64;
                format!("{cost}/{ideal} = {each:.2}")
            });
            let outcome = match &row.outcome {
                Outcome::Agrees => "agrees",
                Outcome::Explained(reason) => reason,
                Outcome::Disagrees => "DISAGREES",
            };
            let _ = writeln!(
                out,
                "  {place:<32} {access:<13} counted {counted:<22} proved {:<14} {outcome}",
                row.proved
            );
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        let count =
            |is: fn(&Outcome) -> bool| self.rows.iter().filter(|row| is(&row.outcome)).count();
        let _ = writeln!(
            out,
            "{} lines: {} agree, {} explained, {} disagree",
            self.rows.len(),
            count(|outcome| *outcome == Outcome::Agrees),
            count(|outcome| matches!(outcome, Outcome::Explained(_))),
            count(|outcome| *outcome == Outcome::Disagrees)
        );
        out
    }
}
