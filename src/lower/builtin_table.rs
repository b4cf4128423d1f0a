//! Names of built-in functions that are no pure functions: atomics, barriers, exchanges between lanes.
//!
//! Given a name, gives the same name with a static lifetime, or its meaning. Knows nothing of how calls are lowered.

use crate::ir::Barrier;

/// `atomicAdd` and kin, by the name without its scope.
pub(super) fn atomic(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 11] = [
        "atomicAdd",
        "atomicSub",
        "atomicMin",
        "atomicMax",
        "atomicExch",
        "atomicCAS",
        "atomicAnd",
        "atomicOr",
        "atomicXor",
        "atomicInc",
        "atomicDec",
    ];
    let bare = name
        .strip_suffix("_block")
        .or_else(|| name.strip_suffix("_system"))
        .unwrap_or(name);
    NAMES.into_iter().find(|known| *known == bare)
}

pub(super) fn barrier(name: &str) -> Option<Barrier> {
    Some(match name {
        "__syncthreads"
        | "__syncthreads_and"
        | "__syncthreads_or"
        | "__syncthreads_count"
        | "__barrier_sync"
        | "__cluster_barrier_wait" => Barrier::Block,
        "__syncwarp" => Barrier::Warp,
        "__threadfence" | "__threadfence_block" | "__threadfence_system" => Barrier::Fence,
        _ => return None,
    })
}

pub(super) fn collective(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 30] = [
        "__shfl_sync",
        "__shfl_up_sync",
        "__shfl_down_sync",
        "__shfl_xor_sync",
        "__shfl",
        "__shfl_up",
        "__shfl_down",
        "__shfl_xor",
        "__ballot_sync",
        "__ballot",
        "__any_sync",
        "__any",
        "__all_sync",
        "__all",
        "__uni_sync",
        "__activemask",
        "__match_any_sync",
        "__match_all_sync",
        "__reduce_add_sync",
        "__reduce_min_sync",
        "__reduce_max_sync",
        "__reduce_and_sync",
        "__reduce_or_sync",
        "__reduce_xor_sync",
        "__syncthreads_and",
        "__syncthreads_or",
        "__syncthreads_count",
        "__shfl_sync_impl",
        "__vote_any",
        "__vote_all",
    ];
    NAMES.into_iter().find(|known| *known == name)
}
