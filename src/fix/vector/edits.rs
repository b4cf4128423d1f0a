//! The edits that put a vector in the place of a group.

use super::element::{self, Vector};
use super::loops::Loop;
use super::written::{Written, end_of_statement, is_assigned, statement};
use super::{Group, Op};
use crate::finding::Edit;
use crate::fix::text::{blank, body, occurrences, subscripts};
use crate::ir::{Kernel, Parameter, ParameterKind};
use crate::source::{SourceMap, Span};

/// The text around a group.
struct GroupText<'a> {
    text: &'a str,
    /// Without comments and literals.
    blanked: &'a str,
    parameter: &'a Parameter,
}

/// One group as it is written.
struct Members {
    /// In order of their places in the vector.
    spans: Vec<Span>,
    /// Of the first element.
    address: String,
    /// The name that it begins with.
    base: String,
    hint: Option<&'static str>,
    /// The type of the elements; `None` where macros read them as another one.
    element: Option<String>,
    vector: Vector,
}

/// Edits for all groups, in order, and what the widest vector is called.
pub(super) fn edits(
    sources: &SourceMap,
    kernel: &Kernel,
    parameter: &Parameter,
    groups: &[Group],
) -> Option<(Vec<Edit>, String)> {
    let file = parameter.span.file;
    let text = &sources.get(file).text;
    let blanked = blank(text);
    let place = GroupText {
        text,
        blanked: &blanked,
        parameter,
    };
    let mut edits: Vec<Edit> = Vec::new();
    let mut widest: Option<(u32, &'static str)> = None;
    for (number, group) in groups.iter().enumerate() {
        let members = members(sources, kernel, &place, group)?;
        let is_alone = groups.iter().filter(|one| one.op == group.op).count() == 1;
        let number = (!is_alone).then_some(number + 1);
        let name = place.fresh(group.op, &members.base, number);
        edits.extend(match (group.op, group.is_loop()) {
            (Op::Load, false) => loads(&place, &members, &name)?,
            (_, false) => stores(&place, &members, &name)?,
            (_, true) => in_loop(&place, kernel, group, &members, &name)?,
        });
        let bytes = group.bytes();
        if widest.is_none_or(|(most, _)| bytes > most) {
            widest = Some((bytes, members.vector.name));
        }
    }
    edits.sort_by_key(|edit| edit.span);
    let overlaps = edits
        .windows(2)
        .any(|pair| pair[1].span.start < pair[0].span.end.max(pair[0].span.start + 1));
    let (_, vector) = widest?;
    (!overlaps).then(|| (edits, vector.to_owned()))
}

impl GroupText<'_> {
    /// A name for a vector that nothing has.
    fn fresh(&self, op: Op, base: &str, number: Option<usize>) -> String {
        let number = number.map_or_else(String::new, |number| format!("_{number}"));
        let mut name = match op {
            Op::Load => format!("{base}_vec{number}"),
            _ => format!("{base}_new{number}"),
        };
        while occurrences(self.blanked, &name).next().is_some() {
            name.push('_');
        }
        name
    }

    /// What separates a new statement at `at` from the next one: a line of the same indentation.
    fn gap(&self, at: usize) -> String {
        let line = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let indent = &self.text[line..at];
        if indent.trim().is_empty() {
            format!("\n{indent}")
        } else {
            " ".to_owned()
        }
    }

    /// Whether nothing but plain statements of one block, that no thread waits in, stands there.
    fn straight_between(&self, from: usize, to: usize) -> Option<()> {
        let region = self.blanked.get(from..to)?;
        (!region.contains(['{', '}']) && !region.contains("sync")).then_some(())
    }
}

fn members(
    sources: &SourceMap,
    kernel: &Kernel,
    place: &GroupText,
    group: &Group,
) -> Option<Members> {
    let sites: Vec<_> = group
        .sites
        .iter()
        .map(|site| &kernel.sites[site.index()])
        .collect();
    let count = group.bytes() / group.width;
    if sites.iter().all(|site| site.definition.is_some()) {
        return by_macro(sources, place, group, &sites);
    }
    let written: Option<Vec<Written>> = sites
        .iter()
        .map(|site| Written::of(sources, site, place.parameter.span))
        .collect();
    let written = written?;
    let first = written.first()?;
    let element = if first.base == *place.parameter.name {
        own_element(sources, place.parameter, group.width)?
    } else {
        let name = kernel.span.end as usize;
        element::of_local(place.blanked, body(place.blanked, name)?, &first.base)?
    };
    let hint = first.hint;
    let is_like = |one: &Written| one.hint == hint && one.base == first.base;
    written.iter().all(is_like).then_some(())?;
    Some(Members {
        spans: written.iter().map(|one| one.span).collect(),
        address: first.address.clone(),
        base: first.base.clone(),
        hint,
        vector: Vector::of(&element, group.width, count)?,
        element: Some(element),
    })
}

