//! Fixtures, read and analysed once, and lists of what is wrong with them.

use cudalint::fixture::{self, Fixture, FixtureLaunch};
use cudalint::gpu::Arch;
use cudalint::ir::Kernel;
use cudalint::prove::verdict::Access;
use cudalint::session::{self, Analysis, Options};
use cudalint::source::{FileId, SourceFile, Span};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program that tests start: the one just built, or, to see which of them an older one fails, that of `CUDALINT_BIN`.
pub fn program() -> PathBuf {
    let named = std::env::var_os("CUDALINT_BIN");
    named.map_or_else(|| env!("CARGO_BIN_EXE_cudalint").into(), PathBuf::from)
}

/// A fixture file with its analysis.
pub struct Case {
    /// Relative to `fixtures/`.
    pub name: String,
    /// The file as it stands.
    pub source: SourceFile,
    pub fixture: Fixture,
    pub arch: Arch,
    /// Off where the kernel holds something without a value.
    pub is_simulated: bool,
    pub analysis: Analysis,
}

impl Case {
    /// `12:5: text`
    pub fn at(&self, span: Span) -> String {
        let place = self.source.line_column(span.start);
        let text = self
            .source
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("");
        format!(
            "{}:{}: `{}`",
            place.line,
            place.column,
            text.lines().next().unwrap_or("")
        )
    }

    /// The launches of the file that an access may speak of: those of its kernel and block
    /// shape. Launches that differ in their grid alone may share one verdict.
    pub fn launches_of<'a>(
        &'a self,
        access: &'a Access,
    ) -> impl Iterator<Item = &'a FixtureLaunch> {
        self.fixture.launches.iter().filter(|launch| {
            launch.kernel == *access.kernel
                && launch.template == without_blanks(&access.instance)
                && fits(access.launch.block, launch.block)
        })
    }

    /// The kernel that a launch runs.
    pub fn kernel_of(&self, launch: &FixtureLaunch) -> Option<&Kernel> {
        self.analysis.program.kernels.iter().find(|kernel| {
            kernel.name == launch.kernel && without_blanks(&kernel.instance) == launch.template
        })
    }
}

/// Whether a shape, as far as it is known, is the given one.
pub fn fits(known: [Option<u64>; 3], given: [u32; 3]) -> bool {
    known
        .iter()
        .zip(given)
        .all(|(known, given)| known.is_none_or(|known| known == u64::from(given)))
}

pub fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Every fixture, by name.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folder = root().join("fixtures");
    let mut paths = Vec::new();
    collect(&folder, "cu", &mut paths);
    assert!(
        paths.len() > 100,
        "fixtures are missing under {}",
        folder.display()
    );
    paths.into_iter().map(|path| case(&folder, &path)).collect()
});

/// Files under `folder` with this extension, by path.
pub fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
}

fn case(folder: &Path, path: &Path) -> Case {
    let name = path
        .strip_prefix(folder)
        .expect("a fixture")
        .display()
        .to_string();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    analysed(name, &text)
}

/// Analyses a fixture given as text.
pub fn analysed(name: String, text: &str) -> Case {
    let source = SourceFile::new(PathBuf::from(&name), text.into());
    let fixture = fixture::read(text, FileId(0)).unwrap_or_else(|problems| {
        let line = |problem: &fixture::Problem| {
            format!(
                "{name}:{}: {}",
                source.line(problem.span.start),
                problem.message
            )
        };
        panic!(
            "{}",
            problems.iter().map(line).collect::<Vec<_>>().join("\n")
        )
    });
    let (options, is_simulated) = options_of(&name, &fixture);
    let arch = options.arch;
    let analysis = session::analyse_text(&name, text, &options);
    Case {
        name,
        source,
        fixture,
        arch,
        is_simulated,
        analysis,
    }
}

/// Analyses text as the directives of a fixture say, with or without looking for fixes.
pub fn analysed_with(name: &str, text: &str, fixture: &Fixture, fixes: bool) -> Analysis {
    let (options, _) = options_of(name, fixture);
    session::analyse_text(name, text, &Options { fixes, ..options })
}

/// The options of a fixture, and whether it is simulated.
fn options_of(name: &str, fixture: &Fixture) -> (Options, bool) {
    let mut options = Options {
        fixes: false,
        reads_disk: false,
        ..Options::default()
    };
    let mut is_simulated = true;
    for option in &fixture.options {
        match option.key.as_str() {
            "arch" => {
                options.arch =
                    Arch::parse(&option.value).unwrap_or_else(|why| panic!("{name}: {why}"))
            }
            "define" => {
                let (define, value) = match option.value.split_once('=') {
                    Some((define, value)) => (define, Some(value.to_owned())),
                    None => (option.value.as_str(), None),
                };
                options.defines.push((define.to_owned(), value));
            }
            "simulate" => is_simulated = option.value != "no",
            // Whether a GPU's compiler takes the file is no concern here.
            "measure" => {}
            other => panic!("{name}: `//@ option {other}` is not known to the tests"),
        }
    }
    (options, is_simulated)
}

/// Collects what is wrong, file by file, and fails once with all of it.
#[derive(Default)]
pub struct Mismatches {
    text: String,
    files: usize,
}

impl Mismatches {
    pub fn file(&mut self, name: &str, problems: &[String]) {
        if problems.is_empty() {
            return;
        }
        self.files += 1;
        let _ = writeln!(self.text, "\n{name}");
        for problem in problems {
            let _ = writeln!(self.text, "  {problem}");
        }
    }

    pub fn finish(self) {
        assert!(
            self.files == 0,
            "{} files disagree:\n{}",
            self.files,
            self.text
        );
    }
}

/// An empty folder that is removed in the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("cudalint-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a file")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
