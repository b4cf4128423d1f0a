//! Verdicts: what the prover says of one access.
//!
//! Plain data, given by `prove`, read by rules, reports and the language server.

pub use super::condition::{Condition, Test};
pub use crate::access::assumption::{Assumption, sentences};
use crate::gpu::cost::{Op, Space};
use crate::gpu::{Total, WARP};
use crate::ir::{LaunchSource, Site};
use crate::source::Span;
use std::sync::Arc;

/// One memory access of one kernel instance under one launch shape, with its verdict.
#[derive(Clone, Debug)]
pub struct Access {
    /// The kernel as the user calls it.
    pub kernel: Arc<str>,
    /// Template arguments, `<float, 16>`, or empty.
    pub instance: Arc<str>,
    /// The kernel's name in its definition.
    pub kernel_span: Span,
    pub launch: LaunchShape,
    pub site: Site,
    /// The array's declarator or parameter, in the user's text.
    pub declaration: Option<Span>,
    pub space: Space,
    /// Whether it is the shared memory of some block of the cluster.
    pub is_distributed: bool,
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
    /// The byte address as understood, for people.
    pub formula: String,
    /// Conditions under which lanes take part, for people; outermost first.
    pub guards: Vec<String>,
    /// Loops around the access (0 = none).
    pub loop_depth: u32,
    /// Iterations of those loops in all, where each count is known.
    pub iterations: Option<u64>,
    /// Sum of its requests in one block, if every block has the same.
    pub per_block: Option<Total>,
    pub verdict: Verdict,
    /// The one access that the compiler is expected to make of it and its neighbours.
    pub merged: Option<Merged>,
    /// What it may come to where the compiler makes more or less of it than the text says.
    pub loose: Option<Loose>,
    /// It is the shared side of an asynchronous copy whose lanes read at other distances than they write at.
    pub reads_apart: bool,
    /// The thread has the value already: the compiler is expected to make no request.
    pub is_kept: bool,
    /// Bytes per lane of the narrower request that the compiler may make, as no more of what is loaded is used.
    pub narrowed: Option<u32>,
}

/// For users: why the bounds of a load are wide of which a part is used.
pub const NARROWED: &str =
    "the kernel uses a part of what it loads: the compiler may load no more than that";

/// For users: why no request is expected of a load.
pub const KEPT: &str =
    "the thread loaded or stored it before, so the compiler keeps the value in a register";

/// For users: why a copy may cost more than what it writes. A copy takes as many wavefronts as the most of its lanes
/// that write one bank, or whose sources lie in one bank of L1 (`gpu::cost::async_copy`).
pub const READS_APART: &str = "the copy reads at other distances than it writes at: if the sources of several lanes lie in one bank of L1, \
     it costs more than its stores";

/// What a request may come to by what the compiler makes of the code around it: it says nothing of whether it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose {
    /// Wavefronts or sectors at most, and the ideal to compare them with.
    pub max: u32,
    pub ideal: u32,
    /// For users: why bounds are wide.
    pub reason: &'static str,
}

impl Loose {
    /// Its maximum where `ideal` is what costs are compared with, rounded up.
    fn in_units_of(self, ideal: u32) -> u32 {
        let max = u64::from(self.max) * u64::from(ideal);
        u32::try_from(max.div_ceil(u64::from(self.ideal.max(1)))).unwrap_or(u32::MAX)
    }

    /// Both, told by the one with the worse ratio.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let ratio = |one: Self, other: Self| u64::from(one.max) * u64::from(other.ideal);
        if ratio(self, other) >= ratio(other, self) {
            self
        } else {
            other
        }
    }
}

/// Status, bounds and ideal of an access as reports give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub status: Status,
    pub min: u32,
    pub max: u32,
    pub ideal: u32,
}

