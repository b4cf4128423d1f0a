//! What each stage takes, on a text that uses most of what kernels use: the fixtures in one piece.
//!
//! `cargo bench --bench stages`. Numbers depend on the machine; `benches/instructions.sh` counts
//! instructions, which do not.

use cudalint::access::Walks;
use cudalint::session::{self, Options};
use cudalint::source::{Canonical, SourceFile, SourceMap};
use cudalint::syntax::{parse, preprocess};
use cudalint::{ir, prove, rules};
use divan::Bencher;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

fn main() {
    divan::main();
}

/// Fixtures of one kind, each a file.
static FILES: LazyLock<Vec<Arc<SourceFile>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shared");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the fixtures")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        Arc::new(SourceFile::new(path, text.into()))
    };
    paths.into_iter().map(read).collect()
});

fn options() -> Options {
    Options {
        reads_disk: false,
        threads: 1,
        ..Options::default()
    }
}

struct NoHeaders;

impl preprocess::Includes for NoHeaders {
    fn read(&self, _: &Path) -> Option<Arc<SourceFile>> {
        None
    }
}

fn expanded() -> Vec<preprocess::Expanded> {
    let mut sources = SourceMap::default();
    FILES
        .iter()
        .map(|file| {
            let main = sources.add_file(file.clone());
            preprocess::preprocess(
                main,
                &mut sources,
                &preprocess::Options::default(),
                &NoHeaders,
            )
        })
        .collect()
}

#[divan::bench]
fn preprocess_all(bencher: Bencher) {
    bencher.bench(expanded);
}

#[divan::bench]
fn parse_all(bencher: Bencher) {
    let texts = expanded();
    bencher.bench(|| {
        texts
            .iter()
            .map(|one| parse::parse(&one.text))
            .collect::<Vec<_>>()
    });
}

#[divan::bench]
fn preprocess_parse_and_lower(bencher: Bencher) {
    bencher.bench(|| session::read(&FILES, &options()));
}

#[divan::bench]
fn prove_all(bencher: Bencher) {
    let program = session::read(&FILES, &options()).program;
    bencher.bench(|| prove::analyse(&program, &prove::Options::default()));
}

#[divan::bench]
fn prove_without_z3(bencher: Bencher) {
    let program = session::read(&FILES, &options()).program;
    let options = prove::Options {
        prove: false,
        ..prove::Options::default()
    };
    bencher.bench(|| prove::analyse(&program, &options));
}

#[divan::bench]
fn judge_all(bencher: Bencher) {
    let analysis = session::read(&FILES, &options());
    let (accesses, _) = prove::analyse(&analysis.program, &prove::Options::default());
    let canonical = Canonical::of(&analysis.sources);
    let stopwatch = rules::stopwatch::Stopwatch::new(|| Duration::ZERO);
    bencher.bench(|| {
        let context = rules::Context {
            sources: &analysis.sources,
            canonical: &canonical,
            program: &analysis.program,
            walks: &Walks::default(),
            arch: &options().arch,
            stopwatch: &stopwatch,
        };
        rules::judge(&accesses, &context, None)
    });
}

#[divan::bench]
fn whole_run_with_fixes(bencher: Bencher) {
    bencher.bench(|| session::analyse(&FILES, &options()));
}

#[divan::bench]
fn dump_all(bencher: Bencher) {
    let program = session::read(&FILES, &options()).program;
    bencher.bench(|| {
        program
            .kernels
            .iter()
            .map(ir::dump::dump)
            .collect::<String>()
    });
}
