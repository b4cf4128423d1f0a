//! A check of the checks: errors put into the prover on purpose must make a test fail.
//!
//! ```text
//! cargo run --example mutants -- [WORD] [--shard I/N] [--jobs N] [--suites judge::,sums::]
//! cargo run --example mutants -- [WORD] [--shard I/N] [--jobs N] --judge SECONDS [--binary FILE]
//! ```
//!
//! Given `tests/mutants.toml`, copies the sources aside and makes all changes there, each behind a
//! switch of its own. Then runs the suites that judge verdicts with one switch on after the other
//! (those whose description holds WORD) and prints which of the changes they noticed. Ends with 1
//! if one was not noticed, with 2 if the suites fail where nothing is switched on. `--shard 2/8` runs the second of
//! eight parts of the list, `--jobs` so many mutants at a time, `--suites` only those. With `--judge` no suite
//! runs: another compiler judges the release binary of the copy, so many seconds for each mutant, which is noticed where
//! a verdict is wrong, and refused where what it states is not proved and so leaves costs open. `--binary` is
//! one that an earlier run built, for a machine without cargo; `--judge 0` only builds it.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Deserialize)]
struct Mutants {
    mutant: Vec<Mutant>,
}

#[derive(Deserialize)]
struct Mutant {
    why: String,
    file: PathBuf,
    find: String,
    replace: String,
}

/// Suites that hold verdicts to the simulator and to what fixtures say, and the prover's own tests; the quick ones
/// first, for the first that fails ends a mutant.
const SUITES: [&str; 8] = [
    "certificates::",
    "fixtures::",
    "sums::",
    "prove::",
    "oracle::",
    "measured::",
    "generated::",
    "judge::",
];

/// What the copy's library gets: whether a mutant is switched on.
const SWITCH: &str = r#"
#[must_use]
pub(crate) fn is_mutated(number: usize) -> bool {
    static ON: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("CUDALINT_MUTANT").ok()?.parse().ok()) == Some(number)
}
"#;

/// What is run.
struct Options {
    word: String,
    /// Which part of the list, of how many.
    shard: (usize, usize),
    jobs: usize,
    suites: Vec<String>,
    /// How long another compiler judges each mutant, where it does.
    judge: Option<u64>,
    binary: Option<PathBuf>,
}

impl Options {
    fn read() -> Result<Self, Box<dyn std::error::Error>> {
        let mut out = Self {
            word: String::new(),
            shard: (1, 1),
            jobs: 1,
            suites: SUITES.map(str::to_owned).to_vec(),
            judge: None,
            binary: None,
        };
        let mut given = std::env::args().skip(1);
        while let Some(one) = given.next() {
            let mut value = || given.next().ok_or(format!("{one} needs a value"));
            match one.as_str() {
                "--shard" => {
                    let text = value()?;
                    let (part, parts) = text.split_once('/').ok_or("--shard wants I/N")?;
                    out.shard = (part.parse()?, parts.parse()?);
                }
                "--jobs" => out.jobs = value()?.parse()?,
                "--suites" => out.suites = value()?.split(',').map(str::to_owned).collect(),
                "--judge" => out.judge = Some(value()?.parse()?),
                "--binary" => out.binary = Some(value()?.into()),
                _ => out.word = one,
            }
        }
        Ok(out)
    }
}

fn main() -> ExitCode {
    match Options::read().and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Answer<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = std::fs::read_to_string(root.join("tests/mutants.toml"))?;
    let mutants = toml::from_str::<Mutants>(&list)?.mutant;
    let copy = root.join("target/mutants");
    if options.binary.is_none() {
        put_switches(root, &copy, &mutants)?;
    }
    let (part, parts) = options.shard;
    let chosen: Vec<usize> = (0..mutants.len())
        .filter(|number| mutants[*number].why.contains(&options.word))
        .filter(|number| number % parts.max(1) + 1 == part)
        .collect();
    match options.judge {
        Some(seconds) => judge(options, &copy, &mutants, &chosen, seconds),
        None => run_suites(options, &copy, &mutants, &chosen),
    }
}

/// Copies the sources, with every change behind its switch.
fn put_switches(root: &Path, copy: &Path, mutants: &[Mutant]) -> Answer<()> {
    std::fs::create_dir_all(copy)?;
    for name in ["Cargo.toml", "Cargo.lock", "build.rs"] {
        std::fs::copy(root.join(name), copy.join(name))?;
    }
    for folder in [
        "src", "tests", "benches", "examples", "fixtures", "rules", "docs", "editors",
    ] {
        copy_folder(&root.join(folder), &copy.join(folder))?;
    }
    for (number, mutant) in mutants.iter().enumerate() {
        let path = copy.join(&mutant.file);
        let text = std::fs::read_to_string(&path)?;
        if text.matches(&mutant.find).count() != 1 {
            return Err(format!(
                "`{}` does not occur once in {}",
                mutant.find,
                mutant.file.display()
            )
            .into());
        }
        let switched = mutant
            .replace
            .replace("MUTATED", &format!("crate::is_mutated({number})"));
        std::fs::write(&path, text.replacen(&mutant.find, &switched, 1))?;
    }
    let library = copy.join("src/lib.rs");
    let text = std::fs::read_to_string(&library)?;
    std::fs::write(&library, text + SWITCH)?;
    Ok(())
}