impl Access {
    /// The memory that it goes to, as reports call it.
    #[must_use]
    pub fn memory(&self) -> &'static str {
        if self.is_distributed {
            "distributed"
        } else {
            self.space.name()
        }
    }

    /// Visits every place that it names.
    pub fn each_span(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.kernel_span);
        self.site.each_span(visit);
        self.declaration.iter_mut().for_each(&mut *visit);
        self.launch.span.iter_mut().for_each(visit);
    }

    /// Notes that a request may come to this; of several the worse one counts.
    pub fn loosen(&mut self, loose: Loose) {
        if loose.in_units_of(self.verdict.ideal) > self.verdict.max {
            self.loose = Some(self.loose.map_or(loose, |other| other.worse(loose)));
        }
    }

    /// Status and bounds that hold for the access as written and for what the compiler is expected to
    /// make of it, in requests of its own width.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let (status, min, max) = self.merged_bounds();
        let ideal = self.verdict.ideal;
        if self.reads_apart {
            return Bounds {
                status: Status::Bounded,
                min,
                max: WARP as u32,
                ideal,
            };
        }
        let is_shared = self.space == Space::Shared;
        let (status, min, max) = match self.narrowed.filter(|_| self.verdict.is_known()) {
            // As many sectors, or banks, at most, whose ideal shrinks with the width; of one nothing is left out.
            Some(width) if width < self.width && max > 1 => {
                let low = if is_shared { min.min(ideal) } else { min };
                let high = max.saturating_mul(self.width / width.max(1));
                (Status::Bounded, low, high)
            }
            _ => (status, min, max),
        };
        match self.loose {
            Some(loose) => Bounds {
                status: Status::Bounded,
                min: min.min(1),
                max: max.max(loose.in_units_of(ideal)),
                ideal,
            },
            None => Bounds {
                status,
                min,
                max,
                ideal,
            },
        }
    }

    fn merged_bounds(&self) -> (Status, u32, u32) {
        let Verdict {
            status,
            min,
            max,
            ideal,
            ..
        } = self.verdict;
        let Some(merged) = &self.merged else {
            return (status, min, max);
        };
        let share = |cost: u32| u64::from(cost) * u64::from(ideal) / u64::from(merged.ideal.max(1));
        let share = |cost| u32::try_from(share(cost)).unwrap_or(u32::MAX);
        let (low, high) = (min.min(share(merged.min)), max.max(share(merged.max)));
        if (low, high) == (min, max) {
            return (status, min, max);
        }
        (Status::Bounded, low, high)
    }

    /// Cost and ideal of the request that a finding is about: the one that the compiler makes.
    #[must_use]
    pub fn worst(&self) -> (u32, u32) {
        match &self.merged {
            Some(merged) => (merged.max, merged.ideal),
            None => (self.verdict.max, self.verdict.ideal),
        }
    }

    /// Sum over a block of the requests that the compiler makes: of what it merges the part of this access, rounded
    /// up. `None` where it is not known, or where requests of the one access cost unlike numbers.
    #[must_use]
    pub fn machine_sum(&self) -> Option<Total> {
        let Some(merged) = &self.merged else {
            return self.per_block;
        };
        if merged.min != merged.max {
            return None;
        }
        let written = self.per_block?.requests;
        let part = |of_each: u32| {
            let all = written.checked_mul(u64::from(of_each))?;
            Some(all.div_ceil(u64::from(merged.accesses.max(1))))
        };
        Some(Total {
            requests: part(1)?,
            cost: part(merged.max)?,
            ideal: part(merged.ideal)?,
        })
    }

    /// Bytes per lane of the request that the compiler makes.
    #[must_use]
    pub fn machine_width(&self) -> u32 {
        self.merged
            .as_ref()
            .map_or(self.width, |merged| merged.width)
    }

    /// Whether a request costs its ideal: proved, or as the compiler is expected to make it.
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        !self.reads_apart && self.verdict.is_ideal()
            || self.merged.as_ref().is_some_and(Merged::is_ideal)
    }

    /// Whether a request costs more than its ideal, in whatever way the compiler makes it.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.verdict.is_bad()
            && !self.is_kept
            && !self.merged.as_ref().is_some_and(Merged::is_ideal)
    }
}

/// One access in the place of several of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// How many.
    pub accesses: u32,
    /// Bytes per lane of each of them.
    pub each: u32,
    /// Bytes per lane of the one.
    pub width: u32,
    /// Wavefronts or sectors of one request.
    pub min: u32,
    pub max: u32,
    /// Of the request that `max` speaks of.
    pub ideal: u32,
    /// It is a piece of an object that is copied as a whole.
    pub is_piece: bool,
}

