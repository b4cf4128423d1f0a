//! Holds the requests of one block against the verdicts of its kernel.

use super::source::Project;
use crate::gpu::Arch;
use crate::judge::assume::Names;
use crate::judge::case::Case;
use crate::judge::compare::{Judge, Objection, Setting};
use crate::judge::trace;
use crate::judge::verdicts::{Report, Verdict};
use crate::ptx::machine::{Access, Block, Request};
use crate::ptx::{DebugLine, Module};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// What became of the requests of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub compared: u64,
    /// Requests that are not compared, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// By line and class: what was found first.
    pub found: BTreeMap<(PathBuf, u32, &'static str), String>,
}

impl Outcome {
    fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
    }
}

/// A request, and where the text of the project has it.
struct Placed<'a> {
    request: &'a Request,
    block: &'a Block,
    path: &'a Path,
    line: u32,
    /// Code of the toolkit stands between.
    is_inner: bool,
    op: &'static str,
    space: &'static str,
}

/// What verdicts say of a request.
#[derive(Default)]
struct Held {
    /// One of them covers it.
    is_settled: bool,
    left_out: Option<&'static str>,
    /// Of the first one that is wrong.
    objection: Option<String>,
}

pub struct Holder<'a> {
    pub project: &'a Project,
    pub report: &'a Report,
    pub module: &'a Module,
    pub arch: &'a Arch,
    case: Case,
    lines: HashMap<DebugLine, (u32, u32)>,
}

impl<'a> Holder<'a> {
    pub fn new(
        project: &'a Project,
        report: &'a Report,
        module: &'a Module,
        arch: &'a Arch,
    ) -> Self {
        Self {
            project,
            report,
            module,
            arch,
            case: Case::default(),
            lines: HashMap::new(),
        }
    }

    /// The places that are in a file of the project, the innermost first, each with whether code of the
    /// toolkit with places of its own stands between.
    fn places(&self, chain: &[DebugLine]) -> Vec<(PathBuf, DebugLine, bool)> {
        let mut is_inner = false;
        let mut out = Vec::new();
        for place in chain.iter().rev().filter(|place| place.line > 0) {
            let Some(path) = self.module.files.get(&place.file).map(PathBuf::from) else {
                break;
            };
            if self.project.is_class(&path, place.line) {
                continue;
            }
            if self.project.has(&path) {
                out.push((path, *place, is_inner));
            } else {
                is_inner = true;
            }
        }
        out
    }

    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub fn block(
        &mut self,
        setting: &Setting,
        index: [u32; 3],
        verdicts: &[usize],
        block: &Block,
        constants: &dyn Fn(u64) -> bool,
        out: &mut Outcome,
    ) {
        let mut lines = std::mem::take(&mut self.lines);
        let judge = Judge::of_requests(&self.case, self.report, self.arch);
        let mut names = setting.names.clone();
        for (axis, index) in ["x", "y", "z"].into_iter().zip(index) {
            names.insert(format!("blockIdx.{axis}"), i128::from(index));
        }
        let places: Vec<_> = block
            .chains
            .iter()
            .map(|chain| self.places(chain))
            .collect();
        let mut by_chain: HashMap<(u32, u8, bool), (Vec<usize>, bool)> = HashMap::new();
        let mut seen: BTreeSet<(u32, u8, u32, [u64; 32], u32)> = BTreeSet::new();
        // Where a statement last stored: `a[i] = b[i] = 0` reads `b[i]` back until that is optimised.
        let mut stored: BTreeMap<(u32, u32), (u32, [u64; 32])> = BTreeMap::new();
        for request in &block.requests {
            let around = &places[request.chain as usize];
            let Some((path, place, is_inner)) = around.first() else {
                out.leave_out("code of the toolkit alone");
                continue;
            };
            let first = request.mask.trailing_zeros() as usize;
            if !request.is_shared && constants(request.addresses[first]) {
                out.leave_out("constants of the host, which the compiler folds");
                continue;
            }
            let op = request.access as u8;
            let line = (place.line, request.warp);
            if request.access == Access::Store {
                stored.insert(line, (request.mask, request.addresses));
            }
            if !seen.insert((
                request.chain,
                op,
                request.mask,
                request.addresses,
                request.bytes,
            )) {
                // The very same was compared.
                continue;
            }
            let one = Placed {
                request,
                block,
                path,
                line: place.line,
                is_inner: *is_inner,
                op: ["load", "store", "atomic"][usize::from(op)],
                space: if request.is_shared {
                    "shared"
                } else {
                    "global"
                },
            };
            let (nearby, is_outer) = match by_chain.get(&(request.chain, op, request.is_shared)) {
                Some(nearby) => nearby.clone(),
                None => {
                    let nearby = self.nearby(around, verdicts, one.op, one.space, &mut lines);
                    by_chain.insert((request.chain, op, request.is_shared), nearby.clone());
                    nearby
                }
            };
            let of = |at: &&usize| self.report.accesses[**at].op == one.op;
            let of_op: Vec<usize> = nearby.iter().filter(of).copied().collect();
            let has_space = |at: &&usize| self.report.accesses[**at].space == one.space;
            let of_kind: Vec<usize> = of_op.iter().filter(has_space).copied().collect();
            if of_op.iter().any(|at| !self.report.accesses[*at].is_known()) {
                out.leave_out("the verdict of its line is unknown or depends on data");
                continue;
            }
            if of_kind.is_empty() {
                let is_read_back = request.access == Access::Load
                    && stored.get(&line) == Some(&(request.mask, request.addresses));
                self.note_without_verdict(&one, setting, &of_op, is_read_back, out);
                continue;
            }
            let held = self.hold_each_width(&judge, setting, &names, request, &of_kind);
            if held.is_settled {
                out.compared += 1;
            } else if let Some(why) = held.left_out {
                out.leave_out(why);
            } else if *is_inner {
                out.leave_out("inside of the toolkit's headers");
            } else if is_outer && self.is_behind_gap(&block.chains[request.chain as usize]) {
                // A function that is not followed: what its call reads itself is another request.
                out.leave_out("parts of the file are not analysed");
            } else if let Some(what) = held.objection {
                self.note_objection(&one, setting, index, &of_kind, &what, out);
            }
        }
        self.lines = lines;
    }