/// Elements that a macro reads as another type of the same size: only their addresses can be, so each stays
/// an element of some vector.
fn by_macro(
    sources: &SourceMap,
    place: &GroupText,
    group: &Group,
    sites: &[&crate::ir::Site],
) -> Option<Members> {
    let ParameterKind::Pointer { element: own, .. } = place.parameter.kind else {
        return None;
    };
    let file = place.parameter.span.file;
    let spans: Option<Vec<Span>> = sites
        .iter()
        .map(|site| {
            let is_here = site.inlined.is_empty() && site.span.file == file;
            is_here.then(|| inside(sources, site.span, place.parameter))?
        })
        .collect();
    let spans = spans?;
    let element = match group.width {
        4 => "float",
        8 => "double",
        _ => return None,
    };
    let is_other = group.width != own && group.op == Op::Load;
    let vector = Vector::of(element, group.width, group.count())?;
    let written = sources.text(*spans.first()?);
    let (brackets, _) = subscripts(written, place.parameter.name.len());
    crate::fix::subscripts::operand(&written[brackets.first()?.clone()])?;
    (is_other && vector.has_members).then(|| Members {
        address: format!("&{written}"),
        base: place.parameter.name.to_string(),
        spans,
        hint: None,
        element: None,
        vector,
    })
}

/// What the parameter points to, where the accesses take whole elements of it.
fn own_element(sources: &SourceMap, parameter: &Parameter, width: u32) -> Option<String> {
    let ParameterKind::Pointer { element, .. } = parameter.kind else {
        return None;
    };
    let declared = sources.text(parameter.span);
    (element == width).then(|| element::of_declaration(declared, &parameter.name))?
}

/// The one subscript of the parameter in the text of a macro's use.
fn inside(sources: &SourceMap, of: Span, parameter: &Parameter) -> Option<Span> {
    let text = sources.text(of);
    let mut places = occurrences(text, &parameter.name);
    let (Some(at), None) = (places.next(), places.next()) else {
        return None;
    };
    let (brackets, end) = subscripts(text, at + parameter.name.len());
    let span = Span::new(of.file, of.start + at as u32, of.start + end as u32);
    (brackets.len() == 1).then_some(span)
}

/// A vector in front of the statement of the first load, its parts in place of the loads.
fn loads(place: &GroupText, members: &Members, name: &str) -> Option<Vec<Edit>> {
    let Members {
        spans,
        address,
        hint,
        element,
        vector,
        base: _,
    } = members;
    let first = spans.iter().min_by_key(|span| span.start)?;
    let last = spans.iter().max_by_key(|span| span.end)?;
    let start = statement(place.blanked, first.start as usize)?;
    place.straight_between(start, last.end as usize)?;
    // A macro that reads an element as another type may take its address as one that is no constant.
    let constant = if element.is_some() { "const " } else { "" };
    let of = vector.name;
    let pointer = format!("reinterpret_cast<const {of} *>({address})");
    let value = match hint {
        Some(function) => format!("{function}({pointer})"),
        None => format!("*{pointer}"),
    };
    let gap = place.gap(start);
    let mut edits = vec![Edit {
        span: Span::new(first.file, start as u32, start as u32),
        replacement: format!("{constant}{of} {name} = {value};{gap}"),
    }];
    let parts = spans.iter().enumerate().map(|(at, span)| Edit {
        span: *span,
        replacement: vector.part(name, element.as_deref().unwrap_or_default(), at),
    });
    edits.extend(parts);
    Some(edits)
}

