//! Launches in text that nobody reads.
//!
//! Given the text of a unit and the launches that its functions hold; finds every other `name<<<` where the
//! name is a kernel's. What stands around such a launch is not followed, so nothing is known of it but the
//! kernel: a launch in a macro's argument that is no code, in a class or a function whose head could not be
//! read, in an initialiser outside of functions, in a class within a function.

use super::reaching::Survey;
use super::{HostLaunch, Launches};
use crate::ir::{Argument, Dimension, Launch, LaunchSource, Written};
use crate::sema::scope::{self, Env, Names};
use crate::syntax::ast::{self, Expr, ExprKind, Range, Stmt};
use crate::syntax::visit::Part;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Nesting below which nothing is read.
pub(super) const MAX_DEPTH: u32 = 200;
const LAUNCH: &str = "<<<";
/// The member of `cudaKernelNodeParams` that says which kernel a node of a graph runs.
const FUNCTION_OF_A_NODE: &str = ".func";

/// Where the functions of a unit launch.
pub(super) fn read(survey: &Survey<'_>) -> Vec<Range> {
    let mut out = Vec::new();
    for body in &survey.bodies {
        each_expr(body.function.body.iter().flatten(), &mut |e| {
            if let ExprKind::Launch { .. } = &e.kind {
                out.push(e.range);
            }
        });
    }
    out.sort_unstable_by_key(|range| range.start);
    out
}

/// Of the launches in functions those that were not met when the functions were run.
pub(super) fn unreached(read: Vec<Range>, found: &Launches) -> Vec<Range> {
    let host = found.host.iter().map(|l| l.range);
    let foreign = found.foreign.iter().map(|l| l.range);
    let lost = found.lost.iter().map(|l| l.range);
    let met: FxHashSet<Range> = host.chain(foreign).chain(lost).collect();
    read.into_iter()
        .filter(|range| !met.contains(range))
        .collect()
}

/// Goes through all expressions of statements, those of lambdas too.
pub(super) fn each_expr<'s>(
    body: impl IntoIterator<Item = &'s Stmt>,
    read: &mut dyn FnMut(&'s Expr),
) {
    body.into_iter()
        .for_each(|s| in_statement(s, read, MAX_DEPTH));
}

/// The same for one expression.
pub(super) fn each_inside<'s>(e: &'s Expr, read: &mut dyn FnMut(&'s Expr)) {
    in_expr(e, read, MAX_DEPTH);
}

fn in_statement<'s>(s: &'s Stmt, read: &mut dyn FnMut(&'s Expr), depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    s.each_part(&mut |part| match part {
        Part::Stmt(inner) => in_statement(inner, read, depth),
        Part::Expr(e) => in_expr(e, read, depth),
        Part::Variable(v) => v.each_initial(&mut |e| in_expr(e, read, depth)),
    });
}

fn in_expr<'s>(e: &'s Expr, read: &mut dyn FnMut(&'s Expr), depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    read(e);
    if let ExprKind::Lambda(l) = &e.kind {
        l.body.iter().for_each(|s| in_statement(s, read, depth));
    }
    e.each_operand(&mut |c| in_expr(c, read, depth));
}

