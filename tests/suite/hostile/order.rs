//! The same bytes, whatever the number of threads, the order of files, and what a cache knows.

use crate::cli::{cudalint, stdout};
use crate::support::{Scratch, collect, root};
use std::path::PathBuf;

const COMMANDS: [&[&str]; 3] = [
    &["accesses"],
    &["check", "--exit-zero", "--format", "json"],
    &[
        "check",
        "--exit-zero",
        "--format",
        "full",
        "--level",
        "info",
    ],
];

fn fixtures() -> Vec<String> {
    let mut paths: Vec<PathBuf> = Vec::new();
    collect(&root().join("fixtures"), "cu", &mut paths);
    let relative = |path: PathBuf| {
        let path = path.strip_prefix(root()).expect("a fixture");
        path.display().to_string()
    };
    paths.into_iter().map(relative).collect()
}

#[test]
fn outputs_do_not_depend_on_threads_order_or_cache() {
    let scratch = Scratch::new("order");
    let cache = scratch.0.join("proofs").display().to_string();
    let files = fixtures();
    for command in COMMANDS {
        let run = |files: &[String], more: &[&str]| {
            let mut arguments: Vec<&str> = command.to_vec();
            arguments.extend(more);
            arguments.extend(files.iter().map(String::as_str));
            let text = stdout(&cudalint(&arguments));
            assert!(text.len() > 1000, "{command:?} says nothing");
            text
        };
        let first = run(&files, &["-j1", "--cache-dir", &cache]);
        let warm = run(&files, &["-j8", "--cache-dir", &cache]);
        assert!(first == warm, "{command:?}: a warm cache or 8 threads");
        let mut reversed = files.clone();
        reversed.reverse();
        let other = run(&reversed, &["-j2", "--no-cache"]);
        assert!(first == other, "{command:?}: files in reverse, no cache");
        // As a shuffled deck: neither way round.
        let (even, odd): (Vec<_>, Vec<_>) = files
            .iter()
            .cloned()
            .enumerate()
            .partition(|(at, _)| at % 2 == 0);
        let shuffled: Vec<String> = odd.into_iter().chain(even).map(|(_, file)| file).collect();
        let other = run(&shuffled, &["-j3", "--no-cache"]);
        assert!(first == other, "{command:?}: files shuffled, no cache");
    }
}
