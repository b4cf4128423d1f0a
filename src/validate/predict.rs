//! Predictions for a launch by simulator and prover, in a profiler's terms.
//!
//! Given: a launch with the bytes of its arguments, and its kernel.
//! Gives: totals per source line, also those of the requests that a compiler may make of them;
//! the buffers after the run; which lines hold findings.
//! Does not know: measurements or devices.

use crate::gpu::WARP;
use crate::gpu::cost::{self, Cost, Op, Request, Space};
use crate::ir::{Kernel, ParameterKind};
use crate::prove::verdict::Access;
use crate::sim::{self, Blocks, ConcreteArgument, ConcreteLaunch, SimOutcome, SimRequest};
use crate::source::{SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use super::fixtures::{Prepared, Specimen};
use super::joins::joined;
use super::plan::{ArgValue, Init, Launch, Number, fingerprint, within};
use super::prediction::{
    Alternative, Finding, How, PredictedLaunch, PredictedLine, Prediction, Totals,
};

/// Result of a simulated launch.
pub struct Simulated {
    pub lines: Vec<PredictedLine>,
    /// Name of each buffer, and fingerprint of what is compared of it.
    pub outputs: Vec<(String, u64)>,
    /// The fault that stopped it.
    pub fault: Option<String>,
}

/// Requests of one line, space and operation, with the warp that made them.
type Requests = BTreeMap<(String, u32, u8, u8), Vec<(u64, SimRequest)>>;

/// Runs the launch; poisons the buffers whose content it does not read, and notes which bytes
/// the simulator vouches for.
///
/// # Errors
/// One sentence: what is not simulated.
pub fn simulate(
    specimen: &Specimen,
    kernel: &Kernel,
    launch: &mut Launch,
) -> Result<Simulated, String> {
    let mut outcome = run(specimen, kernel, launch, &mut |_| {})?;
    for name in poisonable(kernel, launch) {
        let mut poisoned = launch.clone();
        for (_, buffer) in poisoned.buffers_mut().filter(|(known, _)| *known == name) {
            buffer.init = Init::Poison;
        }
        let Ok(other) = run(specimen, kernel, &poisoned, &mut |_| {}) else {
            continue;
        };
        let index = launch.buffers().position(|(known, _)| known == name);
        if let Some(index) = index
            && is_unread(launch, &poisoned, index, &outcome, &other)
        {
            (*launch, outcome) = (poisoned, other);
        }
    }
    let mut requests = Requests::new();
    let mut note = |request: &SimRequest| {
        let Some(site) = kernel.sites.get(request.site.index()) else {
            return;
        };
        let (file, line) = place(&specimen.analysis.sources, site.line);
        let Request { space, op, .. } = request.request;
        let [x, y, z] = request.block.map(u64::from);
        let warp = ((z << 20 | y) << 20 | x) << 8 | u64::from(request.warp);
        requests
            .entry((file, line, space as u8, op as u8))
            .or_default()
            .push((warp, request.clone()));
    };
    let outcome = run(specimen, kernel, launch, &mut note)?;
    for ((_, buffer), last) in launch.buffers_mut().zip(&outcome.buffers) {
        buffer.compared = ranges(&last.known);
    }
    let outputs = launch.buffers().zip(&outcome.buffers);
    let outputs = outputs.map(|((name, buffer), last)| {
        let bytes = within(&last.bytes, buffer.compared.as_deref());
        (name.to_owned(), fingerprint(&bytes))
    });
    let lines = requests.iter().map(|(key, here)| {
        let (file, line, space, op) = key;
        let others = requests
            .iter()
            .filter(|(other, _)| (&other.0, other.2, other.3) == (file, *space, *op))
            .filter(|(other, _)| other.1 != *line);
        PredictedLine {
            joined: others
                .filter_map(|(other, there)| joined(here, (other.1, there), &specimen.arch))
                .collect(),
            ..predicted(specimen, file.clone(), *line, here)
        }
    });
    Ok(Simulated {
        outputs: outputs.collect(),
        lines: lines.collect(),
        fault: outcome.fault.map(|fault| fault.message),
    })
}

fn run(
    specimen: &Specimen,
    kernel: &Kernel,
    launch: &Launch,
    observer: &mut dyn FnMut(&SimRequest),
) -> Result<SimOutcome, String> {
    let concrete = ConcreteLaunch {
        grid: launch.grid,
        block: launch.block,
        dynamic_shared: u64::from(launch.shared_bytes),
        arguments: launch
            .args
            .iter()
            .map(|arg| argument(&arg.name, &arg.value, launch.seed))
            .collect(),
        blocks: Blocks::All,
        limit: None,
        only: None,
    };
    let program = &specimen.analysis.program;
    sim::run(kernel, program, &concrete, &specimen.arch, observer)
        .map_err(|unsupported| unsupported.reason)
}

fn argument(name: &str, value: &ArgValue, seed: u64) -> ConcreteArgument {
    match value {
        ArgValue::Buffer(buffer) => ConcreteArgument::Buffer {
            bytes: buffer.bytes(name, seed),
            offset: buffer.offset,
        },
        ArgValue::Scalar {
            value: Number::Integer(value),
            ..
        } => ConcreteArgument::Int(*value),
        ArgValue::Scalar {
            value: Number::Float(value),
            ..
        } => ConcreteArgument::Float(*value),
        ArgValue::Struct { leaves } => ConcreteArgument::Leaves(
            leaves
                .iter()
                .map(|leaf| argument(&leaf.name, &leaf.value, seed))
                .collect(),
        ),
    }
}

/// Buffers that the kernel may write.
fn poisonable(kernel: &Kernel, launch: &Launch) -> Vec<String> {
    let pairs = kernel.parameters.iter().zip(&launch.args);
    let written = pairs.filter(|(parameter, _)| {
        !matches!(
            parameter.kind,
            ParameterKind::Pointer { is_const: true, .. }
        )
    });
    let names = written.flat_map(|(_, arg)| match &arg.value {
        ArgValue::Buffer(_) => vec![arg.name.clone()],
        ArgValue::Scalar { .. } => Vec::new(),
        ArgValue::Struct { leaves } => leaves
            .iter()
            .filter(|leaf| matches!(leaf.value, ArgValue::Buffer(_)))
            .map(|leaf| leaf.name.clone())
            .collect(),
    });
    names.collect()
}

/// Whether nothing but the bytes that both runs left alone depends on what the buffer held.
fn is_unread(
    launch: &Launch,
    poisoned: &Launch,
    index: usize,
    before: &SimOutcome,
    after: &SimOutcome,
) -> bool {
    let content = |launch: &Launch| {
        let buffer = launch.buffers().nth(index);
        buffer.map(|(name, buffer)| buffer.bytes(name, launch.seed))
    };
    let (Some(first), Some(second)) = (content(launch), content(poisoned)) else {
        return false;
    };
    let same_requests = before.totals == after.totals && before.fault.is_none();
    let pairs = before.buffers.iter().zip(&after.buffers).enumerate();
    same_requests
        && pairs.into_iter().all(|(at, (one, other))| {
            if at != index {
                return one == other;
            }
            let bytes = one.bytes.iter().zip(&other.bytes);
            let initial = first.iter().zip(&second);
            one.known == other.known
                && bytes
                    .zip(initial)
                    .all(|(last, first)| last.0 == last.1 || last == first)
        })
}

/// The ranges in which `known` holds; `None` if it holds throughout.
fn ranges(known: &[bool]) -> Option<Vec<(u64, u64)>> {
    if known.iter().all(|known| *known) {
        return None;
    }
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for (at, _) in known.iter().enumerate().filter(|(_, known)| **known) {
        let at = at as u64;
        match ranges.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => ranges.push((at, at + 1)),
        }
    }
    Some(ranges)
}