impl Merged {
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        self.max <= self.ideal
    }

    /// Both, told by the one with the worse ratio.
    #[must_use]
    pub fn worse(self, other: &Self) -> Self {
        let ratio = |one: &Self, other: &Self| u64::from(one.max) * u64::from(other.ideal);
        let (worst, better) = if ratio(&self, other) >= ratio(other, &self) {
            (self, other.clone())
        } else {
            (other.clone(), self)
        };
        let min = worst.min.min(better.min);
        Self { min, ..worst }
    }

    /// `conflict-free`, `4 wavefronts, ideal 2`.
    #[must_use]
    pub fn cost_text(&self, space: Space) -> String {
        match (self.is_ideal(), space) {
            (true, Space::Shared) => "conflict-free".to_owned(),
            (true, Space::Global) => "ideal".to_owned(),
            _ => format!("{} {}, ideal {}", self.max, space.unit(), self.ideal),
        }
    }

    /// `the compiler merges 2 accesses of 4 bytes into one of 8`.
    #[must_use]
    pub fn text(&self) -> String {
        if self.is_piece {
            return format!(
                "the compiler copies the whole object in pieces of {} bytes",
                self.width
            );
        }
        format!(
            "the compiler merges {} accesses of {} bytes into one of {}",
            self.accesses, self.each, self.width
        )
    }
}

/// The launch an access was analysed for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchShape {
    /// Threads per block; `None` where unknown.
    pub block: [Option<u64>; 3],
    pub grid: [Option<u64>; 3],
    pub source: LaunchSource,
    /// Where it stands, for launches in the text.
    pub span: Option<Span>,
}

/// Bounds on the cost of one request, and how they were come by.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub status: Status,
    /// Wavefronts (shared) or sectors (global) of one request, over everything that may vary.
    /// Meaningful for `Exact` and `Bounded`.
    pub min: u32,
    pub max: u32,
    /// Cost at dense, aligned addresses with the width and active lanes of the request that `max` speaks of.
    pub ideal: u32,
    /// Why not exact; empty for `Exact`.
    pub reason: String,
    /// Whether the reason is strides between the lanes: of several symbols, or of one with too many values
    /// to try.
    pub has_open_strides: bool,
    pub depends_on: Vec<Dependence>,
    pub assumptions: Vec<Assumption>,
    /// A request that costs `max`, replayed through the cost function.
    pub witness: Option<Box<Witness>>,
    /// The claims that Z3 discharged.
    pub certificate: Arc<[Claim]>,
}

impl Verdict {
    #[must_use]
    pub fn is_known(&self) -> bool {
        matches!(self.status, Status::Exact | Status::Bounded)
    }

    /// Proved to cost its ideal whatever varies.
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        self.is_known() && self.max <= self.ideal
    }

    /// Some request costs more than its ideal, and a witness shows it.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.is_known() && self.max > self.ideal && self.witness.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// `min == max`: every full request costs just that.
    Exact,
    /// Every request costs between `min` and `max`.
    Bounded,
    /// The address depends on per-lane data.
    DataDependent,
    Unknown,
}

impl Status {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bounded => "bounded",
            Self::DataDependent => "data-dependent",
            Self::Unknown => "unknown",
        }
    }
}

/// How the cost varies with one symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// As the user calls it: `pitch`, `gridDim.x`, `s`.
    pub symbol: String,
    /// The same where an operator follows: a sum stands in brackets.
    pub operand: String,
    /// Whether a launch goes through all values of the symbol, bad ones included: a loop's counter, a
    /// block's or a warp's number. Anything else is chosen by the caller, by data, or not known.
    pub is_swept: bool,
    /// The kernel's parameters that it speaks of, by their places.
    pub parameters: Vec<u32>,
    /// In order of rising cost; together they cover the symbol's domain.
    pub cases: Vec<DependenceCase>,
}

impl Dependence {
    /// When a case of it holds: `pitch % 32 == 0`, `otherwise`.
    #[must_use]
    pub fn when(&self, case: &DependenceCase) -> String {
        case.when.text(&self.operand)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependenceCase {
    pub when: Condition,
    pub min: u32,
    pub max: u32,
    pub ideal: u32,
}

/// One concrete request.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Value of every symbol, in order of appearance.
    pub symbols: Vec<(String, i64)>,
    /// Byte address of each lane relative to the array's aligned base; `None` = inactive.
    pub addresses: [Option<u64>; 32],
    pub cost: u32,
    pub ideal: u32,
}

impl Witness {
    /// `blockIdx.x = 0, n = 16`; empty where the request depends on no symbol.
    #[must_use]
    pub fn values(&self) -> String {
        let values: Vec<String> = self
            .symbols
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        values.join(", ")
    }
}

/// A claim that Z3 proved (its negation is unsatisfiable).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub kind: super::claim_kind::ClaimKind,
    /// Content hash of the canonical obligation; [`hexadecimal`](super::claim::hexadecimal) gives its
    /// file name under `--certificates`.
    pub obligation: super::claim::Hash,
}

impl std::hash::Hash for Claim {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.obligation.hash(state);
    }
}
