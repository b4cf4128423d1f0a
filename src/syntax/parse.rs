//! Expanded text to the tree of its unit.
//!
//! Given preprocessed CUDA C++, gives [`Unit`]. Never fails: what cannot be
//! read becomes a [`Problem`] on the function that holds it, and only there,
//! or on the unit where no function does. Knows no files and no macros.
//!
//! In order: `repair` rewrites the text at equal length, the grammar parses it,
//! `recover` parses definitions alone where the file as a whole has an error,
//! and the rest (`items`, `types`, `statements`, `expressions`, `literals`)
//! converts the concrete tree.

mod context;
mod cst;
mod expressions;
mod items;
mod lex;
mod literals;
mod names;
mod paths;
mod recover;
#[cfg(test)]
mod render;
mod repair;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use crate::syntax::ast::{Problem, Range, Unit};
use context::Context;

/// The tree of `text`; see the module.
#[must_use]
pub fn parse(text: &str) -> Unit {
    let context = Context::new(text, repair::repair(text));
    let mut items = Vec::new();
    let tree = context.parser.borrow_mut().parse(&context.repaired, 0);
    match &tree {
        Some(tree) if !tree.root().has_error() => context.items(tree.root(), &mut items),
        Some(tree) => context.recover(Some(tree), &mut items),
        None if text.len() > u32::MAX as usize / 2 => {
            context.problem(Range::default(), "the text is too long to be read")
        }
        None => context.recover(None, &mut items),
    }
    Unit {
        items,
        problems: context.take_problems(),
    }
}

/// What stands behind the parser.
#[must_use]
pub fn grammar_version() -> String {
    format!("tree-sitter-cuda, ABI {}", cst::abi_version())
}

impl Context<'_> {
    fn take_problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.take();
        problems.sort_by_key(|problem| (problem.range.start, problem.range.end));
        problems
    }
}
