//! Holds what ran against what was said.

mod agreement;

pub(super) use agreement::Objection;

use super::assume::{Assumption, Names, condition};
use super::case::{Case, Run};
use super::finds::{Class, Counts, Finding, Judgement};
use super::trace::{Request, RunTrace, Site, Status, Trace};
use super::verdicts::{Omits, Report, Sum, Verdict};
use crate::gpu::Arch;
use crate::gpu::cost::Cost;
use std::collections::{BTreeMap, BTreeSet};

/// What became of a verdict in all runs.
#[derive(Clone, Debug, Default)]
struct Record {
    inside: u64,
    /// Requests that disagree under an assumption that does not hold, or of which it is not known.
    refuted: u64,
    example: String,
    runs: BTreeSet<usize>,
}

/// What requests do, by their number in the trace.
const OPS: [&str; 3] = ["load", "store", "atomic"];

pub(super) struct Judge<'a> {
    case: &'a Case,
    file: String,
    report: &'a Report,
    /// Verdicts of the case, by place in the report.
    verdicts: Vec<usize>,
    arch: &'a Arch,
    records: BTreeMap<usize, Record>,
    found: BTreeMap<(Class, String, u32), Finding>,
    counts: Counts,
    /// Verdicts whose own requests, by width and column, are in the block that is compared.
    served: BTreeSet<usize>,
}

/// A run as the comparison needs it: of a kernel by itself, or of a launch that a program did.
pub(super) struct Setting<'a> {
    pub at: usize,
    pub kernel: &'a str,
    pub template: String,
    pub block: [u32; 3],
    pub names: Names,
    pub is_moved: bool,
    /// No other launch of the kernel is like this one but for its arguments.
    pub has_sums: bool,
    pub says: String,
    /// The instance that ran may be one of which no verdict speaks.
    pub is_left_out: bool,
}

pub fn judge(
    case: &Case,
    place: usize,
    runs: &[Run],
    traces: &[&RunTrace],
    trace: &Trace,
    report: &Report,
    arch: &Arch,
) -> Judgement {
    let file = format!("judged_{place}.cu");
    let is_own = |verdict: &Verdict| verdict.file.ends_with(&file);
    let verdicts = (0..report.accesses.len()).filter(|at| is_own(&report.accesses[*at]));
    let mut judge = Judge {
        case,
        file: file.clone(),
        report,
        verdicts: verdicts.collect(),
        arch,
        records: BTreeMap::new(),
        found: BTreeMap::new(),
        counts: Counts::default(),
        served: BTreeSet::new(),
    };
    judge.counts.verdicts = judge.verdicts.len() as u64;
    for run in traces {
        let Some(spec) = runs.get(run.id as usize) else {
            continue;
        };
        judge.run(run, spec, trace, place);
    }
    judge.conclude();
    Judgement {
        findings: judge.found.into_values().collect(),
        counts: judge.counts,
    }
}

impl<'a> Judge<'a> {
    /// Compares requests one by one, whatever ran.
    pub(super) fn of_requests(case: &'a Case, report: &'a Report, arch: &'a Arch) -> Self {
        Judge {
            case,
            file: String::new(),
            report,
            verdicts: Vec::new(),
            arch,
            records: BTreeMap::new(),
            found: BTreeMap::new(),
            counts: Counts::default(),
            served: BTreeSet::new(),
        }
    }

