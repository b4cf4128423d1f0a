//! What fuzzers found, and mutations of the fixtures: none of them breaks the analysis.
//!
//! Found inputs lie in `tests/hostile/`, by what reads them: `.cu`, `.toml`, `.csv`. Mutations
//! come from a fixed seed. `CUDALINT_MUTATIONS=20000` tries more of them.

use crate::support::{collect, root};
use cudalint::config::Config;
use cudalint::gpu::{Arch, cost_csv};
use cudalint::report::{Format, Style};
use cudalint::session::{self, Options};
use cudalint::validate::reconcile;
use std::path::{Path, PathBuf};

const DEFAULT_MUTATIONS: usize = 400;

fn options(fixes: bool) -> Options {
    Options {
        fixes,
        reads_disk: false,
        ..Options::default()
    }
}

/// The whole analysis, and every report of it.
fn play(name: &str, bytes: &[u8], fixes: bool) {
    // Shown where it fails.
    println!("{name}");
    let text = String::from_utf8_lossy(bytes);
    let options = options(fixes);
    let analysis = session::analyse_text("replayed.cu", &*text, &options);
    for (_, format) in Format::ALL {
        let _ = format.render(&analysis.report(options.arch), Style::default());
    }
}

fn found(extension: &str) -> Vec<(String, Vec<u8>)> {
    let folder = root().join("tests/hostile");
    let mut paths = Vec::new();
    collect(&folder, extension, &mut paths);
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        (path.display().to_string(), bytes)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn found_kernels_are_survived() {
    let found = found("cu");
    assert!(!found.is_empty());
    for (name, bytes) in found {
        play(&name, &bytes, true);
    }
}

#[test]
fn found_tables_and_configurations_are_survived() {
    for (_, bytes) in found("toml") {
        let text = String::from_utf8_lossy(&bytes);
        let _ = Config::read(Path::new("cudalint.toml"), &text, &[]);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let _ = Config::read(Path::new("cudalint.toml"), "", &lines);
    }
    for (_, bytes) in found("csv") {
        let _ = cost_csv::run(&bytes, Arch::DEFAULT).render();
        if let Ok(profiled) = reconcile::read(&String::from_utf8_lossy(&bytes)) {
            let analysis = session::analyse_text("a.cu", super::HEALTHY, &options(false));
            let _ = reconcile::reconcile(&profiled, &analysis, &Arch::DEFAULT).text();
        }
    }
}

#[test]
fn mutated_fixtures_are_survived() {
    let mutations = std::env::var("CUDALINT_MUTATIONS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(DEFAULT_MUTATIONS);
    let mut paths = Vec::new();
    collect(&root().join("fixtures"), "cu", &mut paths);
    let texts: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| std::fs::read(path).expect("a fixture"))
        .collect();
    let mut dice = Dice(0x00C0_FFEE);
    for round in 0..mutations {
        let at = dice.below(texts.len());
        let mut bytes = texts[at].clone();
        for _ in 0..=dice.below(4) {
            mutate(&mut bytes, &texts[dice.below(texts.len())], &mut dice);
        }
        play(
            &format!("round {round}, of {}", paths[at].display()),
            &bytes,
            false,
        );
    }
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// A part of something of this length, no longer than `most`.
    fn part(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(most + 1)).min(length)
    }
}

/// What is put where it does not belong.
const PIECES: [&str; 16] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<<<",
    ">>>",
    "/*",
    "\"",
    "\\\n",
    "#define T 1\n",
    "#if 0\n",
    "9223372036854775807",
    "template <",
    "::",
];

fn mutate(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let length = bytes.len();
    match dice.below(7) {
        0 if length > 0 => {
            let at = dice.below(length);
            bytes[at] ^= 1 << dice.below(8);
        }
        1 => {
            let part = dice.part(length, 60);
            bytes.drain(part);
        }
        2 => {
            let part = dice.part(length, 80);
            let copy = bytes[part].to_vec();
            let at = dice.below(length + 1);
            bytes.splice(at..at, copy);
        }
        3 => {
            let part = dice.part(other.len(), 200);
            let at = dice.part(length, 20);
            bytes.splice(at, other[part].iter().copied());
        }
        4 => {
            let at = dice.below(length + 1);
            bytes.splice(at..at, PIECES[dice.below(PIECES.len())].bytes());
        }
        5 => bytes.truncate(dice.below(length + 1)),
        // A number that is another.
        _ => {
            let digits: Vec<usize> = (0..length)
                .filter(|at| bytes[*at].is_ascii_digit())
                .collect();
            if let Some(at) = digits.get(dice.below(digits.len())) {
                bytes[*at] = b"0123456789"[dice.below(10)];
            }
        }
    }
}
