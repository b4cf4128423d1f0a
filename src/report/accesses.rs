//! Every access as JSON; schema `cudalint.accesses/1`.
//!
//! The interface that scoring, validation and editors stand on: fields may be
//! added, none changes its meaning without a new version.

use super::json::{self, TotalRecord, line, not_analysed};
use super::not_followed::Gap;
use super::{Report, visible};
use crate::gpu::{Space, Total};
use crate::ir::NotAnalysed;
use crate::prove::claim::hexadecimal;
use crate::prove::verdict::Assumption;
use crate::prove::verdict::{
    Access, Claim, Dependence, KEPT, LaunchShape, NARROWED, READS_APART, Status,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Name and version of the format.
pub const SCHEMA: &str = "cudalint.accesses/1";

#[derive(Serialize)]
struct Record<'a> {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    kernel: &'a str,
    instance: &'a str,
    launch: LaunchRecord,
    space: &'static str,
    array: &'a str,
    op: &'static str,
    width: u32,
    unit: &'static str,
    cost: CostRecord,
    ideal: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_block: Option<TotalRecord>,
    status: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: Cow<'a, str>,
    /// Where the compiler is expected to make one of several accesses, what each costs as written, and
    /// the one: status and bounds of the record hold for either.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<MergedRecord>,
    depends_on: Vec<DependenceRecord<'a>>,
    assumptions: Vec<String>,
    /// The same for programs.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assumes: &'a [Assumption],
    #[serde(serialize_with = "in_order", skip_serializing_if = "Option::is_none")]
    witness: Option<&'a [(String, i64)]>,
    certificate: Vec<ClaimRecord>,
    formula: &'a str,
    guards: &'a [String],
    loop_depth: u32,
}

#[derive(Serialize)]
struct LaunchRecord {
    block: [Option<u64>; 3],
    source: &'static str,
    grid: [Option<u64>; 3],
}

/// What a block of one kernel comes to, where every access of a space has a sum.
#[derive(Serialize)]
struct KernelRecord<'a> {
    file: String,
    line: u32,
    kernel: &'a str,
    instance: &'a str,
    launch: LaunchRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<TotalRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    global: Option<TotalRecord>,
}

#[derive(Serialize)]
struct CostRecord {
    min: u32,
    max: u32,
}

#[derive(Serialize)]
struct MergedRecord {
    /// Of the access as written.
    written: CostRecord,
    written_status: &'static str,
    /// Accesses that become one.
    accesses: u32,
    /// Bytes per lane of the one.
    width: u32,
    cost: CostRecord,
    ideal: u32,
}

#[derive(Serialize)]
struct DependenceRecord<'a> {
    symbol: &'a str,
    cases: Vec<CaseRecord>,
}

#[derive(Serialize)]
struct CaseRecord {
    when: String,
    min: u32,
    max: u32,
    ideal: u32,
}

#[derive(Serialize)]
struct ClaimRecord {
    kind: &'static str,
    statement: &'static str,
    obligation: String,
}

/// The whole list as one document, one record per line. `gaps` are places in analysed kernels that
/// were not followed.
#[must_use]
pub fn render(report: &Report, gaps: &[Gap]) -> String {
    let accesses = report
        .accesses
        .iter()
        .map(|access| line(&record(report, access)));
    let missing = |list: &[NotAnalysed]| -> String {
        array(list.iter().map(|one| line(&not_analysed(report, one))))
    };
    let kernels = kernels(report);
    format!(
        "{{\"schema\":\"{SCHEMA}\",\n\"accesses\":{},\n\"kernels\":{},\n\"not_analysed\":{},\n\"gaps\":{}}}\n",
        array(accesses),
        array(kernels.iter().map(line)),
        missing(report.not_analysed),
        array(gaps.iter().map(|one| line(&gap(report, one))))
    )
}

/// A place that was not followed, and why: once, with what it concerns.
#[derive(Serialize)]
struct GapRecord<'a> {
    #[serde(flatten)]
    gap: json::GapRecord<'a>,
    instances: usize,
}

fn gap<'a>(report: &Report, one: &Gap<'a>) -> GapRecord<'a> {
    GapRecord {
        gap: json::gap(report, one),
        instances: one.instances,
    }
}

/// Every kernel instance under every launch of which a sum is known, in order of place.
fn kernels<'a>(report: &Report<'a>) -> Vec<KernelRecord<'a>> {
    let mut sums: BTreeMap<_, (&Access, [Option<Total>; 2])> = BTreeMap::new();
    for access in report.accesses {
        let launch = &access.launch;
        let key = (
            access.kernel_span,
            &access.kernel,
            &access.instance,
            (launch.block, launch.grid, launch.span, launch.source.name()),
        );
        let start = (access, [Some(Total::default()); 2]);
        let (_, spaces) = sums.entry(key).or_insert(start);
        let of_space = match access.space {
            Space::Shared => &mut spaces[0],
            Space::Global => &mut spaces[1],
        };
        let both = of_space.zip(access.per_block);
        *of_space = both.and_then(|(all, one)| all.plus(one));
    }
    let told = |total: Option<Total>| {
        let total = total.filter(|total| total.requests > 0)?;
        Some(TotalRecord::from(total))
    };
    sums.into_values()
        .filter_map(|(access, [shared, global])| {
            let (shared, global) = (told(shared), told(global));
            let place = report.place(access.kernel_span);
            (shared.is_some() || global.is_some()).then(|| KernelRecord {
                file: place.file(),
                line: place.start.line,
                kernel: &access.kernel,
                instance: &access.instance,
                launch: launch_record(&access.launch),
                shared,
                global,
            })
        })
        .collect()
}

