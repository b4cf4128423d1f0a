//! `dynamic-local-index` (CL502): a local array whose index is not known when compiling may lie in
//! memory, not in registers.

use super::Context;
use super::kernel_facts::KernelFacts;
use super::kernels::KernelFinding;
use crate::access::Walk;
use crate::access::side_effects::OtherEffectKind;
use crate::ir::{Holds, VariableKind};
use crate::term::{Sharing, SymbolId, SymbolOrigin, TermId};
use rustc_hash::FxHashSet;

/// Bytes of an array that ptxas 13.0 always keeps in registers, choosing the element by comparisons. This and the
/// next were measured on sm_90: `LDL` and `STL` in the machine code of 48 kernels, arrays of 4 to 128 floats.
const ALWAYS_IN_REGISTERS: u64 = 16;
/// Bytes of an array that it keeps in registers where the element is chosen once, not in a loop.
const IN_REGISTERS_IF_USED_ONCE: u64 = 256;
/// Bytes of the registers of a thread (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability": 255 of 4 bytes): no larger array can lie there.
const REGISTERS: u64 = 255 * 4;

pub fn judge(view: &KernelFacts, _: &Context) -> Vec<KernelFinding> {
    let mut told = Vec::new();
    let mut seen = FxHashSet::default();
    for walk in view.walks() {
        for extra in &walk.extras {
            let OtherEffectKind::Local {
                site,
                object,
                offset,
            } = extra.kind
            else {
                continue;
            };
            let Some(symbol) = unknown(view, walk, offset) else {
                continue;
            };
            // A parameter lies in constant memory, whatever its index; so does a constant array, or in device memory.
            let mut parameters = view.kernel.parameters.iter();
            if parameters.any(|parameter| parameter.variable == object) {
                continue;
            }
            let variable = &view.kernel.variables[object.index()];
            let VariableKind::Object { size, holds, .. } = variable.kind else {
                continue;
            };
            if holds == Holds::Argument {
                continue;
            }
            let kept_in_registers = if extra.loop_depth == 0 {
                IN_REGISTERS_IF_USED_ONCE
            } else {
                ALWAYS_IN_REGISTERS
            };
            let is_open = size == crate::ir::UNKNOWN_SIZE || u64::from(size) <= kept_in_registers;
            if is_open || !seen.insert(site) {
                continue;
            }
            let lies = if u64::from(size) > REGISTERS {
                "lie"
            } else {
                "may lie"
            };
            let site = &view.kernel.sites[site.index()];
            let name = &walk.terms.symbol(symbol).name;
            let mut one = KernelFinding::at(
                site,
                format!(
                    "`{}` is indexed by what is known at run time only: its {size} bytes {lies} in local memory",
                    site.array
                ),
                format!("the index depends on `{name}`"),
            );
            one.advice = Some(
                "index it by constants and unrolled counters only, or keep it in shared memory"
                    .to_owned(),
            );
            one.weight = 1 << (3 * extra.loop_depth.min(6));
            told.push(one);
        }
    }
    told
}

/// A symbol of the index that no unrolling makes a constant: a thread's or block's place, a
/// parameter, or data. Counters, and locals that loops carry along, may be constants once loops
/// are unrolled.
fn unknown(view: &KernelFacts, walk: &Walk, offset: TermId) -> Option<SymbolId> {
    let mut symbols = Vec::new();
    walk.terms.symbols_of(offset, &mut symbols);
    symbols.into_iter().find(|symbol| {
        let known = walk.terms.symbol(*symbol);
        let is_place = matches!(
            known.origin,
            SymbolOrigin::ThreadIndex(_) | SymbolOrigin::BlockIndex | SymbolOrigin::Warp
        );
        let is_data = matches!(known.origin, SymbolOrigin::Element { .. })
            || matches!(known.sharing, Sharing::Varying(_));
        *symbol == walk.lane || is_place || is_data || view.is_free(walk, *symbol)
    })
}