    fn run(&mut self, run: &RunTrace, spec: &Run, trace: &Trace, place: usize) {
        self.counts.runs += 1;
        if matches!(
            run.status,
            Status::Undefined | Status::Fault | Status::Deadlock
        ) && run.launches.is_empty()
        {
            self.counts.dropped += 1;
            return;
        }
        if run.launches.is_empty() {
            let setting = self.setting(spec, run.id as usize);
            let promised = self.case.promises.iter();
            if promised
                .clone()
                .any(|text| condition(text, &setting.names) == Some(false))
            {
                self.counts.dropped += 1;
                return;
            }
            let blocks: Vec<_> = run.blocks.iter().collect();
            self.launch(&setting, &blocks, run.status, trace, place);
            return;
        }
        for (number, launch) in run.launches.iter().enumerate() {
            if matches!(
                launch.status,
                Status::Undefined | Status::Fault | Status::Deadlock
            ) {
                self.counts.dropped += 1;
                continue;
            }
            let kernel = own_name(&launch.kernel).trim();
            let setting = Setting {
                at: run.id as usize,
                kernel,
                template: String::new(),
                block: launch.block,
                names: shape_names(launch.grid, launch.block),
                is_moved: false,
                has_sums: run.launches.len() == 1,
                says: format!(
                    "launch of line {}: grid {:?}, block {:?}",
                    launch.line, launch.grid, launch.block
                ),
                is_left_out: self.leaves_out(kernel, launch.line),
            };
            let blocks = run
                .blocks
                .iter()
                .filter(|block| block.launch == Some(number));
            let blocks: Vec<_> = blocks.collect();
            self.launch(&setting, &blocks, launch.status, trace, place);
        }
    }