/// A vector that the statements write into, and that is stored behind the last of them.
fn stores(place: &GroupText, members: &Members, name: &str) -> Option<Vec<Edit>> {
    let Members {
        spans,
        address,
        element,
        vector,
        ..
    } = members;
    let element = element.as_deref()?;
    let first = spans.iter().min_by_key(|span| span.start)?;
    let last = spans.iter().max_by_key(|span| span.start)?;
    let is_statement = |span: &Span| is_assigned(place.blanked, *span);
    spans.iter().all(is_statement).then_some(())?;
    let start = first.start as usize;
    let end = end_of_statement(place.blanked, last.start as usize)?;
    place.straight_between(start, end)?;
    let of = vector.name;
    let count = spans.len();
    let (declared, value) = if vector.has_members {
        (format!("{of} {name};"), name.to_owned())
    } else {
        let bytes = format!("alignas({of}) {element} {name}[{count}];");
        (bytes, format!("*reinterpret_cast<const {of} *>({name})"))
    };
    let at = |at: usize, replacement: String| Edit {
        span: Span::new(first.file, at as u32, at as u32),
        replacement,
    };
    let gap = place.gap(start);
    let mut edits = vec![at(
        end,
        format!("{gap}*reinterpret_cast<{of} *>({address}) = {value};"),
    )];
    for (index, span) in spans.iter().enumerate() {
        let part = if vector.has_members {
            vector.part(name, element, index)
        } else {
            format!("{name}[{index}]")
        };
        // What declares the vector stands where the first statement begins.
        let replacement = if span == first {
            format!("{declared}{gap}{part}")
        } else {
            part
        };
        edits.push(Edit {
            span: *span,
            replacement,
        });
    }
    Some(edits)
}

/// Vectors in front of a short loop, or behind it, and their elements in the loop.
fn in_loop(
    place: &GroupText,
    kernel: &Kernel,
    group: &Group,
    members: &Members,
    name: &str,
) -> Option<Vec<Edit>> {
    let span = *members.spans.first()?;
    let element = members.element.as_deref()?;
    let around = Loop::around(place.blanked, kernel.span.end as usize, span)?;
    let of = members.vector.name;
    let pieces = group.pieces();
    let address = |piece: u32| {
        let turn = piece * group.bytes() / group.width;
        around.in_turn(&members.address, turn)
    };
    let at = |at: usize, replacement: String| Edit {
        span: Span::new(span.file, at as u32, at as u32),
        replacement,
    };
    let counter = &around.counter;
    // Directives may stand at the left edge.
    let indent = around.indent(place.text);
    let gap = format!("\n{indent}");
    let line = place.text[..around.start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let is_own_line = place.text[line..around.start].trim().is_empty();
    let before = |declared: String| {
        if is_own_line {
            at(line, format!("{indent}{declared}\n"))
        } else {
            at(around.start, format!("{declared} "))
        }
    };
    if group.op != Op::Load {
        let is_first = around.body.start == span.start as usize;
        let rest = place.blanked.get(span.end as usize..)?.trim_start();
        let is_plain = rest.starts_with('=') && !rest.starts_with("==");
        let is_statement = is_assigned(place.blanked, span) || is_first && is_plain;
        is_statement.then_some(())?;
        let stored = (0..pieces).map(|piece| {
            format!(
                "{gap}*reinterpret_cast<{of} *>({}) = reinterpret_cast<const {of} *>({name})[{piece}];",
                address(piece)
            )
        });
        return Some(vec![
            before(format!("alignas({of}) {element} {name}[{}];", group.turns)),
            Edit {
                span,
                replacement: format!("{name}[{counter}]"),
            },
            at(around.end, stored.collect()),
        ]);
    }
    let value = |piece: u32| {
        let pointer = format!("reinterpret_cast<const {of} *>({})", address(piece));
        match members.hint {
            Some(function) => format!("{function}({pointer})"),
            None => format!("*{pointer}"),
        }
    };
    let values: Vec<String> = (0..pieces).map(value).collect();
    let (declared, bytes) = if pieces == 1 {
        (
            format!("const {of} {name} = {};", values[0]),
            format!("&{name}"),
        )
    } else {
        (
            format!("const {of} {name}[{pieces}] = {{{}}};", values.join(", ")),
            name.to_owned(),
        )
    };
    Some(vec![
        before(declared),
        Edit {
            span,
            replacement: format!("reinterpret_cast<const {element} *>({bytes})[{counter}]"),
        },
    ])
}
