//! Expanded text to the tree of its unit.
//!
//! Given preprocessed CUDA C++, gives [`Unit`]. Never fails: what cannot be
//! read becomes a [`Problem`] on the function that holds it, and only there,
//! or on the unit where no function does. Knows no files and no macros.
//!
//! In order: `repair` rewrites the text at equal length, `split` gives each definition
//! to the grammar alone, and the rest (`items`, `types`, `statements`, `expressions`,
//! `literals`, `number_lists`) converts the concrete trees.

mod bound_declarators;
mod brought_in;
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
mod unknown_macros;
mod variables;
mod written;

use super::ast::{Function, Item, Member, Problem, Range, Record, Unit};
use context::Context;
use cst::CstParser;
use repair::MarkKind;
use std::sync::Arc;

pub use tree_cache::Pieces;

/// Where identifiers and keywords stand in `text`, outside of comments, strings and leftover directives.
#[must_use]
pub fn identifiers(text: &str) -> Vec<Range> {
    let (tokens, _) = lex::lex(text);
    let words = tokens.into_iter().filter(|token| token.kind == lex::IDENT);
    let range = |token: lex::Token| Range {
        start: token.start,
        end: token.end,
    };
    words.map(range).collect()
}

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
    context.note_unread_kernels(&items);
    let problems = context.take_problems();
    Unit { items, problems }
}

/// What is said of a kernel of which the grammar made no function.
pub const UNREAD_KERNEL: &str = "a kernel that could not be read";

/// Deeper than namespaces and classes nest.
const DEEPEST: u32 = 64;

/// Calls `f` on the functions that items declare, those of classes and friends included.
fn each_function<'a>(items: &'a [Item], depth: u32, f: &mut dyn FnMut(&'a Function)) {
    for item in items.iter().filter(|_| depth < DEEPEST) {
        match item {
            Item::Function(function) | Item::Instantiation(function) => f(function),
            Item::Namespace(_, inner) => each_function(inner, depth + 1, f),
            Item::Record(record) => each_method(record, depth + 1, f),
            _ => {}
        }
    }
}

fn each_method<'a>(record: &'a Record, depth: u32, f: &mut dyn FnMut(&'a Function)) {
    for member in record.members.iter().filter(|_| depth < DEEPEST) {
        match member {
            Member::Function(function) | Member::Friend(function) => f(function),
            Member::Record(inner) => each_method(inner, depth + 1, f),
            _ => {}
        }
    }
}

/// What stands behind the parser.
#[must_use]
pub fn grammar_version() -> String {
    format!("tree-sitter-cuda, ABI {}", cst::abi_version())
}

impl Context<'_> {
    /// Notes the kernels that are written but are no function of the tree: nothing else would tell of them.
    fn note_unread_kernels(&self, items: &[Item]) {
        let mut read: Vec<Range> = Vec::new();
        each_function(items, 0, &mut |function| {
            if function.attributes.global {
                read.push(function.range);
            }
        });
        let kernels = self.marks(0, u32::MAX).iter();
        for mark in kernels.filter(|mark| mark.kind == MarkKind::Global) {
            let holds = |range: &Range| range.start <= mark.anchor && mark.at < range.end;
            // `extern template __global__ …`: the instance is another file's.
            let before = self.source.get(..mark.at as usize).unwrap_or("");
            let is_elsewhere = before
                .trim_end()
                .strip_suffix("template")
                .is_some_and(|rest| rest.trim_end().ends_with("extern"));
            // `friend __global__ void f(int);` declares what stands elsewhere.
            let is_friend = before.trim_end().ends_with("friend")
                && self.source[mark.at as usize..]
                    .find([';', '{'])
                    .is_some_and(|end| self.source[mark.at as usize + end..].starts_with(';'));
            if !is_elsewhere && !is_friend && !read.iter().any(holds) {
                let range = Range {
                    start: mark.at,
                    end: mark.anchor.max(mark.at + 1),
                };
                self.problem(range, UNREAD_KERNEL);
            }
        }
    }

    fn take_problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.take();
        problems.sort_by_key(|problem| (problem.range.start, problem.range.end));
        problems
    }
}