    /// Says that no verdict is of a request's kind, or why that is as it should be.
    fn note_without_verdict(
        &self,
        one: &Placed,
        setting: &Setting,
        of_op: &[usize],
        is_read_back: bool,
        out: &mut Outcome,
    ) {
        let request = one.request;
        if is_read_back {
            out.leave_out("a chain of assignments reads back what it stored");
        } else if one.is_inner {
            out.leave_out("inside of the toolkit's headers");
        } else if request.is_copy {
            out.leave_out("the other half of an asynchronous copy");
        } else if self.is_unread(one.path, setting.kernel)
            || self.is_behind_gap(&one.block.chains[request.chain as usize])
        {
            out.leave_out("parts of the file are not analysed");
        } else {
            let said = if of_op.is_empty() {
                "no verdict speaks of it".to_owned()
            } else {
                format!("said: {}", self.said(of_op))
            };
            let message = format!(
                "a {} {} of {} bytes runs here (lanes {:#010x}), {said} ({})",
                one.space, one.op, request.bytes, request.mask, setting.says
            );
            out.found
                .entry((one.path.to_owned(), one.line, "missing"))
                .or_insert(message);
        }
    }

    /// Holds a request against the verdicts of its kind, by their width. With `-G` the members of a vector are
    /// moved one by one: they are aligned parts of it.
    fn hold_each_width(
        &self,
        judge: &Judge,
        setting: &Setting,
        names: &Names,
        request: &Request,
        of_kind: &[usize],
    ) -> Held {
        let width_of = |at: &usize| self.report.accesses[*at].width;
        let widths: BTreeSet<u32> = of_kind.iter().map(width_of).collect();
        let mut held = Held::default();
        for width in widths {
            let has_width = |at: &&usize| width_of(at) == width;
            let of_width: Vec<usize> = of_kind.iter().filter(has_width).copied().collect();
            let Some(asked) = shaped(request, width) else {
                held.left_out = Some("part of a class whose size is no power of two");
                continue;
            };
            let parts = if width < request.bytes {
                request.bytes / width.max(1)
            } else {
                1
            };
            for offset in (0..parts).map(|part| part * width) {
                let costs = judge.costs(&asked, width, offset);
                match judge.verdict_of(setting, names, &of_width, &asked, &costs) {
                    Ok(_) => held.is_settled = true,
                    Err(Objection::Wrong(what)) => {
                        held.objection.get_or_insert(what);
                    }
                    Err(Objection::Outside(..) | Objection::Unmet(_)) => {
                        held.left_out = Some("outside of the verdict's assumptions");
                    }
                }
            }
        }
        held
    }

