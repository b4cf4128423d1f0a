//! The concrete simulator: runs a kernel with given arguments and counts what each request costs.
//!
//! Given a kernel of the IR, a launch with values for everything, and an architecture,
//! gives every warp's every request with its cost, totals per access, the memory after
//! the run, and the fault that stopped it, if any. It is the oracle that the prover is
//! checked against, so it is plain, and knows nothing of `access` and `prove`.
//!
//! A block runs in lock-step over all its threads under a mask; an `if` runs both sides,
//! a loop runs until no thread is left in it. A value that the IR does not model is
//! poison: it may be moved and computed with, but an address or a condition that depends
//! on it ends the run as [`Unsupported`].

mod arguments;
mod block;
mod collective;
mod exchange_masks;
mod intrinsics;
mod memory;
mod value;

use crate::gpu::arch::Arch;
use crate::gpu::cost::{Cost, Request, Space};
use crate::ir::{Kernel, Program, SiteId};
use crate::source::Span;
use std::collections::BTreeMap;

pub use arguments::{concrete, element_bytes, fill_bytes};

/// A launch with a value for everything.
#[derive(Clone, Debug, Default)]
pub struct ConcreteLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes.
    pub dynamic_shared: u64,
    /// One for each kernel parameter.
    pub arguments: Vec<ConcreteArgument>,
    pub blocks: Blocks,
    /// How far one block may run; `None`: a run that takes too long is an error. With a limit it just
    /// ends there, and the memory after it is left out of the outcome.
    pub limit: Option<Limit>,
    /// Requests to one memory are looked at, their costs are not counted; `None`: all of them, counted.
    pub only: Option<Space>,
}

/// How far a block may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Statements in all.
    pub statements: u64,
    /// Statements in a row none of which runs for the first time.
    pub known: u64,
}

#[derive(Clone, Debug)]
pub enum ConcreteArgument {
    Int(i64),
    Float(f64),
    /// A global allocation of its own; the kernel gets its start moved by `offset` bytes.
    Buffer {
        bytes: Vec<u8>,
        offset: i64,
    },
    /// A buffer of so many bytes that are all 0.
    Zeros(usize),
    /// The scalar leaves of a struct passed by value.
    Leaves(Vec<ConcreteArgument>),
}

/// Which blocks of the grid to run, always one after another.
#[derive(Clone, Debug, Default)]
pub enum Blocks {
    #[default]
    All,
    /// By block index.
    Only(Vec<[u32; 3]>),
}

/// One warp's one request to shared or global memory.
#[derive(Clone, Debug)]
pub struct SimRequest {
    pub site: SiteId,
    /// Addresses are bytes after the aligned start of shared memory or of the allocation.
    pub request: Request,
    /// Nothing where costs are not counted.
    pub cost: Cost,
    pub warp: u32,
    pub block: [u32; 3],
    /// Lanes that exist: all but in the last warp of a block whose size is no multiple of 32.
    pub lanes: u32,
    pub interval: Interval,
}

/// When a request was made, counted in what has ordered it after others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Barriers of the block so far.
    pub block: u32,
    /// Barriers and exchanges of its warp so far.
    pub warp: u32,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct SimOutcome {
    pub totals: BTreeMap<SiteId, SiteTotal>,
    /// The fault that stopped the run before its end.
    pub fault: Option<Fault>,
    /// Barriers that some threads of a block missed, each place once.
    pub divergent_barriers: Vec<DivergentBarrier>,
    /// Exchanges whose mask is not that of the lanes that take part, each place once.
    pub missed_exchanges: Vec<MissedExchange>,
    /// `Assume` statements that did not hold, each place once.
    pub violated: Vec<Span>,
    /// Accesses that are no requests here because their lane addresses are not modelled.
    pub opaque: Vec<SiteId>,
    /// Global memory after the run: one for each buffer argument, by parameter (leaves of
    /// structs in order).
    pub buffers: Vec<FinalBuffer>,
}

/// An exchange between lanes (`__shfl_sync` and its kin) to which a lane that its mask names does
/// not come, or whose mask leaves out a lane that calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedExchange {
    pub span: Span,
    /// A thread that calls it, in linear order.
    pub caller: u32,
    pub mask: u32,
    /// A thread of the mask that calls no exchange for this one; the caller, where the mask
    /// leaves it out.
    pub absent: u32,
}

/// Requests of one access, summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTotal {
    pub requests: u64,
    pub cost: u64,
    pub ideal: u64,
    /// Least and most cost of one request.
    pub min: u32,
    pub max: u32,
    /// Bounds over requests in which every lane of the warp takes part.
    pub full: Option<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub site: SiteId,
    pub block: [u32; 3],
    /// Linear index in the block.
    pub thread: u32,
    /// One sentence for users.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentBarrier {
    pub span: Span,
    pub block: [u32; 3],
    /// Threads that arrived, of those that had not returned.
    pub arrived: u32,
    pub expected: u32,
    /// A thread that arrived and one that did not: linear indices in the block.
    pub witness: Option<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalBuffer {
    /// Parameter name, or the path of the leaf (`p.data`).
    pub name: String,
    pub bytes: Vec<u8>,
    /// Whether the simulator vouches for each byte.
    pub known: Vec<bool>,
}

/// The simulator cannot run this kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// One sentence for users.
    pub reason: String,
}

impl Unsupported {
    fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

impl SiteTotal {
    fn add(&mut self, request: &SimRequest) {
        let Cost { actual, ideal } = request.cost;
        self.min = if self.requests == 0 {
            actual
        } else {
            self.min.min(actual)
        };
        self.max = self.max.max(actual);
        self.requests += 1;
        self.cost += u64::from(actual);
        self.ideal += u64::from(ideal);
        if request.request.active_mask() == u32::MAX {
            let (min, max) = self.full.unwrap_or((actual, actual));
            self.full = Some((min.min(actual), max.max(actual)));
        }
    }
}

/// Runs `launch.blocks` of `kernel`; `observer` sees each request as it is made.
///
/// # Errors
/// Where the kernel does something that is not simulated, or an address or condition
/// depends on a value that is not modelled. A fault of the kernel itself is no error
/// but [`SimOutcome::fault`].
pub fn run(
    kernel: &Kernel,
    program: &Program,
    launch: &ConcreteLaunch,
    arch: &Arch,
    observer: &mut dyn FnMut(&SimRequest),
) -> Result<SimOutcome, Unsupported> {
    let mut simulation = block::Simulation::new(kernel, program, launch, arch, observer)?;
    match &launch.blocks {
        Blocks::Only(list) => {
            for block in list {
                if simulation.run_block(*block)?.is_break() {
                    break;
                }
            }
        }
        Blocks::All => {
            let [x, y, z] = launch.grid.map(u64::from);
            for index in 0..x * y * z {
                let block = [index % x, index / x % y, index / (x * y)].map(|n| n as u32);
                if simulation.run_block(block)?.is_break() {
                    break;
                }
            }
        }
    }
    Ok(simulation.finish())
}

#[cfg(test)]
mod tests;
