//! `shared-capacity` (CL103): a block's shared memory exceeds what the architecture gives, or
//! leaves few blocks resident.

use super::Context;
use super::kernel_facts::KernelFacts;
use super::kernels::{KernelFinding, launch_note};
use crate::finding::Level;
use crate::fix::block_memory::{Memory, kept};

pub fn judge(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    let kernel = view.kernel;
    let kept = kept(view.program, kernel, context.walks);
    let Some(largest) = kept
        .iter()
        .map(|id| &kernel.shared[id.index()])
        .max_by_key(|object| object.size.unwrap_or(0))
    else {
        return Vec::new();
    };
    let arch = context.arch;
    let memory = Memory::of(kernel, &kept);
    let dynamic = memory.dynamic.unwrap_or(0);
    let all = memory.fixed + dynamic;
    let (plain, most) = (
        u64::from(arch.shared_per_block),
        u64::from(arch.shared_per_block_optin),
    );
    let tell = |message: String, label: String| {
        let mut told = KernelFinding::new(largest.span, message, label);
        told.array.clone_from(&largest.name);
        told.notes.push(
            format!(
                "shared memory of a block: {} bytes declared, {dynamic} bytes from the launch",
                memory.fixed
            )
            .into(),
        );
        told.notes
            .extend(view.launches.first().map(|one| launch_note(one, context)));
        told
    };
    if memory.fixed > plain {
        let mut told = tell(
            format!(
                "`{}` declares {} bytes of shared memory, {arch} gives a block {plain} without opting in",
                kernel.name, memory.fixed
            ),
            format!("{} of the bytes", largest.size.unwrap_or(0)),
        );
        told.advice = (memory.fixed <= most).then(|| {
            format!(
                "take the array from `extern __shared__` and raise `cudaFuncAttributeMaxDynamicSharedMemorySize`: {arch} gives {most} bytes then"
            )
        });
        return vec![told];
    }
    if all > most {
        return vec![tell(
            format!(
                "`{}` is launched with {all} bytes of shared memory, {arch} gives a block at most {most}",
                kernel.name
            ),
            "the launch fails".to_owned(),
        )];
    }
    let has_threads = view
        .launches
        .iter()
        .any(|launch| launch.block.iter().all(|axis| axis.known().is_some()));
    let (by_threads, resident) = (
        arch.resident_by_threads(memory.threads),
        memory.resident(arch),
    );
    if has_threads && memory.dynamic.is_some() && resident * 4 <= by_threads {
        let mut told = tell(
            format!(
                "shared memory leaves {resident} of {by_threads} blocks of `{}` resident: {all} bytes a block",
                kernel.name
            ),
            format!("{} of {all} bytes", largest.size.unwrap_or(dynamic)),
        );
        told.level = Some(Level::Info);
        return vec![told];
    }
    Vec::new()
}