    fn setting(&self, spec: &Run, at: usize) -> Setting<'a> {
        let kernel = &self.case.kernels[spec.kernel];
        let mut names = shape_names(spec.launch.grid, spec.launch.block);
        let mut says = format!("grid {:?}, block {:?}", spec.launch.grid, spec.launch.block);
        let mut is_moved = false;
        for (parameter, value) in kernel.parameters.iter().zip(&spec.values) {
            if parameter.is_pointer() {
                is_moved |= value % 256 != 0;
                continue;
            }
            let value = parameter.holds(*value);
            names.insert(parameter.name.clone(), value);
            says += &format!(", {} = {value}", parameter.name);
        }
        Setting {
            at,
            kernel: &kernel.name,
            template: spec.launch.template.replace(' ', ""),
            block: spec.launch.block,
            names,
            is_moved,
            has_sums: true,
            says,
            is_left_out: false,
        }
    }

    fn launch(
        &mut self,
        setting: &Setting,
        blocks: &[&super::trace::BlockTrace],
        status: Status,
        trace: &Trace,
        place: usize,
    ) {
        let verdicts = &self.report.accesses;
        let of_kernel: Vec<usize> = self
            .verdicts
            .iter()
            .copied()
            .filter(|at| own_name(&verdicts[*at].kernel) == own_name(setting.kernel))
            .filter(|at| {
                let instance = verdicts[*at].instance.replace(' ', "");
                setting.template.is_empty() || instance.is_empty() || instance == setting.template
            })
            .collect();
        let same = |known: [Option<u64>; 3], real: [u32; 3]| {
            let mut axes = known.iter().zip(real);
            axes.all(|(known, real)| known.is_none_or(|n| n == u64::from(real)))
        };
        let fits_block = |at: &usize| same(verdicts[*at].launch.block, setting.block);
        // Launches whose verdicts are the same are told as one of them, so grids say nothing.
        let fitting: Vec<usize> = of_kernel.iter().copied().filter(fits_block).collect();
        let has_requests = blocks.iter().any(|block| !block.requests.is_empty());
        let is_told = self.report.not_analysed.iter().any(|unread| {
            unread.function == setting.kernel && unread.omits == Some(Omits::Launches)
        });
        if fitting.is_empty() && !of_kernel.is_empty() && has_requests && is_told {
            return;
        }
        if fitting.is_empty() && !of_kernel.is_empty() && has_requests {
            self.find(
                Class::Launch,
                setting,
                0,
                format!("no verdict is about this launch ({})", setting.says),
            );
            return;
        }
        for block in blocks {
            let mut names = setting.names.clone();
            for (axis, index) in ["x", "y", "z"].into_iter().zip(block.index) {
                names.insert(format!("blockIdx.{axis}"), i128::from(index));
            }
            self.served = self.served_in(block, &fitting, trace, place);
            let mut sums: BTreeMap<usize, (Sum, bool)> = BTreeMap::new();
            let mut doubled: BTreeSet<u32> = BTreeSet::new();
            let mut before: Vec<(&Request, Site)> = Vec::new();
            for request in &block.requests {
                let site = request.site.map(|at| trace.sites[at as usize]);
                let Some(site) = site.filter(|site| site.file as usize == place) else {
                    continue;
                };
                // The compiler's checks evaluate some subscripts twice.
                let is_again = before.iter().rev().take(6).any(|(earlier, at)| {
                    (at.line, at.column) == (site.line, site.column)
                        && at.address != site.address
                        && (earlier.op, earlier.warp) == (request.op, request.warp)
                        && (earlier.mask, earlier.addresses) == (request.mask, request.addresses)
                });
                before.push((request, site));
                if is_again {
                    doubled.insert(site.line);
                    continue;
                }
                self.request(setting, &names, &fitting, request, site, &mut sums);
            }
            if status == Status::Fine && setting.has_sums {
                let is_once = |at: &usize| !doubled.contains(&verdicts[*at].line);
                let summed: Vec<usize> = fitting.iter().copied().filter(is_once).collect();
                self.sums(setting, &summed, &sums, block.index, (trace, place));
            }
        }
    }

    /// Verdicts that have requests of their own in a block: a struct copied on the same line is no part of them.
    fn served_in(
        &self,
        block: &super::trace::BlockTrace,
        fitting: &[usize],
        trace: &Trace,
        place: usize,
    ) -> BTreeSet<usize> {
        let mut ends: BTreeSet<(u32, u32, &str, u32)> = BTreeSet::new();
        for request in &block.requests {
            let site = request.site.map(|at| trace.sites[at as usize]);
            if let Some(site) = site.filter(|site| site.file as usize == place) {
                let op = OPS[usize::from(request.op.min(2))];
                ends.insert((site.line, site.column + 1, op, request.size));
            }
        }
        let is_served = |at: &&usize| {
            let verdict = &self.report.accesses[**at];
            let end = (verdict.end_line, verdict.end_column);
            ends.contains(&(end.0, end.1, verdict.op.as_str(), verdict.width))
        };
        fitting.iter().filter(is_served).copied().collect()
    }

    fn request(
        &mut self,
        setting: &Setting,
        names: &Names,
        fitting: &[usize],
        request: &Request,
        site: Site,
        sums: &mut BTreeMap<usize, (Sum, bool)>,
    ) {
        let verdicts = &self.report.accesses;
        let (space, op) = kind_of(request);
        let on_line = |at: &usize| {
            let verdict = &verdicts[*at];
            (verdict.line..=verdict.end_line).contains(&site.line)
        };
        let nearby: Vec<usize> = fitting.iter().copied().filter(on_line).collect();
        let is_same = |at: &usize| {
            let verdict = &verdicts[*at];
            verdict.space == space && verdict.op == op
        };
        let of_kind: Vec<usize> = nearby.iter().copied().filter(is_same).collect();
        let is_size = |at: &usize| verdicts[*at].width == request.size;
        let mut matching: Vec<usize> = of_kind.iter().copied().filter(is_size).collect();
        if matching.is_empty() {
            self.unmatched(setting, names, (&nearby, &of_kind), request, site, sums);
            return;
        }
        // Where columns tell several apart.
        let ends_here = |at: &&usize| {
            let verdict = &verdicts[**at];
            verdict.end_line == site.line && verdict.end_column == site.column + 1
        };
        let exact: Vec<usize> = matching.iter().filter(ends_here).copied().collect();
        // Arguments of a user's operator may have the column of a call around them.
        let has_operators = self.case.text.contains("operator");
        if !exact.is_empty() && request.op == 0 && !has_operators {
            matching = exact;
        }
        let costs = self.costs(request, request.size, 0);
        // Sums need one verdict to a request.
        if let [only] = matching[..] {
            let (sum, _) = sums.entry(only).or_insert((Sum::default(), true));
            sum.requests += 1;
            sum.cost += u64::from(costs[0].actual);
            sum.ideal += u64::from(costs[0].ideal);
        } else {
            for at in &matching {
                sums.entry(*at).or_default().1 = false;
            }
        }
        self.hold(setting, names, &matching, request, site, &costs);
    }

    /// A request that no verdict of its line, space, operation and width speaks of.
    fn unmatched(
        &mut self,
        setting: &Setting,
        names: &Names,
        (nearby, of_kind): (&[usize], &[usize]),
        request: &Request,
        site: Site,
        sums: &mut BTreeMap<usize, (Sum, bool)>,
    ) {
        let verdicts = &self.report.accesses;
        let (space, op) = kind_of(request);
        let is_open = |at: &usize| !verdicts[*at].is_known() && verdicts[*at].op == op;
        if nearby.iter().any(is_open) {
            self.counts.open += 1;
            return;
        }
        if of_kind.iter().any(|at| verdicts[*at].width > request.size) {
            // Taken for a part of a wider access, as the compiler merges them.
            self.counts.unread += 1;
            return;
        }
        let narrow = of_kind.iter().any(|at| verdicts[*at].width < request.size);
        if narrow {
            for at in of_kind {
                sums.entry(*at).or_default().1 = false;
            }
            self.parts(setting, names, of_kind, request, site);
            return;
        }
        if self.is_unread(setting.kernel) {
            self.counts.unread += 1;
            return;
        }
        let elsewhere: Vec<String> = nearby
            .iter()
            .filter(|at| verdicts[**at].op == op && verdicts[**at].width == request.size)
            .map(|at| verdicts[*at].describe())
            .collect();
        let message = if elsewhere.is_empty() {
            format!(
                "a {space} {op} of {} bytes runs here (lanes {:#010x}), and no verdict speaks of it ({})",
                request.size, request.mask, setting.says
            )
        } else {
            format!(
                "a {space} {op} runs here, said is: {} ({})",
                elsewhere.join(" and "),
                setting.says
            )
        };
        self.find(Class::Missing, setting, site.line, message);
    }

    /// A copy of a struct, held against verdicts of its members.
    fn parts(
        &mut self,
        setting: &Setting,
        names: &Names,
        of_kind: &[usize],
        request: &Request,
        site: Site,
    ) {
        // An argument of the call that gives the object is no part of it.
        let is_argument = |at: &usize| {
            let verdict = &self.report.accesses[*at];
            of_kind.iter().any(|outer| {
                let outer = &self.report.accesses[*outer];
                (outer.line, outer.end_line) == (verdict.line, verdict.end_line)
                    && outer.column < verdict.column
                    && verdict.end_column < outer.end_column
            })
        };
        let of_object: Vec<usize> = of_kind
            .iter()
            .copied()
            .filter(|at| !is_argument(at))
            .collect();
        // Each expression of the line gives members; the object is one of them, and a condition beside it loads, too.
        let mut expressions: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for at in of_object {
            let verdict = &self.report.accesses[at];
            let is_part = 0 < verdict.width && verdict.width <= request.size;
            if is_part && !self.served.contains(&at) {
                let end = (verdict.end_line, verdict.end_column);
                let expression = (verdict.line, verdict.column, end);
                expressions.entry(expression).or_default().push(at);
            }
        }
        let mut refuted = None;
        for members in expressions.values() {
            let is_held = |at: &usize| self.is_part(setting, names, *at, request);
            match members.iter().find(|at| !is_held(at)) {
                None => {
                    self.counts.compared += members.len() as u64;
                    return;
                }
                Some(at) => refuted = refuted.or(Some(*at)),
            }
        }
        if let Some(at) = refuted {
            let verdict = self.report.accesses[at].describe();
            let message = format!(
                "no member of the {} bytes moved here costs what is said: {verdict} ({})",
                request.size, setting.says
            );
            self.find(Class::Wrong, setting, site.line, message);
        }
    }

    /// Whether a verdict holds for some part of an object that is moved as one.
    fn is_part(&self, setting: &Setting, names: &Names, at: usize, request: &Request) -> bool {
        let width = self.report.accesses[at].width;
        let offsets = (0..=request.size - width).step_by(width.clamp(1, 4) as usize);
        let is_held = |offset: u32| {
            let costs = self.costs(request, width, offset);
            let mut moved = request.clone();
            for address in moved.addresses.iter_mut().flatten() {
                *address += u64::from(offset);
            }
            self.verdict_of(setting, names, &[at], &moved, &costs)
                .is_ok()
        };
        offsets.into_iter().any(is_held)
    }

    fn hold(
        &mut self,
        setting: &Setting,
        names: &Names,
        matching: &[usize],
        request: &Request,
        site: Site,
        costs: &[Cost],
    ) {
        let verdicts = &self.report.accesses;
        if matching.iter().any(|at| !verdicts[*at].is_known()) {
            self.counts.open += 1;
            return;
        }
        match self.verdict_of(setting, names, matching, request, costs) {
            Ok(at) => {
                self.counts.compared += 1;
                let record = self.records.entry(at).or_default();
                record.inside += 1;
                record.runs.insert(setting.at);
            }
            // Nothing is said of the instance that ran.
            Err(Objection::Outside(..) | Objection::Unmet(_)) if setting.is_left_out => {
                self.counts.open += 1;
            }
            Err(Objection::Outside(at, what)) => {
                self.counts.left_out += 1;
                let record = self.records.entry(at).or_default();
                record.refuted += 1;
                record.runs.insert(setting.at);
                record.example = format!("{what} ({})", setting.says);
            }
            Err(Objection::Unmet(at)) => {
                self.counts.left_out += 1;
                self.records.entry(at).or_default().runs.insert(setting.at);
            }
            Err(Objection::Wrong(what)) => {
                let said: Vec<String> =
                    matching.iter().map(|at| verdicts[*at].describe()).collect();
                let block = ["x", "y", "z"].map(|axis| names[&format!("blockIdx.{axis}")]);
                let message = format!(
                    "{what}; said: {} ({}; block {block:?}, warp {}, lanes {:#010x})",
                    said.join(" and "),
                    setting.says,
                    request.warp,
                    request.mask
                );
                self.find(Class::Wrong, setting, site.line, message);
            }
        }
    }

    fn sums(
        &mut self,
        setting: &Setting,
        fitting: &[usize],
        sums: &BTreeMap<usize, (Sum, bool)>,
        block: [u32; 3],
        made: (&Trace, usize),
    ) {
        for at in fitting {
            let verdict = &self.report.accesses[*at];
            let Some(told) = verdict.per_block else {
                continue;
            };
            let is_open = verdict.op == "atomic"
                || verdict
                    .assumes
                    .iter()
                    .any(|one| *one != Assumption::AlignedPointers || setting.is_moved);
            let (counted, is_sure) = sums.get(at).copied().unwrap_or((Sum::default(), true));
            // Another verdict of the line may be the one that its requests went to.
            let alike = fitting.iter().filter(|other| {
                let other = &self.report.accesses[**other];
                (other.line, &other.space, &other.op, other.width)
                    == (verdict.line, &verdict.space, &verdict.op, verdict.width)
            });
            if is_open || !is_sure || alike.count() > 1 || self.has_struct_copies(verdict) {
                continue;
            }
            if counted.requests == 0 && self.is_folded_away(verdict, made) {
                self.counts.unread += 1;
                continue;
            }
            self.counts.sums += 1;
            if counted != told {
                let say = |sum: Sum| {
                    format!(
                        "{} requests, cost {}, ideal {}",
                        sum.requests, sum.cost, sum.ideal
                    )
                };
                let message = format!(
                    "a block comes to {}; said are {} of {} ({}, block {block:?})",
                    say(counted),
                    say(told),
                    verdict.describe(),
                    setting.says
                );
                let line = verdict.line;
                self.find(Class::Sum, setting, line, message);
            }
        }
    }

    /// Whether the compiler made nothing of the access: it folds conditions that are constant.
    fn is_folded_away(&self, verdict: &Verdict, (trace, place): (&Trace, usize)) -> bool {
        let lines = verdict.line..=verdict.end_line;
        let is_made = trace.sites.iter().any(|site| {
            site.file as usize == place
                && lines.contains(&site.line)
                && OPS.get(site.op as usize) == Some(&verdict.op.as_str())
        });
        let text = self
            .case
            .text
            .lines()
            .skip(verdict.line.max(1) as usize - 1);
        let mut text = text.take((verdict.end_line - verdict.line) as usize + 1);
        !is_made && text.any(|line| ["&&", "||", "?"].iter().any(|sign| line.contains(sign)))
    }

    /// Whether requests on the verdict's line were of other widths, so that they are no sum of it.
    fn has_struct_copies(&self, verdict: &Verdict) -> bool {
        !matches!(verdict.width, 1 | 2 | 4 | 8 | 16)
    }

    fn is_unread(&self, kernel: &str) -> bool {
        // A gap may stand in any function that the kernel calls, which other kernels are not.
        let is_kernel = |name: &str| self.case.kernels.iter().any(|one| one.name == name);
        let is_own = |unread: &super::verdicts::Unread| {
            unread.function == kernel
                || unread.file.ends_with(&self.file) && !is_kernel(&unread.function)
        };
        self.report
            .not_analysed
            .iter()
            .chain(&self.report.gaps)
            .any(is_own)
    }

    fn conclude(&mut self) {
        let records = std::mem::take(&mut self.records);
        // The runs that meet an assumption may be the ones without a meaning.
        let is_told = self.counts.dropped == 0;
        for (at, record) in records.into_iter().filter(|_| is_told) {
            if record.inside > 0 || record.runs.len() < 4 || record.refuted == 0 {
                continue;
            }
            let verdict = &self.report.accesses[at];
            let message = format!(
                "{}, in all runs outside of the assumptions; said: {}",
                record.example,
                verdict.describe()
            );
            let key = (Class::Vacuous, verdict.kernel.clone(), verdict.line);
            self.found.entry(key).or_insert(Finding {
                class: Class::Vacuous,
                kernel: verdict.kernel.clone(),
                line: verdict.line,
                message,
            });
        }
    }

    /// Whether the program says that it does not know all instances that a line launches.
    fn leaves_out(&self, kernel: &str, line: u32) -> bool {
        self.report.not_analysed.iter().any(|unread| {
            unread.omits == Some(Omits::Launches)
                && unread.function == kernel
                && unread.line == line
                && unread.file.ends_with(&self.file)
        })
    }

    fn find(&mut self, class: Class, setting: &Setting, line: u32, message: String) {
        if setting.is_left_out {
            self.counts.open += 1;
            return;
        }
        let key = (class, setting.kernel.to_owned(), line);
        self.found.entry(key).or_insert(Finding {
            class,
            kernel: setting.kernel.to_owned(),
            line,
            message,
        });
    }
}

pub(super) fn shape_names(grid: [u32; 3], block: [u32; 3]) -> Names {
    let mut names = Names::new();
    for (at, axis) in ["x", "y", "z"].into_iter().enumerate() {
        names.insert(format!("gridDim.{axis}"), i128::from(grid[at]));
        names.insert(format!("blockDim.{axis}"), i128::from(block[at]));
    }
    names
}

/// A kernel's name without its namespaces: host code may leave them away. Lines tell namesakes apart.
fn own_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// Space and operation, as verdicts call them.
fn kind_of(request: &Request) -> (&'static str, &'static str) {
    let space = if request.is_global {
        "global"
    } else {
        "shared"
    };
    (space, OPS[usize::from(request.op.min(2))])
}
