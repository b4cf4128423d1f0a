//! Files that are none, and files that never end: whatever a project can put where something is read.

#![cfg(unix)]

use super::run_bounded as run;
use crate::cli::{code, stderr, stdout};
use crate::support::Scratch;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()));
}

/// Puts a pipe, then a device, in the place of a file, and runs.
fn each(scratch: &Scratch, name: &str, arguments: &[&str]) -> Vec<Output> {
    let path: PathBuf = scratch.0.join(name);
    let mut outputs = Vec::new();
    for target in [None, Some("/dev/zero"), Some("/dev/full")] {
        let _ = std::fs::remove_file(&path);
        match target {
            None => pipe(&path),
            Some(device) => symlink(device, &path).expect("a link"),
        }
        outputs.push(run(&scratch.0, arguments));
    }
    let _ = std::fs::remove_file(&path);
    outputs
}

#[test]
fn pipes_and_devices_are_no_files() {
    let scratch = Scratch::new("pipes");
    scratch.write("src/a.cu", super::HEALTHY);
    // Taken as absent: the run goes on as if nothing was there.
    for name in [
        "src/.gitignore",
        ".gitignore",
        "src/.ignore",
        "src/header.cuh",
    ] {
        scratch.write(
            "src/a.cu",
            format!("#include \"header.cuh\"\n{}", super::HEALTHY),
        );
        for output in each(
            &scratch,
            name,
            &["check", "--no-cache", "--format", "concise", "src"],
        ) {
            assert!(
                stdout(&output).contains("CL201"),
                "{name}: {}",
                stderr(&output)
            );
        }
    }
    // Named: an error of one sentence.
    for (name, arguments) in [
        (
            "cudalint.toml",
            &["check", "--config", "cudalint.toml", "src"][..],
        ),
        (
            "baseline.json",
            &["check", "--baseline", "baseline.json", "src"],
        ),
        (
            "baseline.json",
            &["baseline", "prune", "--baseline", "baseline.json", "src"],
        ),
        (
            "compile_commands.json",
            &["check", "-p", "compile_commands.json"],
        ),
        ("options", &["check", "--options-file", "options", "src"]),
        ("options", &["@options"]),
        ("table.csv", &["cost", "table.csv"]),
        ("b.cu", &["check", "b.cu"]),
    ] {
        for output in each(&scratch, name, arguments) {
            assert_eq!(code(&output), 2, "{arguments:?}: {}", stdout(&output));
            assert_eq!(
                stderr(&output).lines().count(),
                1,
                "{arguments:?}: {}",
                stderr(&output)
            );
        }
    }
    // A configuration that nobody named is found as a file or not at all.
    for output in each(
        &scratch,
        "cudalint.toml",
        &["check", "--format", "concise", "src"],
    ) {
        assert!(stdout(&output).contains("CL201"), "{}", stderr(&output));
    }
}

#[test]
fn ignore_files_hold_as_git_has_them() {
    let scratch = Scratch::new("ignored");
    for name in [
        "a/x.cu",
        "a/y.cu",
        "a/b/x.cu",
        "a/b/keep.cu",
        "c/x.cu",
        "d/e/x.cu",
        ".hidden/x.cu",
    ] {
        scratch.write(name, super::HEALTHY);
    }
    scratch.write(".git/info/exclude", "/d/\n");
    scratch.write(".gitignore", "y.cu\n/c\n");
    scratch.write("a/b/.gitignore", "*.cu\n!keep.cu\n");
    let found = |folder: &str, place: &str| -> Vec<String> {
        let output = run(
            &scratch.0.join(folder),
            &["check", "--no-cache", "--format", "concise", place],
        );
        let mut names: Vec<String> = stdout(&output)
            .lines()
            .filter_map(|line| line.split_once(".cu:"))
            .map(|(name, _)| name.to_owned())
            .collect();
        names.dedup();
        names
    };
    assert_eq!(found(".", "."), ["a/b/keep", "a/x"]);
    assert_eq!(found("a", "."), ["b/keep", "x"]);
    assert_eq!(found("a/b", "."), ["keep"]);
    assert_eq!(found(".", "a/b"), ["a/b/keep"]);
    // What is named is read.
    assert_eq!(found(".", "c/x.cu"), ["c/x"]);
}