fn place(sources: &SourceMap, span: Span) -> (String, u32) {
    let file = sources.get(span.file);
    (file.path.display().to_string(), file.line(span.start))
}

fn predicted(
    specimen: &Specimen,
    file: String,
    line: u32,
    requests: &[(u64, SimRequest)],
) -> PredictedLine {
    let arch = &specimen.arch;
    let shown = |request: &SimRequest| {
        // The profiler's source page judges wide shared loads in its own way.
        if cost::cost(&request.request, arch) == request.cost {
            cost::source_page(&request.request, arch)
        } else {
            request.cost
        }
    };
    let mut totals = Totals::default();
    for (_, request) in requests {
        totals.add(shown(request));
    }
    let mut alternatives = Vec::new();
    let mut offer = |how, totals: Option<Totals>| {
        if let Some(totals) = totals {
            alternatives.push(Alternative { how, totals });
        }
    };
    let mut seen = FxHashSet::default();
    let distinct: Vec<&(u64, SimRequest)> = requests
        .iter()
        .filter(|(warp, request)| seen.insert((*warp, request.request)))
        .collect();
    let is_repeated = distinct.len() < requests.len();
    if is_repeated {
        let mut once = Totals::default();
        distinct
            .iter()
            .for_each(|(_, request)| once.add(shown(request)));
        offer(How::Once, Some(once));
    }
    let all: Vec<&(u64, SimRequest)> = requests.iter().collect();
    let first = requests.first().map(|(_, request)| request.request);
    let (space, op, width) = first.map_or((Space::Shared, Op::Load, 4), |request| {
        (request.space, request.op, request.width)
    });
    for factor in [2, 4, 8, 16] {
        let merged = width * factor;
        if merged > 16 || op == Op::Atomic {
            break;
        }
        let total = |requests: &[Request]| {
            let mut totals = Totals::default();
            for request in requests {
                totals.add(cost::source_page(request, arch));
            }
            totals
        };
        offer(
            How::Merged(merged),
            merge(&all, factor).map(|requests| total(&requests)),
        );
        if is_repeated {
            offer(
                How::OnceMerged(merged),
                merge(&distinct, factor).map(|requests| total(&requests)),
            );
        }
    }
    PredictedLine {
        file,
        line,
        space,
        op,
        totals,
        alternatives,
        joined: Vec::new(),
        finding: None,
    }
}

