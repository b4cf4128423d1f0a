//! Expanded text to the tree of its unit.
//!
//! Given preprocessed CUDA C++, gives [`Unit`]. Never fails: what cannot be
//! read becomes a [`Problem`] on the function that holds it, and only there,
//! or on the unit where no function does. Knows no files and no macros.
//!
//! In order: `repair` rewrites the text at equal length, `split` gives each definition
//! to the grammar alone, and the rest (`items`, `types`, `statements`, `expressions`,
//! `literals`, `number_lists`) converts the concrete trees.

mod classes;
mod context;
mod cst;
mod expressions;
mod items;
mod lex;
mod literals;
mod names;
mod number_lists;
mod paths;
#[cfg(test)]
mod render;
mod repair;
mod scopes;
mod split;
mod statements;
mod template_heads;
#[cfg(test)]
mod tests;
mod tree_cache;
mod types;
mod variables;
mod written;

use super::ast::{Problem, Range, Unit};
use context::Context;
use cst::CstParser;
use std::sync::Arc;

pub use tree_cache::Pieces;

/// The tree of `text`; see the module.
#[must_use]
pub fn parse(text: &str) -> Unit {
    read(text, &mut CstParser::new(Arc::default()))
}

/// [`parse`] for one of many texts, which may have definitions in common: others, or the same one
/// after an edit. The answer does not depend on them.
#[must_use]
pub fn parse_sharing(text: &str, pieces: &Arc<Pieces>) -> Unit {
    read(text, &mut CstParser::new(pieces.clone()))
}

fn read(text: &str, parser: &mut CstParser) -> Unit {
    let context = Context::new(text, repair::repair(text), parser);
    let mut items = Vec::new();
    if text.len() > u32::MAX as usize / 2 {
        context.problem(Range::default(), "the text is too long to be read");
    } else {
        context.definitions(&mut items);
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
