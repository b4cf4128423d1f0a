//! `threadIdx.x` and `threadIdx.y` change places in a kernel whose lanes run along the wrong one.
//!
//! Given a kernel all of whose launches have square blocks, exchanges the two names in its text.
//! The edited kernel has to be the old one with the two exchanged and nothing else, so that
//! thread (x, y) does what thread (y, x) did: as long as threads meet at barriers of the whole
//! block only, the same is done. Then verdicts say what it is worth: no access may get worse.
//! Knows nothing of findings.

use super::text::{body, code, occurrences};
use super::{Reproof, Reprove, elsewhere};
use crate::access::Walks;
use crate::finding::{Edit, Fix, Safety};
use crate::ir::content::content;
use crate::ir::{
    Axis, Barrier, BuiltinValue, Dimension, Expr, Kernel, Parameter, Program, Stmt, visit,
};
use crate::prove::verdict::{Access, Dependence, DependenceCase, Verdict};
use crate::source::{SourceMap, Span};

const NAMES: [&str; 2] = ["threadIdx.x", "threadIdx.y"];

/// A kernel definition with everything that its instances do.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// Of the kernel's name.
    pub span: Span,
    pub sources: &'a SourceMap,
    pub program: &'a Program,
    /// Its instances.
    pub kernels: &'a [&'a Kernel],
    /// Every access of them.
    pub accesses: &'a [&'a Access],
    pub walks: &'a Walks,
}

/// The proved exchange, if it makes accesses better and none worse.
#[must_use]
pub fn propose(definition: Definition, reprove: &dyn Reprove) -> Option<Fix> {
    let Definition {
        span,
        sources,
        program,
        accesses,
        ..
    } = definition;
    let mut kernels = definition.instances().peekable();
    kernels.peek()?;
    if !kernels.all(is_exchangeable) {
        return None;
    }
    // A macro that is defined in the body may be used elsewhere, where nothing is exchanged.
    let is_plain = |rest: &str| {
        ["if", "el", "endif", "pragma"]
            .iter()
            .any(|one| rest.starts_with(one))
    };
    if has_directive(sources, span, |rest| !is_plain(rest)) {
        return None;
    }
    let edits = edits(sources, span)?;
    let mut reproof = reprove.read(&edits)?;
    for before in definition.instances() {
        let after = reproof
            .program
            .kernels
            .iter_mut()
            .find(|after| (&after.name, &after.instance) == (&before.name, &before.instance))?;
        exchange(after);
        let is_same =
            content(before, &program.globals).0 == content(after, &reproof.program.globals).0;
        exchange(after);
        if !is_same {
            return None;
        }
    }
    reprove.judge(&mut reproof, true);
    let worth = worth(accesses, &reproof, sources)?;
    let places = edits.len();
    let unseen = if has_conditions(sources, span) {
        Some("text under `#if` not read for other settings")
    } else {
        elsewhere::other_launches(sources, program, definition.instances())
    };
    let unread = unseen.map_or_else(String::new, |what| format!(", {what}"));
    Some(Fix {
        title: format!(
            "let `threadIdx.x` and `threadIdx.y` change places in {places} places: {worth}{unread}"
        ),
        safety: match unseen {
            None => Safety::Safe,
            Some(_) => Safety::Unsafe,
        },
        is_whole: accesses.len() == reproof.accesses.len()
            && reproof.accesses.iter().all(|one| one.verdict.is_ideal()),
        edits,
    })
}

impl<'a> Definition<'a> {
    pub(super) fn instances(&self) -> impl Iterator<Item = &'a Kernel> {
        self.kernels.iter().copied()
    }

    /// The parameter of an instance that is declared at `declared`. One file may have several numbers.
    pub(super) fn parameter<'k>(
        &self,
        kernel: &'k Kernel,
        declared: Span,
    ) -> Option<&'k Parameter> {
        let path = |span: Span| &self.sources.get(span.file).path;
        let mut all = kernel.parameters.iter();
        all.find(|one| one.span.start == declared.start && path(one.span) == path(declared))
    }
}

/// Whether every thread may do what its mirror image does.
fn is_exchangeable(kernel: &Kernel) -> bool {
    let is_square = |block: &[Dimension; 3]| {
        let [x, y, z] = block.each_ref().map(Dimension::known);
        x == y && x.is_some_and(|x| x > 1) && z.is_some()
    };
    let kernel = &*kernel.unfolded();
    let mut meets_in_blocks =
        kernel.gaps.is_empty() && !kernel.launches.is_empty() && !has_unknown_source(kernel);
    visit::statements(&kernel.body, &mut |stmt| {
        meets_in_blocks &= !matches!(
            stmt,
            Stmt::Collective { .. }
                | Stmt::Atomic { .. }
                | Stmt::Matrix { .. }
                | Stmt::Opaque { .. }
                | Stmt::OpaqueAccess { .. }
                | Stmt::Barrier {
                    kind: Barrier::Warp | Barrier::Grid,
                    ..
                }
        );
    });
    meets_in_blocks && kernel.launches.iter().all(|one| is_square(&one.block))
}