    /// Says that every verdict of a request's kind has another cost.
    fn note_objection(
        &self,
        one: &Placed,
        setting: &Setting,
        index: [u32; 3],
        of_kind: &[usize],
        what: &str,
        out: &mut Outcome,
    ) {
        let request = one.request;
        let class = if one.block.has_overflow {
            "after an overflow"
        } else {
            "wrong"
        };
        let first = request.mask.trailing_zeros() as usize;
        let base = request.addresses[first];
        let lanes: Vec<i64> = (0..32)
            .filter(|lane| request.mask >> lane & 1 == 1)
            .map(|lane| request.addresses[lane].wrapping_sub(base) as i64)
            .collect();
        let message = format!(
            "{what}; {} {} of {} bytes; said: {} ({}; block {index:?}, warp {}, lanes {:#010x}, base {base:#x}, offsets {lanes:?})",
            one.space,
            one.op,
            request.bytes,
            self.said(of_kind),
            setting.says,
            request.warp,
            request.mask
        );
        out.found
            .entry((one.path.to_owned(), one.line, class))
            .or_insert(message);
    }

    fn said(&self, verdicts: &[usize]) -> String {
        let said: Vec<String> = verdicts
            .iter()
            .map(|at| self.report.accesses[*at].describe())
            .collect();
        said.join(" and ")
    }

    /// The verdicts that speak of a request: those of the innermost place, or of the call whose arguments name
    /// what a function reads through its references, with whether it is the call's.
    fn nearby(
        &self,
        around: &[(PathBuf, DebugLine, bool)],
        verdicts: &[usize],
        op: &str,
        space: &str,
        lines: &mut HashMap<DebugLine, (u32, u32)>,
    ) -> (Vec<usize>, bool) {
        let mut innermost = None;
        for (path, place, _) in around {
            let (start, end) = *lines
                .entry(*place)
                .or_insert_with(|| self.project.statement(path, place.line, place.column));
            let is_near = |at: &&usize| {
                let verdict: &Verdict = &self.report.accesses[**at];
                verdict.line <= end && verdict.end_line >= start && same_file(&verdict.file, path)
            };
            let here: Vec<usize> = verdicts.iter().filter(is_near).copied().collect();
            let is_said = |at: &usize| {
                let verdict = &self.report.accesses[*at];
                verdict.op == op && (verdict.space == space || !verdict.is_known())
            };
            if here.iter().any(is_said) {
                return (here, innermost.is_some());
            }
            innermost.get_or_insert(here);
        }
        (innermost.unwrap_or_default(), false)
    }

    /// Whether a call on the way is one that the program says not to follow.
    fn is_behind_gap(&self, chain: &[DebugLine]) -> bool {
        chain.iter().any(|place| {
            let path = self.module.files.get(&place.file).map(Path::new);
            self.report.gaps.iter().any(|gap| {
                path.is_some_and(|path| same_file(&gap.file, path))
                    && (gap.line..=gap.end_line).contains(&place.line)
            })
        })
    }

    fn is_unread(&self, path: &Path, kernel: &str) -> bool {
        let mut unread = self.report.not_analysed.iter().chain(&self.report.gaps);
        unread.any(|one| same_file(&one.file, path) || one.function == kernel)
    }
}

fn same_file(said: &str, path: &Path) -> bool {
    Path::new(said) == path || path.ends_with(said)
}

/// The request as the comparison takes it: of a vector that it is an aligned part of.
fn shaped(request: &Request, width: u32) -> Option<trace::Request> {
    let is_part = width > request.bytes;
    if is_part && !(width.is_power_of_two() && width <= 16) {
        return None;
    }
    let align = |address: u64| {
        if is_part {
            address & !u64::from(width - 1)
        } else {
            address
        }
    };
    let is_active = |lane: usize| request.mask >> lane & 1 == 1;
    Some(trace::Request {
        site: None,
        op: match request.access {
            Access::Load => 0,
            Access::Store => 1,
            Access::Atomic => 2,
        },
        is_global: !request.is_shared,
        size: width.min(request.bytes.max(width)),
        warp: request.warp,
        mask: request.mask,
        addresses: std::array::from_fn(|lane| {
            is_active(lane).then(|| align(request.addresses[lane]))
        }),
    })
}
