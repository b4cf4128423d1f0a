//! What the fuzz targets share: stacks, files in memory, and what must hold of every answer.
//!
//! Given bytes, each target asks the library what a user could ask it. A panic, a hang or too
//! much memory is a find; so is an answer that contradicts itself. Nothing here reads the disk.

pub mod kernels;
pub mod messages;
pub mod typing;

use cudalint::report::{Format, Style};
use cudalint::session::{self, Analysis, Options};
use cudalint::source::{SourceFile, Span};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What the text of a run is called.
pub const NAME: &str = "fuzzed.cu";

/// Runs `work` where the command line runs it: on a worker with stack enough for deep trees. One
/// worker, so that a find can be repeated.
pub fn on_worker<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| session::workers(1).expect("a thread"));
    pool.install(work)
}

/// A run on texts alone.
#[must_use]
pub fn options() -> Options {
    Options {
        reads_disk: false,
        threads: 1,
        ..Options::default()
    }
}

/// The text of a main file, and headers that stand below lines of the form `//// name`.
#[must_use]
pub fn files(data: &[u8]) -> (Arc<SourceFile>, Vec<Arc<SourceFile>>) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split("\n//// ");
    let main = parts.next().unwrap_or_default();
    let header = |part: &str| {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        Arc::new(SourceFile::new(PathBuf::from(name.trim()), text.into()))
    };
    let headers = parts.map(header).collect();
    (
        Arc::new(SourceFile::new(PathBuf::from(NAME), main.into())),
        headers,
    )
}

/// Whole analysis of a text with its headers, fixes looked for.
#[must_use]
pub fn analysis(data: &[u8]) -> Analysis {
    let (main, overlay) = files(data);
    let options = Options {
        overlay,
        ..options()
    };
    on_worker(|| session::analyse(&[main], &options))
}

/// Every place lies in its file, on a boundary of characters, and every report can be written.
pub fn check(analysis: &Analysis) {
    let inside = |span: Span| {
        let file = analysis.sources.get(span.file);
        assert!(span.start <= span.end, "{span:?} ends before it starts");
        assert!(
            file.text
                .get(span.start as usize..span.end as usize)
                .is_some(),
            "{span:?} is no part of {}",
            file.path.display()
        );
    };
    for access in &analysis.accesses {
        inside(access.kernel_span);
        inside(access.site.span);
        inside(access.site.line);
        let verdict = &access.verdict;
        assert!(
            verdict.min <= verdict.max,
            "bounds are the wrong way round: {verdict:?}"
        );
    }
    for one in &analysis.not_analysed {
        inside(one.span);
    }
    for finding in &analysis.findings {
        inside(finding.primary.span);
        for edit in finding.fixes.iter().flat_map(|fix| &fix.edits) {
            inside(edit.span);
        }
    }
    for (_, format) in Format::ALL {
        let _ = format.render(&analysis.report(options().arch), Style::default());
    }
    let _ = cudalint::report::accesses::render(&analysis.report(options().arch), &[]);
}

/// What two analyses of one text must have in common, as text.
#[must_use]
pub fn said(analysis: &Analysis) -> String {
    let report = analysis.report(options().arch);
    let mut text = cudalint::report::accesses::render(&report, &[]);
    text.push_str(&cudalint::report::json::render(&report));
    text
}

/// A place that no disk has.
#[must_use]
pub fn nowhere() -> &'static Path {
    Path::new("/nowhere")
}
