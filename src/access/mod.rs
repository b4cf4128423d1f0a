//! Symbolic execution: from kernels to the address and guards of every access.
//!
//! Given a kernel and one launch, gives a [`Visit`] for every way in which a site
//! is reached: byte address, guards and loops as terms over the lane, symbols that
//! all lanes share, and per-lane data. Knows nothing of costs, proofs or rules.

pub mod assumption;
mod bit_steps;
mod branches;
mod given;
mod joins;
mod parameters;
mod record;
pub mod sample;
pub mod shape;
pub mod side_effects;
mod starts;
mod trail;
pub mod value;

mod by_lane;
mod closed_form;
mod compact;
mod counted;
mod elements;
mod exchange;
mod exits;
mod expressions;
mod extent;
mod loops;
mod memory;
mod premises;
mod trips;
mod unrolled;
mod waiting;
mod walk_cache;
mod walker;
mod way_out;
mod word_arithmetic;
pub use premises::{Premise, PremiseKind};
pub use walk_cache::Walks;

use crate::gpu::cost::{Op, SharedAtomic, Space};
use crate::ir::stop::STOPPED;
use crate::ir::{GlobalId, Kernel, Launch, Path, Program, SharedId, SiteId};
use crate::term::{LaneDifference, SymbolId, TermId, Terms};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The object that an address is relative to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Shared(SharedId),
    /// A `__device__` object.
    Global(GlobalId),
    /// An allocation, by the name of the parameter or pointer that points to it.
    Allocation(Arc<str>),
    /// Shared memory of some block of the cluster: which object, and of which block, is not asked.
    Distributed,
    /// Not known; the text says why.
    Unknown(LaneDifference),
}

impl Target {
    /// Why an access to distributed shared memory has no verdict: the specification of cost has no rule for it.
    pub const OF_THE_CLUSTER: &str =
        "what shared memory of a block of the cluster costs is not specified";

    /// Whether it is not known which object it is.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Distributed | Self::Unknown(_))
    }
}

/// Where an asynchronous copy reads what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopySource {
    Unknown,
    /// So many times 32 bytes behind the place that the lane writes, offset by offset.
    Distance(TermId),
}

/// One way of reaching one memory operation.
#[derive(Clone, Debug)]
pub struct Visit {
    pub site: SiteId,
    pub space: Space,
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
    pub target: Target,
    /// Byte offset from an aligned place: the target's start, or before that where the compiler may put it elsewhere.
    /// `None` where it could not be modelled.
    pub offset: Option<TermId>,
    /// Why `offset` is missing, or why the access is not a plain one.
    pub reason: Option<LaneDifference>,
    /// All hold for a lane that takes part.
    pub guards: Vec<TermId>,
    /// Facts that the user stated, and uniform conditions on the way.
    pub facts: Vec<TermId>,
    pub loop_depth: u32,
    /// Iterations of the loops around it, where all of them are known.
    pub iterations: Option<u64>,
    /// In which warps and iterations it happens, where that is known.
    pub schedule: Option<Schedule>,
    /// Where that is not known: the loops around it, innermost first, up to the first one that lanes leave
    /// before its condition ends it.
    pub inner_loops: Vec<LoopIterations>,
    /// How many of the walk's premises were stated before: it rests on all of them.
    pub premises: usize,
    pub path: Path,
    /// Of the shared side of a copy that goes through L1: what lies at its other side.
    pub source: Option<CopySource>,
    /// Number of row addresses of a matrix move (`ldmatrix`), else 0.
    pub rows: u32,
    pub atomic: Atomic,
}

impl Visit {
    /// What is known of the loops around it, innermost first.
    pub fn loops(&self) -> impl Iterator<Item = &LoopIterations> + Clone {
        let (scheduled, inner) = match &self.schedule {
            Some(schedule) => (&schedule.loops[..], &[][..]),
            None => (&[][..], &self.inner_loops[..]),
        };
        scheduled.iter().rev().chain(inner)
    }
}

/// When a visit happens: in these iterations of these loops, for the lanes that `guards` let through.
///
/// Two places of the course are two requests; one in which no lane is left is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Loops around the visit, outermost first.
    pub loops: Vec<LoopIterations>,
    /// Conditions on the way that are no loop's own, shared ones among them.
    pub guards: Vec<TermId>,
}

/// The iterations of one loop. Nothing but its condition ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopIterations {
    /// Counts iterations from 0; a constant where there is one only.
    pub counter: TermId,
    /// How many there are; `None` where `condition` says it.
    pub trip: Option<u64>,
    /// A lane is in an iteration where this holds in it and held in all before.
    pub condition: Option<TermId>,
}

/// The instruction behind an atomic; it decides the cost in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    /// No atomic.
    No,
    /// One machine instruction of this kind.
    Instruction(SharedAtomic),
    /// A loop of a load and a compare-and-swap, one lane of a word a round.
    Loop,
}

/// The visits of one kernel under one launch.
#[derive(Clone, Debug)]
pub struct Walk {
    pub terms: Terms,
    pub lane: SymbolId,
    /// The symbols that together number the warps of a block; `None` where its shape is not known,
    /// or some of the kernel was not understood.
    pub warps: Option<Vec<SymbolId>>,
    /// Facts about the built-in values that hold in any launch, and so for each visit.
    pub facts: Vec<TermId>,
    pub visits: Vec<Visit>,
    /// Premises of the walk, in the order in which they were needed.
    pub premises: Vec<Premise>,
    pub extras: Vec<side_effects::OtherEffect>,
    pub assumptions: Vec<assumption::Assumption>,
    /// Set where the walk stopped early.
    pub incomplete: Option<Incomplete>,
    pub course: WalkFingerprint,
}

/// Why a walk stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The run is to end.
    Stopped,
    /// Which limit it came to, as a noun.
    OverLimit(String),
}

impl Incomplete {
    /// For users.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Stopped => STOPPED.to_owned(),
            Self::OverLimit(limit) => format!("over the limit of {limit}"),
        }
    }
}

/// Fingerprint of a walk by the symbols that it made: walks with equal ones went the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkFingerprint {
    /// A hash of what all of them are called and may be.
    symbols: u64,
    /// Which ones, in order of making, those are that the walk still has.
    numbers: Vec<u32>,
}

impl Walk {
    /// Facts about the built-in values in these terms that hold in any launch.
    #[must_use]
    pub fn facts_about(&self, terms: &[TermId]) -> Vec<TermId> {
        let there = self.terms.symbols_in(terms.iter().copied());
        let there: FxHashSet<SymbolId> = there.into_iter().collect();
        let is_about = |fact: &TermId| {
            let symbols = self.terms.symbols_in([*fact]);
            symbols.iter().all(|symbol| there.contains(symbol))
        };
        self.facts.iter().copied().filter(is_about).collect()
    }
}

/// Runs `kernel` symbolically for `launch`.
#[must_use]
pub fn walk(program: &Program, kernel: &Kernel, launch: &Launch) -> Walk {
    walker::run(program, &kernel.unfolded(), launch)
}
