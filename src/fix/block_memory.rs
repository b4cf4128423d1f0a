//! Shared memory of one block, and how many blocks fit beside each other.
//!
//! Given a kernel, gives the bytes of its `__shared__` objects and of its launches. Knows
//! nothing of registers, the other bound on resident blocks. Decides nothing: `padding` and the rule
//! `shared_capacity` do.

use crate::access::{Target, Walk, Walks};
use crate::gpu::Arch;
use crate::gpu::cost::Op;
use crate::ir::{Expr, Kernel, Object, Program, SharedId, visit};
use crate::prove;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// No sum of two sizes passes 64 bits; a declaration may claim more than this.
const MOST: u64 = 1 << 62;

/// The shared arrays that the compiler keeps: it drops one that nothing reads (NVRTC and ptxas 13.0 give no bytes to
/// arrays that are only stored to). One whose address goes elsewhere may be read there.
#[must_use]
pub fn kept(program: &Program, kernel: &Kernel, walks: &Walks) -> Vec<SharedId> {
    let walks: Vec<Arc<Walk>> = prove::launches(kernel)
        .iter()
        .map(|launch| walks.get(program, kernel, launch))
        .collect();
    let named = named(&kernel.unfolded());
    let is_kept = |id: &SharedId| {
        let visits = walks.iter().flat_map(|walk| &walk.visits);
        let mut own = visits
            .filter(|visit| visit.target == Target::Shared(*id))
            .peekable();
        if own.peek().is_some() {
            return own.any(|visit| visit.op != Op::Store);
        }
        named.contains(id)
    };
    let all = (0..kernel.shared.len()).filter_map(|at| u32::try_from(at).ok());
    all.map(SharedId).filter(is_kept).collect()
}

/// The shared arrays whose address something uses.
fn named(kernel: &Kernel) -> FxHashSet<SharedId> {
    let mut named = FxHashSet::default();
    visit::statements(&kernel.body, &mut |stmt| {
        visit::each_evaluated(stmt, &mut |id| {
            visit::each_part(kernel, id, &mut |part| {
                if let Expr::Address(Object::Shared(id)) = part {
                    named.insert(*id);
                }
            });
        });
    });
    named
}

/// Shared memory of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of the declarations with a size that are kept.
    pub fixed: u64,
    /// Bytes that the launch adds, the most of all launches; `None` where one does not tell.
    pub dynamic: Option<u64>,
    /// Threads of the smallest block.
    pub threads: u64,
}

impl Memory {
    /// Of the arrays that are [`kept`].
    #[must_use]
    pub fn of(kernel: &Kernel, kept: &[SharedId]) -> Self {
        let objects = kept.iter().filter_map(|id| kernel.shared.get(id.index()));
        let fixed = objects.fold(0, |at: u64, object| {
            let start = at.next_multiple_of(u64::from(object.align.max(1)));
            start.saturating_add(object.size.unwrap_or(0)).min(MOST)
        });
        let has_dynamic = kernel.shared.iter().any(|object| object.size.is_none());
        let dynamic = kernel
            .launches
            .iter()
            .map(|launch| launch.dynamic_shared)
            .try_fold(0, |most: u64, bytes| {
                bytes.map(|bytes| most.max(bytes.min(MOST)))
            });
        let threads = kernel
            .launches
            .iter()
            .filter_map(|launch| {
                launch
                    .block
                    .iter()
                    .try_fold(1u64, |n, axis| n.checked_mul(axis.known()?))
            })
            .min();
        Self {
            fixed,
            dynamic: if has_dynamic {
                dynamic
            } else {
                Some(dynamic.unwrap_or(0))
            },
            threads: threads.unwrap_or(1),
        }
    }

    /// Blocks that one multiprocessor holds, as far as threads and shared memory allow.
    #[must_use]
    pub fn resident(&self, arch: &Arch) -> u64 {
        arch.resident_blocks(self.threads, self.fixed + self.dynamic.unwrap_or(0))
    }
}
