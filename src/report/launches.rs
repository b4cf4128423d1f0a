//! Every launch of host code, as text or as JSON; schema `cudalint.launches/1`.
//!
//! A number is one that every run of the program has there; `null` is unknown, and stands beside the
//! expression that the text has. Fields may be added, none changes its meaning without a new version.

mod absence;

use super::json::line;
use super::stats::shape;
use super::{place, visible};
use crate::ir::{Argument, DefinedKernel, Dimension, LaunchSite, Program};
use crate::source::{Canonical, SourceMap, Span};
use absence::{Absence, Mentions, plain};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Name and version of the format.
pub const SCHEMA: &str = "cudalint.launches/1";

const AXES: [&str; 3] = ["x", "y", "z"];

/// Where files that are not read name kernels: by name, the file and the line.
pub type Mentioned = FxHashMap<String, (PathBuf, u32)>;

/// What a run says about launches.
pub struct Launches {
    launches: Vec<LaunchRecord>,
    without: Vec<KernelRecord>,
}

#[derive(Serialize)]
struct PlaceRecord {
    file: String,
    line: u32,
}

#[derive(Serialize)]
struct LaunchRecord {
    kernel: String,
    instance: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    defined: Option<PlaceRecord>,
    file: String,
    line: u32,
    column: u32,
    grid: [Option<u64>; 3],
    block: [Option<u64>; 3],
    /// Bytes.
    dynamic_shared: Option<u64>,
    /// The expressions behind each `null` above.
    unknown: Vec<UnknownRecord>,
    arguments: Vec<ArgumentRecord>,
    also: Vec<PlaceRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Serialize)]
struct UnknownRecord {
    /// `grid.x`, `block.z`, `dynamic_shared`
    what: String,
    expression: String,
}

#[derive(Serialize)]
struct ArgumentRecord {
    #[serde(skip_serializing_if = "str::is_empty")]
    parameter: String,
    expression: String,
    #[serde(flatten)]
    known: Known,
}

/// Value of an argument, as far as it is known.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Known {
    Int {
        value: i64,
    },
    Float {
        value: f64,
    },
    /// Bytes after the start of an allocation: `offset`, plus any multiple of `step`.
    Pointer {
        offset: i64,
        step: i64,
    },
    Unknown {
        /// Where in an allocation a pointer is taken to point that somebody else made.
        #[serde(skip_serializing_if = "Option::is_none")]
        assumed: Option<Offset>,
    },
}

#[derive(Serialize)]
struct Offset {
    offset: i64,
    step: i64,
}

#[derive(Serialize)]
struct KernelRecord {
    kernel: String,
    file: String,
    line: u32,
    reason: String,
    #[serde(skip)]
    absence: Absence,
    /// Launches in the files of which the kernel is not known: any of them may launch this one.
    unknown_launches: usize,
}

#[derive(Serialize)]
struct Summary {
    kernels: usize,
    launched: usize,
    launches: usize,
    constant_block: usize,
    /// Kernels without a launch.
    without_launch: Vec<Count>,
    /// Kernels of which no launch has a known instance.
    without_instance: Vec<Count>,
}

/// How many kernels there are for a reason.
#[derive(Serialize)]
struct Count {
    count: usize,
    reason: String,
}

impl Launches {
    /// `unread` says where files that are not read name kernels.
    #[must_use]
    pub fn of(
        program: &Program,
        sources: &SourceMap,
        unread: &dyn Fn(&[&str]) -> Mentioned,
    ) -> Self {
        let at = |span: Span| {
            let place = place(sources, span);
            PlaceRecord {
                file: place.file(),
                line: place.start.line,
            }
        };
        let lost = program
            .launch_sites
            .iter()
            .filter(|site| site.defined.is_none() && site.problem.is_some());
        let lost: Vec<String> = lost
            .filter_map(|site| {
                let place = at(site.launch.span?);
                Some(format!("{}:{}", place.file, place.line))
            })
            .collect();
        let canonical = Canonical::of(sources);
        let sites = program.launch_sites.iter();
        let launched: FxHashSet<(Span, &str)> = sites
            .filter_map(|site| Some((canonical.span(site.defined?), &*site.kernel)))
            .collect();
        // A header's kernel is met in each file that includes it.
        let mut met = FxHashSet::default();
        let alone: Vec<&DefinedKernel> = program
            .defined
            .iter()
            .filter(|kernel| {
                let one = (canonical.span(kernel.span), &*kernel.name);
                !launched.contains(&one) && met.insert(one)
            })
            .collect();
        let names = alone.iter().map(|kernel| kernel.name.as_str());
        let mentions = Mentions::of(names, program, sources);
        let why = |kernel: &DefinedKernel| mentions.why(&kernel.name, canonical.span(kernel.span));
        let nowhere = alone.iter().filter(|k| why(k) == Absence::Nowhere);
        let nowhere: Vec<&str> = nowhere.map(|kernel| plain(&kernel.name)).collect();
        let elsewhere = unread(&nowhere);
        let without = alone.iter().map(|kernel| {
            let PlaceRecord { file, line } = at(kernel.span);
            let mut absence = why(kernel);
            let mut reason = absence.reason(sources);
            if let (Absence::Nowhere, Some((path, line))) =
                (absence, elsewhere.get(plain(&kernel.name)))
            {
                absence = Absence::Unread;
                reason = format!(
                    "it is named at {}:{line}, in a file that is not read",
                    path.display()
                );
            }
            if let (true, Some(first)) = (absence.is_open(), lost.first()) {
                let many = lost.len();
                reason +=
                    &format!("; of {many} launches the kernel is not known, the first at {first}");
            }
            KernelRecord {
                kernel: kernel.name.clone(),
                file,
                line,
                unknown_launches: lost.len(),
                reason,
                absence,
            }
        });
        let launches = program.launch_sites.iter().filter_map(|site| {
            let span = site.launch.span?;
            Some(record(site, span, sources))
        });
        // A header's launch is met in each file that includes it.
        let mut told = FxHashSet::default();
        let launches = launches.filter(|launch| told.insert(line(launch)));
        Self {
            launches: launches.collect(),
            without: without.collect(),
        }
    }

