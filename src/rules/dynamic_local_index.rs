//! `dynamic-local-index` (CL502): a local array whose index is not known when compiling lies in
//! memory, not in registers.

use super::Context;
use super::kernel_facts::KernelFacts;
use super::kernels::KernelFinding;
use crate::access::Walk;
use crate::access::side_effects::OtherEffectKind;
use crate::ir::{Holds, VariableKind};
use crate::term::{Sharing, SymbolId, SymbolOrigin, TermId};
use rustc_hash::FxHashSet;

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
            if size == crate::ir::UNKNOWN_SIZE || !seen.insert(site) {
                continue;
            }
            let site = &view.kernel.sites[site.index()];
            let name = &walk.terms.symbol(symbol).name;
            let mut one = KernelFinding::at(
                site,
                format!(
                    "`{}` is indexed by what is known at run time only: its {size} bytes lie in local memory",
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
