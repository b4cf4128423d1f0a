//! `cudalint explain`: the page of a rule, or the accesses on a line.

use super::args::{ExplainArgs, InputArgs};
use super::inputs::{self, Compare, Inputs};
use super::print;
use crate::finding::Safety;
use crate::prove::verdict::Access;
use crate::report::explain::{self, After, Subject};
use crate::report::visible;
use crate::rules;
use crate::session::{self, Analysis};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

pub fn run(args: &ExplainArgs) -> Result<u8, String> {
    if let Some(rule) = rules::find(&args.subject) {
        return Ok(print(rule.body));
    }
    match FileLine::read(&args.subject) {
        Some(place) => access(args, &place),
        None => Err(rules::select::unknown(&args.subject)),
    }
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`, both from 1.
struct FileLine {
    file: PathBuf,
    line: u32,
    column: Option<u32>,
}

impl FileLine {
    fn read(text: &str) -> Option<Self> {
        let (head, last) = text.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        let middle = head
            .rsplit_once(':')
            .and_then(|(file, line)| Some((file, line.parse().ok()?)));
        let (file, line, column) = match middle {
            Some((file, line)) => (file, line, Some(last)),
            None => (head, last, None),
        };
        (!file.is_empty()).then(|| Self {
            file: PathBuf::from(file),
            line,
            column,
        })
    }
}

fn access(args: &ExplainArgs, place: &FileLine) -> Result<u8, String> {
    let mut paths = vec![place.file.clone()];
    paths.extend(args.files.iter().cloned());
    let input = InputArgs {
        paths,
        arch: args.arch.clone(),
        defines: args.defines.clone(),
        undefines: Vec::new(),
        includes: args.includes.clone(),
        forced_includes: Vec::new(),
        jobs: 0,
        config: Vec::new(),
        limits: Vec::new(),
        isolated: false,
        stdin_filename: None,
        compile_commands: None,
        cuda_in_strings: false,
        no_cache: false,
        cache_dir: None,
        shared_cache: None,
        timings: false,
    };
    let Inputs {
        settings,
        loaded,
        code,
        ..
    } = inputs::read(&input, Compare::Nothing)?;
    let analysis = super::analyse(&loaded.files, &settings.options);
    let found: Vec<&Access> = analysis
        .accesses
        .iter()
        .filter(|access| stands_at(access, place, &analysis))
        .collect();
    if found.is_empty() {
        return Err(format!(
            "{}: no access to shared or global memory on line {}; `cudalint accesses {}` lists them",
            place.file.display(),
            place.line,
            place.file.display()
        ));
    }
    let color = super::check::wants_color(args.color, std::io::stdout().is_terminal());
    let texts: Vec<String> = found
        .into_iter()
        .map(|access| {
            let fix = analysis
                .findings
                .iter()
                .filter(|finding| finding.primary.span == access.site.span)
                .flat_map(|finding| &finding.fixes)
                .find(|fix| fix.safety != Safety::Advice);
            let renewed = fix.and_then(|fix| {
                let options = &settings.options;
                let after = session::after(&loaded.files, options, &analysis, access, &fix.edits)?;
                Some((fix, after))
            });
            let arch = &settings.options.arch;
            let shown = explain::with_request(access, &analysis.program, arch);
            let subject = Subject {
                access: &shown,
                sources: &analysis.sources,
                program: &analysis.program,
                arch,
            };
            let after = renewed.as_ref().map(|(fix, access)| After {
                title: &fix.title,
                access,
            });
            // A text that brings escapes of its own gets none of ours.
            let plain = explain::render(subject, after, false);
            let shown = visible::text(&plain);
            if color && shown == plain {
                explain::render(subject, after, true)
            } else {
                shown
            }
        })
        .collect();
    Ok(code.max(print(&texts.join("\n"))))
}

fn stands_at(access: &Access, place: &FileLine, analysis: &Analysis) -> bool {
    let span = access.site.span;
    let file = analysis.sources.get(span.file);
    let (start, end) = (file.line_column(span.start), file.line_column(span.end));
    let is_file = file.path == place.file || same_file(&file.path, &place.file);
    let is_column = place.column.is_none_or(|column| {
        let after = (start.line, start.column) <= (place.line, column);
        after && (place.line, column) < (end.line, end.column)
    });
    is_file && (start.line..=end.line).contains(&place.line) && is_column
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (std::path::absolute(a), std::path::absolute(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let read = |text: &str| {
            FileLine::read(text)
                .map(|place| (place.file.display().to_string(), place.line, place.column))
        };
        assert_eq!(read("a.cu:12"), Some(("a.cu".to_owned(), 12, None)));
        assert_eq!(read("a.cu:12:5"), Some(("a.cu".to_owned(), 12, Some(5))));
        assert_eq!(read("C:/a.cu:3"), Some(("C:/a.cu".to_owned(), 3, None)));
        assert_eq!((read("a.cu"), read(":3")), (None, None));
    }
}