#[test]
fn a_cache_of_others_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("others-cache");
    scratch.write("src/a.cu", super::HEALTHY);
    let cache = scratch.0.join("cache");
    let arguments = [
        "check",
        "--format",
        "concise",
        "--cache-dir",
        "cache",
        "src",
    ];
    let mode = |bits: u32| {
        std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(bits)).expect("a mode");
    };
    assert_eq!(stderr(&run(&scratch.0, &arguments)), "");
    let known = std::fs::metadata(&cache)
        .expect("a folder")
        .permissions()
        .mode();
    assert_eq!(known & 0o777, 0o700);
    for bits in [0o777, 0o770, 0o702] {
        mode(bits);
        let output = run(&scratch.0, &arguments);
        assert_eq!(code(&output), 1);
        let said = stderr(&output);
        assert!(
            said.contains("this cache is not used, because others may write there"),
            "{said}"
        );
    }
    mode(0o700);
    assert_eq!(stderr(&run(&scratch.0, &arguments)), "");
    // A link in the place of a record is not followed, neither to read nor to write.
    let records = cache.join("proofs-2");
    let elsewhere = scratch.0.join("elsewhere");
    std::fs::rename(&records, &elsewhere).expect("records");
    let before = std::fs::read(&elsewhere).expect("records");
    symlink(&elsewhere, &records).expect("a link");
    let _ = std::fs::remove_dir_all(cache.join("results-1"));
    run(&scratch.0, &arguments);
    assert_eq!(std::fs::read(&elsewhere).expect("records"), before);
    // Nor one in the place of results: behind it somebody may keep us waiting.
    std::fs::remove_file(&records).expect("a link");
    run(&scratch.0, &arguments);
    let results = std::fs::read_dir(cache.join("results-1")).expect("results");
    let results: Vec<PathBuf> = results.flatten().map(|entry| entry.path()).collect();
    assert!(!results.is_empty());
    let waits = scratch.0.join("waits");
    pipe(&waits);
    for result in &results {
        std::fs::remove_file(result).expect("a result");
        symlink(&waits, result).expect("a link");
    }
    let output = run(&scratch.0, &arguments);
    assert_eq!((code(&output), stderr(&output)), (1, String::new()));
}

#[test]
fn a_forged_cache_moves_no_edit_out_of_its_text() {
    let scratch = Scratch::new("forged");
    let text = std::fs::read_to_string(crate::support::root().join(crate::cli::EXAMPLE))
        .expect("the example");
    scratch.write("a.cu", &text);
    let arguments = ["check", "--format", "jsonl", "--cache-dir", "cache", "a.cu"];
    let truth = stdout(&run(&scratch.0, &arguments));
    // Every number of the record becomes a large one; the check of the file is made anew.
    let folder = scratch.0.join("cache/results-1");
    let mut forged = 0;
    for entry in std::fs::read_dir(&folder).expect("results").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a result");
        let name = entry.file_name().to_string_lossy().into_owned();
        let id: Vec<u8> = (0..name.len() / 2)
            .map(|at| u8::from_str_radix(&name[2 * at..2 * at + 2], 16).expect("a hash"))
            .collect();
        let record = String::from_utf8_lossy(&bytes[..bytes.len() - 16]).into_owned();
        let record = record.replace("\"edits\":[[[0,", "\"edits\":[[[0,9");
        let mut hasher = blake3::Hasher::new();
        hasher.update(&id).update(record.as_bytes());
        let mut check = [0; 16];
        hasher.finalize_xof().fill(&mut check);
        forged += usize::from(record.as_bytes() != &bytes[..bytes.len() - 16]);
        std::fs::write(entry.path(), [record.as_bytes(), &check].concat()).expect("a result");
    }
    assert!(forged > 0, "no edit was kept");
    assert_eq!(stdout(&run(&scratch.0, &arguments)), truth);
}

#[test]
fn a_relative_cache_home_is_none() {
    let scratch = Scratch::new("relative-home");
    scratch.write("a.cu", super::HEALTHY);
    let output = Command::new(crate::support::program())
        .args(["check", "a.cu"])
        .current_dir(&scratch.0)
        .env("XDG_CACHE_HOME", "relative")
        .env("HOME", scratch.0.join("home"))
        .env_remove("CUDALINT_CACHE_DIR")
        .output()
        .expect("the binary");
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(!scratch.0.join("relative").exists());
    assert!(scratch.0.join("home/.cache/cudalint/proofs").exists());
}