/// Whether conditions of the preprocessor stand in the body: what is not compiled may read an index by a macro.
fn has_conditions(sources: &SourceMap, name: Span) -> bool {
    has_directive(sources, name, |rest| rest.starts_with("if"))
}

/// Whether a directive of the preprocessor stands in the body that `is_meant` says is one of those.
fn has_directive(sources: &SourceMap, name: Span, is_meant: impl Fn(&str) -> bool) -> bool {
    let text = &sources.get(name.file).code(code).text;
    let range = body(text, name.end as usize);
    range.is_none_or(|range| {
        let mut lines = text[range].lines();
        lines.any(|line| {
            let rest = line.trim_start().strip_prefix('#');
            rest.is_some_and(|rest| is_meant(rest.trim_start()))
        })
    })
}

/// Whether a value comes from the place that a warp has on the machine, or from text that is not known: an exchange
/// would not move it along.
fn has_unknown_source(kernel: &Kernel) -> bool {
    kernel
        .exprs
        .iter()
        .any(|e| matches!(e, Expr::Unknown { inputs, .. } if inputs.is_empty()))
}

fn exchange(kernel: &mut Kernel) {
    for expr in &mut kernel.exprs {
        if let Expr::Builtin(BuiltinValue::ThreadIdx(axis)) = expr {
            *axis = match axis {
                Axis::X => Axis::Y,
                Axis::Y => Axis::X,
                Axis::Z => Axis::Z,
            };
        }
    }
}

/// The two names exchanged in the parameters and the body of the definition.
fn edits(sources: &SourceMap, name: Span) -> Option<Vec<Edit>> {
    let text = &sources.get(name.file).code(code).text;
    let start = name.end as usize;
    let range = start..body(text, start)?.end;
    let inside = &text[range.clone()];
    let mut edits = Vec::new();
    for (from, to) in [(NAMES[0], NAMES[1]), (NAMES[1], NAMES[0])] {
        let before = edits.len();
        edits.extend(occurrences(inside, from).map(|at| {
            let start = (range.start + at) as u32;
            Edit {
                span: Span::new(name.file, start, start + from.len() as u32),
                replacement: to.to_owned(),
            }
        }));
        if edits.len() == before {
            return None;
        }
    }
    edits.sort_by_key(|edit| edit.span);
    Some(edits)
}

/// `sectors of its worst access 32 → 4`; `None` where nothing gets better or something may get worse.
fn worth(accesses: &[&Access], reproof: &Reproof, sources: &SourceMap) -> Option<String> {
    // Beyond the ideal: at least, and at most.
    let excess = |access: &Access| {
        let verdict = &access.verdict;
        let beyond = |cost: u32| cost.saturating_sub(verdict.ideal);
        (verdict.is_known()).then(|| (beyond(verdict.min), beyond(verdict.max)))
    };
    let mut best: Option<(u32, String)> = None;
    for before in accesses {
        let after = reproof.counterpart(before, sources)?;
        let (old, new) = match (excess(before), excess(after)) {
            // What an access costs that has no verdict is not known afterwards either.
            (None, _) | (_, None) => return None,
            (Some((least, old)), Some((_, new))) => {
                // Bounds that stay say nothing of single values: under some it may have been ideal before.
                if new > least && new >= old && !costs_no_more(&before.verdict, &after.verdict) {
                    return None;
                }
                (old, new)
            }
        };
        if old > new && best.as_ref().is_none_or(|(most, _)| old - new > *most) {
            let what = format!(
                "{} of `{}` {} → {} {}, ideal {}",
                before.op.name(),
                before.site.array,
                before.verdict.max,
                after.verdict.max,
                before.space.unit(),
                after.verdict.ideal
            );
            best = Some((old - new, what));
        }
    }
    best.map(|(_, what)| what)
}

/// Whether both depend on the same values in the same cases, and each case costs no more afterwards.
fn costs_no_more(before: &Verdict, after: &Verdict) -> bool {
    let beyond = |cost: u32, case: &DependenceCase| cost.saturating_sub(case.ideal);
    let is_no_worse = |(old, new): (&DependenceCase, &DependenceCase)| {
        old.when == new.when && beyond(new.max, new) <= beyond(old.min, old)
    };
    let same = |old: &Dependence, new: &Dependence| {
        old.symbol == new.symbol
            && old.cases.len() == new.cases.len()
            && old.cases.iter().zip(&new.cases).all(is_no_worse)
    };
    let mut olds = before.depends_on.iter();
    olds.any(|old| after.depends_on.iter().any(|new| same(old, new)))
}