fn launch_record(launch: &LaunchShape) -> LaunchRecord {
    LaunchRecord {
        block: launch.block,
        source: launch.source.name(),
        grid: launch.grid,
    }
}

/// A list with one element per line.
fn array(elements: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (at, element) in elements.enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(element.trim_end());
    }
    out.push(']');
    out
}

/// One access per line, and nothing else.
#[must_use]
pub fn render_lines(report: &Report) -> String {
    report
        .accesses
        .iter()
        .map(|access| line(&record(report, access)))
        .collect()
}

/// One access per line, for people: place, kernel, access, cost beside ideal, status.
#[must_use]
pub fn render_table(report: &Report) -> String {
    let rows: Vec<[String; 4]> = report
        .accesses
        .iter()
        .map(|access| {
            let record = record(report, access);
            let CostRecord { min, max } = record.cost;
            let cost = if record.status == "unknown" {
                "?".to_owned()
            } else if min == max {
                min.to_string()
            } else {
                format!("{min}..{max}")
            };
            let reason = if record.reason.is_empty() {
                String::new()
            } else {
                format!(": {}", record.reason)
            };
            [
                format!(
                    "{}:{}:{}",
                    visible::line(&record.file),
                    record.line,
                    record.column
                ),
                format!("{}{}", record.kernel, record.instance),
                format!("{} {} of {}", record.space, record.op, record.array),
                format!(
                    "{cost} of {} {}, {}{reason}",
                    record.ideal, record.unit, record.status
                ),
            ]
        })
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    rows.iter()
        .map(|[place, kernel, access, verdict]| {
            let [a, b, c] = widths;
            format!("{place:a$}  {kernel:b$}  {access:c$}  {verdict}\n")
        })
        .collect()
}

/// Why the cost of an access is not known exactly, or why no request is expected; empty where nothing is to be said.
fn reason(access: &Access, status: Status) -> Cow<'_, str> {
    let verdict = &access.verdict;
    match &access.merged {
        _ if access.reads_apart => Cow::Borrowed(READS_APART),
        _ if access.loose.is_some() => Cow::Borrowed(access.loose.map_or("", |loose| loose.reason)),
        Some(merged) if status != verdict.status => {
            let text = format!("{}: {}", merged.text(), merged.cost_text(access.space));
            Cow::Owned(text)
        }
        None if access.narrowed.is_some() && status != verdict.status => Cow::Borrowed(NARROWED),
        None if access.is_kept && verdict.reason.is_empty() => Cow::Borrowed(KEPT),
        _ => Cow::Borrowed(&verdict.reason),
    }
}

fn record<'a>(report: &Report, access: &'a Access) -> Record<'a> {
    let verdict = &access.verdict;
    let (site, named) = (
        report.place(access.site.span),
        report.place(access.site.line),
    );
    // Inside macro arguments the compiler names the line of the invocation, and nothing further on.
    let (start, end) =
        if access.site.line.file == access.site.span.file && named.start.line == site.start.line {
            (site.start, site.end)
        } else {
            let mut end = named.end;
            if end.line > named.start.line {
                end = named.start;
                let text = report
                    .sources
                    .get(access.site.line.file)
                    .line_text(end.line);
                end.column = text.chars().count() as u32 + 1;
            }
            (named.start, end)
        };
    let bounds = access.bounds();
    let (status, min, max) = (bounds.status, bounds.min, bounds.max);
    Record {
        file: named.file(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        kernel: &access.kernel,
        instance: &access.instance,
        launch: launch_record(&access.launch),
        space: access.memory(),
        array: &access.site.array,
        op: access.op.name(),
        width: access.width,
        unit: access.space.unit(),
        cost: CostRecord { min, max },
        ideal: bounds.ideal,
        per_block: access.per_block.map(TotalRecord::from),
        status: status.name(),
        reason: reason(access, status),
        merged: access.merged.as_ref().map(|merged| MergedRecord {
            written: CostRecord {
                min: verdict.min,
                max: verdict.max,
            },
            written_status: verdict.status.name(),
            accesses: merged.accesses,
            width: merged.width,
            cost: CostRecord {
                min: merged.min,
                max: merged.max,
            },
            ideal: merged.ideal,
        }),
        depends_on: verdict.depends_on.iter().map(dependence).collect(),
        assumptions: verdict
            .assumptions
            .iter()
            .map(Assumption::to_string)
            .collect(),
        assumes: &verdict.assumptions,
        witness: verdict
            .witness
            .as_ref()
            .map(|witness| witness.symbols.as_slice()),
        certificate: verdict.certificate.iter().map(claim).collect(),
        formula: &access.formula,
        guards: &access.guards,
        loop_depth: access.loop_depth,
    }
}

fn dependence(dependence: &Dependence) -> DependenceRecord<'_> {
    let cases = dependence.cases.iter();
    DependenceRecord {
        symbol: &dependence.symbol,
        cases: cases
            .map(|case| CaseRecord {
                when: dependence.when(case),
                min: case.min,
                max: case.max,
                ideal: case.ideal,
            })
            .collect(),
    }
}

fn claim(claim: &Claim) -> ClaimRecord {
    ClaimRecord {
        kind: claim.kind.name(),
        statement: claim.kind.statement(),
        obligation: hexadecimal(&claim.obligation),
    }
}

/// An object whose members keep the order in which the symbols appear.
fn in_order<S: Serializer>(
    symbols: &Option<&[(String, i64)]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let symbols = symbols.unwrap_or_default();
    let mut map = serializer.serialize_map(Some(symbols.len()))?;
    for (name, value) in symbols {
        map.serialize_entry(name, value)?;
    }
    map.end()
}