/// Has another compiler judge the binary with one change after the other switched on.
fn judge(
    options: &Options,
    copy: &Path,
    mutants: &[Mutant],
    chosen: &[usize],
    seconds: u64,
) -> Answer<bool> {
    let binary = if let Some(binary) = &options.binary {
        binary.clone()
    } else {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--release", "--bin", "cudalint"])
            .current_dir(copy)
            .env("CARGO_TARGET_DIR", copy.join("target"))
            .status()?;
        if !built.success() {
            return Err("the binary with the switches does not build".into());
        }
        copy.join("target/release/cudalint")
    };
    println!("binary       {}", binary.display());
    if seconds == 0 {
        return Ok(true);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let batches = (cores / options.jobs.max(1)).max(1).to_string();
    let judged = |mutant: Option<usize>| -> Answer<Judged> {
        let mut run = Command::new(&binary);
        run.args(["judge", "--as-generated", "--jobs", &batches])
            .args(["--seconds", &seconds.to_string()]);
        if let Some(number) = mutant {
            run.env("CUDALINT_MUTANT", number.to_string());
        }
        let output = run.output()?;
        Ok(Judged {
            agrees: output.status.success(),
            open: open_share(&String::from_utf8_lossy(&output.stdout)),
        })
    };
    let sound = judged(None)?;
    if !sound.agrees {
        return Err("the judge finds something where nothing is switched on".into());
    }
    let through = each(chosen, options.jobs, |number| {
        let mutant = judged(Some(number))?;
        // A claim that Z3 does not prove leaves the cost open: what is wrong is said of nothing.
        let is_refused = mutant.open > 2.0 * sound.open;
        let says = match (mutant.agrees, is_refused) {
            (false, _) => "noticed",
            (true, true) => "refused",
            (true, false) => "NOT NOTICED",
        };
        println!("{says:12} {}", mutants[number].why);
        Ok(mutant.agrees && !is_refused)
    })?;
    Ok(through.is_empty())
}

/// What another compiler said of a binary.
struct Judged {
    agrees: bool,
    /// The share of requests for which no verdict states a cost.
    open: f64,
}

/// `… 9709348 requests compared, 42973 outside of assumptions, 1290468 open, …` gives 0.12.
fn open_share(report: &str) -> f64 {
    let number_before = |words: &str| {
        let line = report.lines().find(|line| line.contains(words))?;
        let before = line.split(words).next()?;
        before.rsplit(' ').next()?.parse::<f64>().ok()
    };
    let compared = number_before(" requests compared").unwrap_or(0.0);
    let open = number_before(" open,").unwrap_or(0.0);
    open / (compared + open).max(1.0)
}

/// Runs the suites with one change after the other switched on.
fn run_suites(
    options: &Options,
    copy: &Path,
    mutants: &[Mutant],
    chosen: &[usize],
) -> Answer<bool> {
    let targets = [["--test", "suite"].as_slice(), &["--lib"]];
    let passes = |target: &[&str], mutant: Option<usize>| passes(copy, options, target, mutant);
    build(copy, targets[0])?;
    if !passes(targets[0], None)? {
        return Err("the suites fail where nothing is switched on".into());
    }
    let through = each(chosen, options.jobs, |number| {
        let is_noticed = !passes(targets[0], Some(number))?;
        if is_noticed {
            println!("noticed      {}", mutants[number].why);
        }
        Ok(!is_noticed)
    })?;
    if through.is_empty() {
        return Ok(true);
    }
    // The library's own tests are another build: they are asked only of what the suites let through.
    build(copy, targets[1])?;
    if !passes(targets[1], None)? {
        return Err("the library's tests fail where nothing is switched on".into());
    }
    let through = each(&through, options.jobs, |number| {
        let is_noticed = !passes(targets[1], Some(number))?;
        let says = if is_noticed { "noticed" } else { "NOT NOTICED" };
        println!("{says:12} {}", mutants[number].why);
        Ok(!is_noticed)
    })?;
    Ok(through.is_empty())
}

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

/// The numbers of which `ask` says yes, `jobs` asked at a time.
fn each(
    numbers: &[usize],
    jobs: usize,
    ask: impl Fn(usize) -> Answer<bool> + Sync,
) -> Answer<Vec<usize>> {
    let next = AtomicUsize::new(0);
    let out: Mutex<Vec<(usize, Result<bool, String>)>> = Mutex::default();
    let worker = || {
        while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
            let answer = ask(*number).map_err(|error| error.to_string());
            if let Ok(mut out) = out.lock() {
                out.push((*number, answer));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let mut yes = Vec::new();
    for (number, answer) in out.into_inner()? {
        if answer? {
            yes.push(number);
        }
    }
    yes.sort_unstable();
    Ok(yes)
}

fn cargo(folder: &Path, target: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["test", "--quiet"])
        .args(target)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .stdout(Stdio::null());
    command
}

fn build(folder: &Path, target: &[&str]) -> Answer<()> {
    let build = cargo(folder, target).arg("--no-run").output()?;
    if build.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&build.stderr).into_owned().into())
}

/// Whether the suites pass with that mutant switched on.
fn passes(
    folder: &Path,
    options: &Options,
    target: &[&str],
    mutant: Option<usize>,
) -> Answer<bool> {
    // What one mutant has proved is not for the next.
    let name = mutant.map_or("none".to_owned(), |number| number.to_string());
    let cache = folder.join("caches").join(name);
    if cache.exists() {
        std::fs::remove_dir_all(&cache)?;
    }
    for suite in &options.suites {
        let mut run = cargo(folder, target);
        run.args(["--", suite]).stderr(Stdio::null());
        run.env("XDG_CACHE_HOME", &cache);
        if let Some(number) = mutant {
            run.env("CUDALINT_MUTANT", number.to_string());
        }
        if !run.status()?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "node_modules" {
                copy_folder(&entry.path(), &target)?;
            }
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
