//! `partial-warp` (CL401) and `tall-block` (CL402): what a block's shape does to its warps.

use super::Context;
use super::kernel_facts::KernelFacts;
use super::kernels::{KernelFinding, block_of, launch_note};
use crate::gpu::WARP;
use crate::ir::{Launch, LaunchSource};
use crate::source::Span;

const LANES: u64 = WARP as u64;

/// Blocks whose size is no multiple of a warp: some lanes of the last warp never do anything.
pub fn partial_warp(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    shapes(view)
        .filter_map(|(launch, [x, y, z])| {
            let threads = x.checked_mul(y)?.checked_mul(z)?;
            let lanes = threads.next_multiple_of(LANES);
            // A single thread or a few are started where there is no more to do.
            if threads == lanes || threads < LANES {
                return None;
            }
            let idle = lanes - threads;
            let mut told = KernelFinding::new(
                place(launch, view),
                format!(
                    "blocks of {threads} threads of `{}` leave {idle} of {lanes} lanes idle",
                    view.kernel.name
                ),
                format!("{x} x {y} x {z} threads are {} warps", lanes / LANES),
            );
            told.notes.push(launch_note(launch, context));
            told.advice = Some(format!(
                "make the block a multiple of {LANES} threads: {lanes}, or {}",
                threads / LANES * LANES
            ));
            told.weight = idle;
            Some(told)
        })
        .collect()
}

/// Blocks narrower than a warp: a warp covers pieces of several rows.
pub fn tall_block(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    shapes(view)
        .filter_map(|(launch, [x, y, z])| {
            let threads = x.checked_mul(y)?.checked_mul(z)?;
            if x % LANES == 0 || y * z == 1 || threads < LANES {
                return None;
            }
            let rows = if x < LANES { LANES.div_ceil(x) } else { 2 };
            let mut told = KernelFinding::new(
                place(launch, view),
                format!(
                    "a warp of `{}` covers pieces of {rows} rows: the block is {x} threads wide",
                    view.kernel.name
                ),
                format!("{x} x {y} x {z} threads"),
            );
            told.notes.push(launch_note(launch, context));
            told.advice = Some(format!(
                "a block of {LANES} x {} threads has whole rows in a warp",
                (threads / LANES).max(1)
            ));
            Some(told)
        })
        .collect()
}

/// Launches whose block is known and written down by somebody.
fn shapes<'a>(view: &'a KernelFacts) -> impl Iterator<Item = (&'a Launch, [u64; 3])> {
    view.launches
        .iter()
        .filter(|launch| {
            matches!(
                launch.source,
                LaunchSource::Launch | LaunchSource::Directive | LaunchSource::Config
            )
        })
        .filter_map(|launch| Some((launch, block_of(launch)?)))
}

/// The launch in the text; the kernel where the launch is no code.
fn place(launch: &Launch, view: &KernelFacts) -> Span {
    launch
        .span
        .filter(|_| launch.source == LaunchSource::Launch)
        .unwrap_or(view.kernel.span)
}