/// The requests of `factor` times the width that a compiler makes of these, if all of them
/// can be taken together: one thread's neighbours in memory, aligned.
fn merge(requests: &[&(u64, SimRequest)], factor: u32) -> Option<Vec<Request>> {
    type Lanes = [Option<u64>; WARP];
    let mut waiting: FxHashMap<(u64, Lanes), usize> = FxHashMap::default();
    let width = requests.first()?.1.request.width;
    for (warp, request) in requests {
        if request.request.width != width {
            return None;
        }
        *waiting
            .entry((*warp, request.request.addresses))
            .or_default() += 1;
    }
    let merged = u64::from(width * factor);
    let mut result = Vec::new();
    for (warp, request) in requests {
        let first = request.request;
        let is_aligned = first
            .addresses
            .iter()
            .flatten()
            .all(|address| address % merged == 0);
        if !is_aligned {
            continue;
        }
        for part in 0..factor {
            let by = u64::from(part * width);
            let addresses = first.addresses.map(|lane| lane.map(|address| address + by));
            let left = waiting.get_mut(&(*warp, addresses))?;
            *left = left.checked_sub(1)?;
        }
        result.push(Request {
            width: width * factor,
            ..first
        });
    }
    waiting.values().all(|left| *left == 0).then_some(result)
}

/// What is predicted of prepared launches; findings too where the files were proved.
#[must_use]
pub fn prediction<'a>(prepared: impl Iterator<Item = Prepared<'a>>) -> Prediction {
    let launches = prepared.map(|prepared| {
        let Prepared {
            specimen,
            kernel,
            launch,
            simulated,
        } = prepared;
        let (mut lines, outputs, silent) = match simulated {
            Ok(simulated) => (simulated.lines, simulated.outputs, None),
            Err(reason) => (Vec::new(), Vec::new(), Some(reason)),
        };
        for line in &mut lines {
            line.finding = finding(specimen, kernel, &launch, line);
        }
        let instance = format!("{} block {:?}", launch.kernel, launch.block);
        PredictedLaunch {
            label: launch.label,
            instance,
            source: fingerprint(specimen.device_text().as_bytes()),
            lines,
            outputs,
            silent,
        }
    });
    Prediction {
        launches: launches.collect(),
    }
}

/// What the prover says of a line under this launch; open where it rests on what the compiler is expected
/// to merge.
fn finding(
    specimen: &Specimen,
    kernel: &Kernel,
    launch: &Launch,
    line: &PredictedLine,
) -> Option<Finding> {
    let fits = |access: &&Access| {
        let block = access.launch.block.iter().zip(launch.block);
        *access.kernel == *kernel.name
            && *access.instance == *kernel.instance
            && (access.space, access.op) == (line.space, line.op)
            && block
                .into_iter()
                .all(|(known, given)| known.is_none_or(|known| known == u64::from(given)))
            && place(&specimen.analysis.sources, access.site.line) == (line.file.clone(), line.line)
    };
    let verdicts = specimen.analysis.accesses.iter().filter(fits);
    verdicts
        .map(|access| {
            if access.is_bad() {
                Finding::Bad
            } else if access.verdict.is_ideal() {
                Finding::Ideal
            } else {
                Finding::Open
            }
        })
        .max()
}

impl Totals {
    pub(super) fn add(&mut self, cost: Cost) {
        self.requests += 1;
        self.cost += u64::from(cost.actual);
        self.ideal += u64::from(cost.ideal);
    }
}
