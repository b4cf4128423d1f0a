//! Expanded text to the tree of its unit.
//!
//! Given preprocessed CUDA C++, gives [`Unit`]. Never fails: what cannot be
//! read becomes a [`Problem`] on the function that holds it, and only there,
//! or on the unit where no function does. Knows no files and no macros.
//!
//! In order: `repair` rewrites the text at equal length, the grammar parses it,
//! `recover` parses each definition alone where the file as a whole has an error,
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
mod pieces;
mod recover;
#[cfg(test)]
mod render;
mod repair;
mod statements;
mod tables;
#[cfg(test)]
mod tests;
mod types;

use crate::syntax::ast::{Problem, Range, Unit};
use context::Context;
use cst::CstParser;
use std::sync::Arc;

pub use pieces::Pieces;

/// The tree of `text`; see the module.
#[must_use]
pub fn parse(text: &str) -> Unit {
    read(text, &mut CstParser::new(false, Arc::default()))
}

/// [`parse`] for one of many texts, which may have definitions in common.
#[must_use]
pub fn parse_sharing(text: &str, pieces: &Arc<Pieces>) -> Unit {
    read(text, &mut CstParser::new(false, pieces.clone()))
}

/// What was parsed of one unit, for the next time that it is: a text that differs in one place is
/// parsed anew in that place only.
pub struct Trees(CstParser);

impl Trees {
    /// Trees that share `pieces` with those of other units.
    #[must_use]
    pub fn new(pieces: Arc<Pieces>) -> Self {
        Self(CstParser::new(true, pieces))
    }
}

impl std::fmt::Debug for Trees {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Trees")
    }
}

/// [`parse`] with the trees of an earlier text; the answer does not depend on them.
#[must_use]
pub fn parse_again(text: &str, trees: &mut Trees) -> Unit {
    read(text, &mut trees.0)
}

fn read(text: &str, parser: &mut CstParser) -> Unit {
    let context = Context::new(text, repair::repair(text), parser);
    let mut items = Vec::new();
    let tree = context.parser.borrow_mut().healthy(&context.repaired);
    match &tree {
        Some(tree) => context.items(tree.root(), &mut items),
        None if text.len() > u32::MAX as usize / 2 => {
            context.problem(Range::default(), "the text is too long to be read")
        }
        None => context.recover(&mut items),
    }
    let problems = context.take_problems();
    Unit { items, problems }
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
