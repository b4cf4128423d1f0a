//! Diagnostics for people, in rustc's manner.
//!
//! The only file that names `codespan_reporting`.

use super::not_followed::gaps;
use super::{Report, Style, summary, visible};
use crate::finding::{Finding, Level, Safety};
use crate::ir::NotAnalysed;
use crate::rules;
use crate::source::{FileId, SourceMap, Span};
use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::{Buffer, Color, ColorSpec, WriteColor};
use codespan_reporting::term::{Config, emit_to_write_style};
use std::io::Write as _;
use std::ops::Range;

/// Functions not analysed that are listed without being asked for.
const LISTED: usize = 8;

struct View<'a>(&'a SourceMap);

impl<'a> Files<'a> for View<'a> {
    type FileId = u32;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: u32) -> Result<String, Error> {
        Ok(visible::path(&self.0.get(FileId(id)).path))
    }

    fn source(&'a self, id: u32) -> Result<&'a str, Error> {
        Ok(&self.0.get(FileId(id)).text)
    }

    fn line_index(&'a self, id: u32, byte: usize) -> Result<usize, Error> {
        Ok(self.0.get(FileId(id)).line(byte as u32) as usize - 1)
    }

    fn line_range(&'a self, id: u32, line: usize) -> Result<Range<usize>, Error> {
        let file = self.0.get(FileId(id));
        let start = file
            .line_start(line as u32 + 1)
            .ok_or(Error::LineTooLarge {
                given: line,
                max: file.line_count() as usize,
            })?;
        let end = file
            .line_start(line as u32 + 2)
            .unwrap_or(file.text.len() as u32);
        Ok(start as usize..end as usize)
    }
}

/// Every finding with its place, then what was not analysed, then the summary.
#[must_use]
pub fn render(report: &Report, style: Style) -> String {
    let mut out = if style.color {
        Buffer::ansi()
    } else {
        Buffer::no_color()
    };
    let view = View(report.sources);
    let config = Config::default();
    for finding in report.findings {
        if !style.verbose {
            let _ = write!(out, "{}", super::screen::finding(report, finding, style));
            continue;
        }
        let diagnostic = diagnostic(report, finding);
        // Writing to memory fails only for spans outside of their file; the finding is then told without its lines.
        if emit_to_write_style(&mut out, &config, &view, &diagnostic).is_err() {
            let _ = writeln!(
                out,
                "{}[{}]: {}\n",
                super::severity(finding.level),
                finding.code,
                finding.message
            );
        }
    }
    notes(report, style, &mut out);
    let _ = write!(out, "{}", super::screen::end(report, style));
    let _ = write!(out, "{}", summary(report));
    let text = String::from_utf8(out.into_inner());
    let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if style.links && style.verbose {
        linked(text)
    } else {
        text
    }
}

/// Turns each `[CODE]` of a head line into a link to the rule's page (OSC 8).
fn linked(mut text: String) -> String {
    for rule in rules::all() {
        let code = rule.code;
        let link = format!(
            "[\x1b]8;;{}\x1b\\{code}\x1b]8;;\x1b\\]",
            rules::page_url(rule.name)
        );
        for head in ["error", "warning", "note"] {
            text = text.replace(&format!("{head}[{code}]"), &format!("{head}{link}"));
        }
    }
    text
}

fn diagnostic(report: &Report, finding: &Finding) -> Diagnostic<u32> {
    let severity = match finding.level {
        Level::Error => Severity::Error,
        Level::Warn => Severity::Warning,
        Level::Info | Level::Allow => Severity::Note,
    };
    let range = |span: Span| span.start as usize..span.end as usize;
    let primary = Label::primary(finding.primary.span.file.0, range(finding.primary.span))
        .with_message(&finding.primary.text);
    let secondary = finding.secondary.iter().map(|label| {
        Label::secondary(label.span.file.0, range(label.span)).with_message(&label.text)
    });
    let helps = finding.fixes.iter().map(|fix| match fix.safety {
        Safety::Safe => format!("help: {} (applied by --fix)", fix.title),
        Safety::Unsafe => format!("help: {} (applied by --fix --unsafe-fixes)", fix.title),
        Safety::Advice => format!("help: {}", fix.title),
    });
    let siblings = finding.siblings.iter().map(|sibling| {
        let at = report.place(sibling.span);
        format!(
            "also {}:{}:{}: {} in `{}{}`",
            visible::path(at.path),
            at.start.line,
            at.start.column,
            sibling.message,
            sibling.kernel,
            sibling.instance
        )
    });
    Diagnostic::new(severity)
        .with_code(finding.code)
        .with_message(&finding.message)
        .with_labels(std::iter::once(primary).chain(secondary).collect())
        .with_notes(
            finding
                .notes
                .iter()
                .map(|note| note.text.clone())
                .chain(helps)
                .chain(siblings)
                .collect(),
        )
}

fn notes(report: &Report, style: Style, out: &mut Buffer) {
    let mut any = false;
    let mut line = |out: &mut Buffer, place: Option<Span>, message: &str| {
        any = true;
        let mut green = ColorSpec::new();
        green.set_fg(Some(Color::Green)).set_bold(true);
        let _ = out.set_color(&green);
        let _ = write!(out, "note");
        let _ = out.reset();
        let _ = match place.map(|span| report.place(span)) {
            Some(at) => writeln!(
                out,
                ": {}:{}:{}: {message}",
                visible::path(at.path),
                at.start.line,
                at.start.column
            ),
            None => writeln!(out, ": {message}"),
        };
    };
    let shown = if style.verbose { usize::MAX } else { LISTED };
    for NotAnalysed {
        function,
        span,
        reason,
        ..
    } in report.not_analysed.iter().take(shown)
    {
        let message = if function.is_empty() {
            format!("not analysed: {reason}")
        } else {
            format!("`{function}` was not analysed: {reason}")
        };
        line(out, Some(*span), &message);
    }
    if report.not_analysed.len() > shown {
        let rest = report.not_analysed.len() - shown;
        line(
            out,
            None,
            &format!("{rest} more not analysed; -v lists them"),
        );
    }
    if style.verbose {
        for one in report.not_followed {
            line(out, Some(one.span), &one.message());
        }
        for gap in gaps(report.not_followed, report.sources) {
            line(out, Some(gap.gap.span), &gap.message());
        }
        for note in report.notes {
            line(out, note.span, &note.message);
        }
    }
    if any {
        let _ = writeln!(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_link_to_their_pages() {
        let text = linked("warning[CL101]: x[CL101]\n".to_owned());
        let link = "warning[\x1b]8;;https://";
        assert!(
            text.starts_with(link) && text.contains("/rules/bank-conflict.md\x1b\\CL101\x1b]8;;")
        );
        assert!(text.ends_with("]: x[CL101]\n"));
    }
}
