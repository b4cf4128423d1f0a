//! `divergent-constant` (CL501): lanes of a warp read different words of constant memory.

use super::Context;
use super::kernel_facts::{ATTEMPTS, Attempt, KernelFacts};
use super::kernels::{KernelFinding, launch_note};
use crate::access::Walk;
use crate::access::side_effects::{OtherEffect, OtherEffectKind};
use crate::finding::{Evidence, Level};
use crate::gpu::WARP;
use crate::ir::{Expr, Kernel, Object, SiteId, Stmt, Value, visit};
use crate::term::{SymbolOrigin, TermId};
use rustc_hash::FxHashSet;

/// Fewer words than this cost little beside what a thread does with them.
const FEW_WORDS: u32 = 16;

pub fn judge(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    let is_constant = |expr: &Expr| match expr {
        Expr::Address(Object::Global(id)) => view
            .program
            .globals
            .get(id.index())
            .is_some_and(|global| global.is_constant),
        _ => false,
    };
    if !view.kernel.exprs.iter().any(is_constant) {
        return Vec::new();
    }
    let mut told = Vec::new();
    let mut seen = FxHashSet::default();
    for (walk, launch) in view.walks().iter().zip(&view.launches) {
        for extra in &walk.extras {
            let OtherEffectKind::Constant {
                site,
                offset,
                width,
                ..
            } = extra.kind
            else {
                continue;
            };
            if !walk.terms.is_varying(offset) || !seen.insert(site) {
                continue;
            }
            let Some((least, most)) = words(view, walk, extra, offset, width) else {
                continue;
            };
            if most < 2 {
                continue;
            }
            let is_staged = is_staged(view.kernel, site);
            let site = &view.kernel.sites[site.index()];
            let has_data = walk.terms.has_data(offset);
            let message = if has_data {
                format!(
                    "lanes read constant memory `{}` at places that depend on data, one after the other where they differ",
                    site.array
                )
            } else {
                format!(
                    "lanes read {most} different words of constant memory `{}`, one after the other",
                    site.array
                )
            };
            let mut one = KernelFinding::at(
                site,
                message,
                format!("{most} words in one request, ideal 1"),
            );
            if has_data || least < 2 {
                one.evidence = Evidence::Possible;
                one.level = Some(Level::Info);
            }
            let mut symbols = walk.terms.symbols_in([offset]).into_iter();
            let moves = symbols.any(|one| walk.terms.symbol(one).origin == SymbolOrigin::Iteration);
            // The compiler reads once what no loop changes.
            let is_once = (extra.loop_depth == 0 || !moves) && most < WARP as u32;
            if is_staged || is_once || most < FEW_WORDS {
                one.level = Some(Level::Info);
            }
            one.notes.push(launch_note(launch, context));
            one.advice = Some(
                "read it through shared memory or, as a `const __restrict__` array, through the read-only cache"
                    .to_owned(),
            );
            one.weight = u64::from(most) << (3 * extra.loop_depth.min(6));
            told.push(one);
        }
    }
    told
}

/// Whether what is read goes to shared memory as it is: the cure that would be proposed is at work.
fn is_staged(kernel: &Kernel, site: SiteId) -> bool {
    let mut read = None;
    let mut is_staged = false;
    visit::statements(&kernel.body, &mut |stmt| match stmt {
        Stmt::Load {
            target, site: at, ..
        } if *at == site => read = Some(*target),
        Stmt::Store {
            pointer,
            value: Value::Scalar(value),
            ..
        } => {
            let mut is_read = false;
            visit::each_part(kernel, *value, &mut |part| {
                is_read |= matches!(part, Expr::Var(variable) if Some(*variable) == read);
            });
            visit::each_part(kernel, *pointer, &mut |part| {
                is_staged |= is_read && matches!(part, Expr::Address(Object::Shared(_)));
            });
        }
        _ => {}
    });
    is_staged
}

/// Fewest and most different words of one request, over all attempts.
fn words(
    view: &KernelFacts,
    walk: &Walk,
    extra: &OtherEffect,
    offset: TermId,
    width: u32,
) -> Option<(u32, u32)> {
    let unit = i64::from(width.max(4));
    let mut sampled = view.sampled(walk, &extra.guards, offset);
    let counts = (0..ATTEMPTS).filter_map(|number| {
        let attempt = Attempt {
            number,
            is_typical: true,
        };
        let lanes = sampled(attempt)?;
        let words: FxHashSet<i64> = lanes
            .iter()
            .flatten()
            .map(|byte| byte.div_euclid(unit))
            .collect();
        Some(words.len() as u32)
    });
    counts.fold(None, |all, count| match all {
        None => Some((count, count)),
        Some((least, most)) => Some((count.min(least), count.max(most))),
    })
}