    fn summary(&self) -> Summary {
        let mut launched: Vec<_> = self
            .launches
            .iter()
            .filter_map(|l| l.defined.as_ref().map(|d| (&d.file, d.line, &l.kernel)))
            .collect();
        launched.sort_unstable();
        launched.dedup();
        Summary {
            kernels: launched.len() + self.without.len(),
            launched: launched.len(),
            launches: self.launches.len(),
            constant_block: self
                .launches
                .iter()
                .filter(|l| l.block.iter().all(|axis| axis.is_some()))
                .count(),
            without_launch: counts(self.without.iter().map(|k| k.absence.kind())),
            without_instance: counts(self.problems().iter().map(|problem| shape(problem))),
        }
    }

    /// For each kernel that is launched in no known instance, why.
    fn problems(&self) -> Vec<&str> {
        let mut kernels: FxHashMap<(&str, u32, &str), Option<&str>> = FxHashMap::default();
        for l in &self.launches {
            let Some(defined) = &l.defined else { continue };
            let kernel = (defined.file.as_str(), defined.line, l.kernel.as_str());
            let problem = l.problem.as_deref();
            kernels
                .entry(kernel)
                .and_modify(|known| *known = known.and(problem).and(*known))
                .or_insert(problem);
        }
        kernels.into_values().flatten().collect()
    }

    /// One document, one launch a line.
    #[must_use]
    pub fn json(&self) -> String {
        let list = |lines: Vec<String>| {
            let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
            format!("[\n{}]", lines.join(",\n"))
        };
        format!(
            "{{\"schema\":\"{SCHEMA}\",\n\"launches\":{},\n\"not_launched\":{},\n\"summary\":{}}}\n",
            list(self.launches.iter().map(line).collect()),
            list(self.without.iter().map(line).collect()),
            line(&self.summary()).trim_end()
        )
    }

    /// A few lines for each launch.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for l in &self.launches {
            let _ = writeln!(
                out,
                "{}:{}:{}: {}{}",
                visible::line(&l.file),
                l.line,
                l.column,
                l.kernel,
                l.instance
            );
            let shape = |name: &str, axes: &[Option<u64>; 3]| {
                let one = |(axis, n): (&str, &Option<u64>)| l.number(&format!("{name}.{axis}"), *n);
                let all: Vec<String> = AXES.into_iter().zip(axes).map(one).collect();
                all.join(" x ")
            };
            let (grid, block) = (shape("grid", &l.grid), shape("block", &l.block));
            let _ = writeln!(out, "    grid {grid}, block {block}");
            if l.dynamic_shared != Some(0) {
                let text = l.number("dynamic_shared", l.dynamic_shared);
                let _ = writeln!(out, "    dynamic shared memory: {text} bytes");
            }
            for argument in &l.arguments {
                let _ = writeln!(out, "    {}", told(argument));
            }
            if l.defined.is_none() && l.problem.is_none() {
                let _ = writeln!(out, "    note: the files given do not define it");
            }
            if let Some(problem) = &l.problem {
                let _ = writeln!(out, "    note: {problem}");
            }
            for other in &l.also {
                let _ = writeln!(
                    out,
                    "    also at {}:{}",
                    visible::line(&other.file),
                    other.line
                );
            }
        }
        for kernel in &self.without {
            let _ = writeln!(
                out,
                "{}:{}: {} has no launch: {}",
                visible::line(&kernel.file),
                kernel.line,
                kernel.kernel,
                kernel.reason
            );
        }
        let Summary {
            kernels,
            launched,
            launches,
            constant_block,
            without_launch,
            without_instance,
        } = self.summary();
        for Count { count, reason } in without_launch {
            let _ = writeln!(out, "without a launch: {count}, as {reason}");
        }
        for Count { count, reason } in without_instance {
            let _ = writeln!(out, "without a known instance: {count}, as {reason}");
        }
        let _ = writeln!(
            out,
            "{launched} of {kernels} kernels are launched; {launches} launches, {constant_block} with a known block"
        );
        visible::text(&out)
    }
}

