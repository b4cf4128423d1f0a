//! A kernel's source, each access marked in the colour of its worst verdict.

use super::{Class, Kernel, measured};
use crate::report::Report;
use crate::report::xml::escape;
use crate::source::{FileId, Span};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Lines shown around accesses outside of the kernel itself.
const AROUND: u32 = 2;
/// Lines between two shown ones that are shown as well rather than left out.
const GAP: u32 = 6;

/// One access expression with all of its verdicts.
struct Mark {
    span: Span,
    class: Class,
    numbers: Vec<usize>,
}

pub(super) fn render(report: &Report, kernel: &Kernel, out: &mut String) {
    let mut marks: BTreeMap<Span, Mark> = BTreeMap::new();
    for (number, access) in &kernel.accesses {
        let class = Class::of(&access.verdict);
        let mark = marks.entry(access.site.span).or_insert_with(|| Mark {
            span: access.site.span,
            class,
            numbers: Vec::new(),
        });
        mark.class = mark.class.max(class);
        mark.numbers.push(*number);
    }
    let mut files: Vec<FileId> = vec![kernel.span.file];
    for mark in marks.values() {
        if !files.contains(&mark.span.file) {
            files.push(mark.span.file);
        }
    }
    for file in files {
        let own: Vec<&Mark> = marks
            .values()
            .filter(|mark| mark.span.file == file)
            .collect();
        let head = (kernel.span.file == file).then_some(kernel.span);
        listing(report, file, head, &own, out);
    }
}

/// Ranges of lines worth showing: from the kernel's head on, and around each access.
fn ranges(report: &Report, file: FileId, head: Option<Span>, marks: &[&Mark]) -> Vec<(u32, u32)> {
    let source = report.sources.get(file);
    // A last line end leaves an empty line behind that is no line.
    let last = source.line_count() - u32::from(source.text.ends_with('\n'));
    let spans = head.into_iter().chain(marks.iter().map(|mark| mark.span));
    let mut wanted: Vec<(u32, u32)> = spans
        .map(|span| {
            let (from, to) = (source.line(span.start), source.line(span.end));
            (from.saturating_sub(AROUND).max(1), (to + AROUND).min(last))
        })
        .collect();
    wanted.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (from, to) in wanted {
        match merged.last_mut() {
            Some((_, end)) if from <= *end + GAP => *end = to.max(*end),
            _ => merged.push((from, to)),
        }
    }
    merged
}

fn listing(report: &Report, file: FileId, head: Option<Span>, marks: &[&Mark], out: &mut String) {
    let source = report.sources.get(file);
    let path = source.path.display().to_string();
    let counted = measured::gutter(report, &path);
    let widest = counted.values().map(String::len).max();
    let _ = writeln!(
        out,
        "<p class=\"file\">{}</p>\n<pre class=\"source\">",
        escape(&path)
    );
    for (at, (from, to)) in ranges(report, file, head, marks).into_iter().enumerate() {
        if at > 0 {
            out.push_str("<span class=\"gap\">⋯</span>\n");
        }
        for line in from..=to {
            let start = source.line_start(line).unwrap_or(0);
            let text = source.line_text(line);
            let _ = write!(out, "<span class=\"n\">{line:>5}</span> ");
            if let Some(width) = widest {
                let cell = counted.get(&line).map_or("", String::as_str);
                let title = match cell {
                    "" => "",
                    _ => " title=\"measured: cost of a request, and its ideal\"",
                };
                let _ = write!(out, "<span class=\"n\"{title}>{cell:>width$}</span> ");
            }
            marked(text, start, marks, out);
            out.push('\n');
        }
    }
    out.push_str("</pre>\n");
}

/// One line with its marks; `start` is its first byte in the file.
fn marked(text: &str, start: u32, marks: &[&Mark], out: &mut String) {
    let end = start + text.len() as u32;
    let mut open: Vec<u32> = Vec::new();
    let mut here: Vec<(u32, u32, &Mark)> = marks
        .iter()
        .filter(|mark| mark.span.start < end && mark.span.end > start)
        .map(|mark| (mark.span.start.max(start), mark.span.end.min(end), *mark))
        .collect();
    here.sort_by_key(|(from, to, _)| (*from, std::cmp::Reverse(*to)));
    let mut at = start;
    let piece = |from: u32, to: u32| {
        let part = text.get((from - start) as usize..(to - start) as usize);
        escape(part.unwrap_or(""))
    };
    for (from, to, mark) in here {
        while let Some(close) = open.last().copied().filter(|close| *close <= from) {
            out.push_str(&piece(at, close));
            out.push_str("</a>");
            at = close;
            open.pop();
        }
        out.push_str(&piece(at, from));
        at = from;
        // A mark inside of another ends with it at the latest.
        let to = open.last().map_or(to, |outer| to.min(*outer));
        let numbers: Vec<String> = mark.numbers.iter().map(usize::to_string).collect();
        let first = numbers.first().map_or("", String::as_str);
        let _ = write!(
            out,
            "<a class=\"mark {}\" href=\"#a{first}\" data-cards=\"{}\">",
            mark.class.name(),
            numbers.join(" ")
        );
        open.push(to);
    }
    while let Some(close) = open.pop() {
        out.push_str(&piece(at, close));
        out.push_str("</a>");
        at = close;
    }
    out.push_str(&piece(at, end));
}