/// Adds the launches of `text` that are not among those that were read.
pub(super) fn add(names: &Names<'_>, text: &str, read: &[Range], out: &mut Launches) {
    let (mut seen, mut quotes) = (0, 0);
    let mut ahead = read.iter().peekable();
    // How far the launches that begin before `at` go; they may stand in one another.
    let mut read_until = 0;
    for (at, _) in text.match_indices(LAUNCH) {
        let between = &text[seen..at];
        let line = between.rfind('\n');
        let of_line = between[line.unwrap_or(0)..].matches('"').count();
        quotes = of_line + line.map_or(quotes, |_| 0);
        seen = at;
        while let Some(range) = ahead.next_if(|range| range.start as usize <= at) {
            read_until = read_until.max(range.end as usize);
        }
        // A string of its line.
        if at < read_until || quotes % 2 == 1 {
            continue;
        }
        if let Some(name) = name_before(text, at) {
            let end = (at + LAUNCH.len()) as u32;
            push(names, text, name, end, out);
        }
    }
    // `node.func = (void *)kernel`: a graph launches it.
    for (at, _) in text.match_indices(FUNCTION_OF_A_NODE) {
        let behind = &text[at + FUNCTION_OF_A_NODE.len()..];
        let given = behind.trim_start().strip_prefix('=');
        let Some(given) = given.filter(|given| !given.starts_with('=')) else {
            continue;
        };
        let from = text.len() - given.len();
        let end = from + given.find(';').unwrap_or(0);
        if let Some(name) = name_before(text, end) {
            push(names, text, name, end as u32, out);
        }
    }
}

/// Adds a launch of the kernels of a name, of which nothing else is known.
fn push(names: &Names<'_>, text: &str, name: std::ops::Range<usize>, end: u32, out: &mut Launches) {
    let range = Range {
        start: name.start as u32,
        end,
    };
    let is_computed = is_computed(&text[end as usize..]);
    for (function, _) in names.kernels() {
        if *function.name == text[name.clone()] {
            let reason = "the text around the launch was not read";
            let launch = open(names, function, range, is_computed, reason);
            out.host.push(launch);
        }
    }
}

/// A launch of a kernel, of which nothing else is known for this reason.
pub(super) fn open(
    names: &Names<'_>,
    function: &Arc<ast::Function>,
    range: Range,
    is_computed: bool,
    reason: &str,
) -> HostLaunch {
    let home = Env::new(names.home(function));
    let head = names.own_head(function, &home);
    let head = head.filter(|head| !head.parameters.is_empty());
    let problem = head.map(|_| Arc::from(reason));
    HostLaunch {
        kernel: function.clone(),
        name: names.full_name(names.home(function), &function.name),
        env: head.map_or_else(
            || home.clone(),
            |head| scope::bind_open(names, &home, head, Vec::new()),
        ),
        instance: String::new(),
        launch: unknown(function, is_computed),
        range,
        also: Vec::new(),
        written: Written {
            arguments: Vec::new(),
            dynamic_shared: None,
        },
        problem,
        is_of_unnamed: false,
    }
}

/// Whether arguments that nobody read may be more than names and numbers.
fn is_computed(behind: &str) -> bool {
    let Some(given) = behind
        .split_once(">>>")
        .map(|(_, given)| given.trim_start())
    else {
        return true;
    };
    let given = given
        .strip_prefix('(')
        .and_then(|given| given.split_once(')'));
    let plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_,.:".contains(c);
    given.is_none_or(|(given, _)| !given.chars().all(plain))
}

fn unknown(function: &ast::Function, is_computed: bool) -> Launch {
    let argument = |p: &ast::Parameter| {
        if is_computed && !matches!(p.ty.kind, ast::TypeKind::Builtin(_)) {
            Argument::OPEN_POINTER
        } else {
            Argument::Unknown
        }
    };
    let dimension = || Dimension::Unknown(Arc::from("what was not read"));
    let shape = || [dimension(), dimension(), dimension()];
    Launch {
        grid: shape(),
        block: shape(),
        dynamic_shared: None,
        arguments: function.parameters.iter().map(argument).collect(),
        moved: Vec::new(),
        source: LaunchSource::Launch,
        span: None,
    }
}

/// The name before template arguments and `<<<`.
fn name_before(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let mut before = text[..at].trim_end();
    if before.ends_with('>') {
        let mut depth = 0usize;
        let open = before.char_indices().rev().find(|(_, c)| {
            match c {
                '>' => depth += 1,
                '<' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        before = before[..open.0].trim_end();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_word(*c))
        .last()?
        .0;
    Some(start..before.len())
}
