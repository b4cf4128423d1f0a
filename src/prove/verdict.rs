//! What the prover says of one access.
//!
//! Plain data, given by `prove`, read by rules, reports and the language server.

use crate::gpu::Total;
use crate::gpu::cost::{Op, Space};
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
    /// What all of its requests in one block come to, where that is the same for every block.
    pub per_block: Option<Total>,
    pub verdict: Verdict,
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
    /// The same width and active lanes, dense and aligned; of the request that `max` speaks of.
    pub ideal: u32,
    /// Why not exact; empty for `Exact`.
    pub reason: String,
    pub depends_on: Vec<Dependence>,
    pub assumptions: Vec<String>,
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
    /// In order of rising cost; together they cover the symbol's domain.
    pub cases: Vec<DependenceCase>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependenceCase {
    /// `pitch % 32 == 0`, `s = 1`, `otherwise`.
    pub when: String,
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// `offsets`, `offsets and active lanes`, `base residue`, `range`, or the law's.
    pub kind: &'static str,
    /// In words.
    pub statement: &'static str,
    /// Content hash of the canonical obligation; [`hexadecimal`](super::claim::hexadecimal) gives its
    /// file name under `--certificates`.
    pub obligation: super::claim::Hash,
}