impl LaunchRecord {
    /// A number, or the expression that stands for it.
    fn number(&self, what: &str, value: Option<u64>) -> String {
        match (value, self.unknown.iter().find(|u| u.what == what)) {
            (Some(n), _) => n.to_string(),
            (None, Some(u)) => format!("`{}`", u.expression),
            (None, None) => "?".to_owned(),
        }
    }
}

/// How often each reason stands there, the most frequent first.
fn counts(reasons: impl Iterator<Item = impl Into<String>>) -> Vec<Count> {
    let mut by_reason: FxHashMap<String, usize> = FxHashMap::default();
    for reason in reasons {
        *by_reason.entry(reason.into()).or_default() += 1;
    }
    let all = by_reason.into_iter();
    let mut list: Vec<Count> = all.map(|(reason, count)| Count { count, reason }).collect();
    list.sort_by(|a, b| (b.count, &a.reason).cmp(&(a.count, &b.reason)));
    list
}

fn told(argument: &ArgumentRecord) -> String {
    let name = if argument.parameter.is_empty() {
        String::new()
    } else {
        format!("{} = ", argument.parameter)
    };
    let known = match &argument.known {
        Known::Int { value } => value.to_string(),
        Known::Float { value } => value.to_string(),
        Known::Pointer { offset: 0, step: 0 } => "the start of an allocation".to_owned(),
        Known::Pointer { offset, step: 0 } => format!("{offset} bytes into an allocation"),
        Known::Pointer { offset, step } => {
            format!("{offset} bytes plus a multiple of {step} into an allocation")
        }
        Known::Unknown { assumed: None } => "unknown".to_owned(),
        Known::Unknown {
            assumed: Some(Offset { offset, step }),
        } => {
            let more = if *step > 0 {
                format!(" plus a multiple of {step}")
            } else {
                String::new()
            };
            format!("unknown, taken for {offset}{more} bytes into an allocation")
        }
    };
    format!("{name}`{}`: {known}", argument.expression)
}

fn record(site: &LaunchSite, span: Span, sources: &SourceMap) -> LaunchRecord {
    let launch = &site.launch;
    let at = |span: Span| {
        let place = place(sources, span);
        PlaceRecord {
            file: place.file(),
            line: place.start.line,
        }
    };
    let mut unknown = Vec::new();
    for (name, axes) in [("grid", &launch.grid), ("block", &launch.block)] {
        for (axis, dimension) in AXES.into_iter().zip(axes) {
            if let Dimension::Unknown(expression) | Dimension::Uneven(expression) = dimension {
                unknown.push(UnknownRecord {
                    what: format!("{name}.{axis}"),
                    expression: expression.to_string(),
                });
            }
        }
    }
    if let (None, Some(expression)) = (launch.dynamic_shared, &site.written.dynamic_shared) {
        unknown.push(UnknownRecord {
            what: "dynamic_shared".to_owned(),
            expression: expression.to_string(),
        });
    }
    let arguments = launch.arguments.iter().enumerate().map(|(i, argument)| {
        let expression = site.written.arguments.get(i);
        ArgumentRecord {
            parameter: site.parameters.get(i).cloned().unwrap_or_default(),
            expression: expression.map(ToString::to_string).unwrap_or_default(),
            known: match argument {
                Argument::Int(value) => Known::Int { value: *value },
                Argument::Float(value) => Known::Float { value: *value },
                Argument::Pointer { offset, is_assumed } => {
                    let known = match (offset.value(), offset.class()) {
                        (Some(offset), _) => Some(Offset { offset, step: 0 }),
                        (None, Some((step, offset))) => Some(Offset { offset, step }),
                        (None, None) => None,
                    };
                    match known {
                        Some(Offset { offset, step }) if !is_assumed => {
                            Known::Pointer { offset, step }
                        }
                        assumed => Known::Unknown { assumed },
                    }
                }
                Argument::Unknown | Argument::Narrowed => Known::Unknown { assumed: None },
            },
        }
    });
    let start = place(sources, span).start;
    LaunchRecord {
        kernel: site.kernel.clone(),
        instance: site.instance.clone(),
        defined: site.defined.map(at),
        file: at(span).file,
        line: start.line,
        column: start.column,
        grid: [0, 1, 2].map(|axis| launch.grid[axis].known()),
        block: [0, 1, 2].map(|axis| launch.block[axis].known()),
        dynamic_shared: launch.dynamic_shared,
        unknown,
        arguments: arguments.collect(),
        also: site.also.iter().map(|span| at(*span)).collect(),
        problem: site.problem.as_ref().map(ToString::to_string),
    }
}
