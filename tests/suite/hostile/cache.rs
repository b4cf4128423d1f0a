//! The folder of proofs: shared, killed, read-only, full, damaged.

use crate::cli::{cudalint, stderr, stdout};
use crate::support::{Scratch, root};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Many claims, so that there is something to keep.
const FOLDER: &str = "fixtures/shared";

fn run(cache: &Path) -> Output {
    command(cache).output().expect("the binary")
}

fn command(cache: &Path) -> Command {
    let mut command = Command::new(crate::support::program());
    command
        .current_dir(root())
        .args(["accesses", FOLDER, "--cache-dir"])
        .arg(cache);
    command
}

/// What is said without a cache.
fn truth() -> String {
    let output = cudalint(&["accesses", FOLDER, "--no-cache"]);
    let text = stdout(&output);
    assert!(text.len() > 10_000, "{}", stderr(&output));
    text
}

fn files(folder: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(String, u64)> = entries
        .map(|entry| {
            let length = entry.metadata().map_or(0, |metadata| metadata.len());
            (entry.file_name().to_string_lossy().into_owned(), length)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn runs_share_a_cache_and_may_be_killed() {
    let scratch = Scratch::new("shared-cache");
    let cache = scratch.0.join("proofs");
    let truth = truth();
    // Several at once, from nothing.
    let spawn = || {
        command(&cache)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    };
    let children: Vec<_> = (0..3).map(|_| spawn().expect("the binary")).collect();
    for child in children {
        let output = child.wait_with_output().expect("an end");
        assert_eq!(stdout(&output), truth);
        assert_eq!(stderr(&output), "");
    }
    // One is killed at any moment, over and over, while the cache is new.
    for delay in [0, 5, 20, 40, 60, 80, 100, 130, 170, 220, 300] {
        let _ = std::fs::remove_dir_all(&cache);
        let mut child = command(&cache)
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary");
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        let _ = child.wait();
        let length = files(&cache).first().map_or(0, |(_, length)| *length);
        assert_eq!(length % 20, 0, "half a record was written");
    }
    let output = run(&cache);
    assert_eq!((stdout(&output), stderr(&output)), (truth, String::new()));
}

#[test]
fn a_damaged_cache_is_repaired_and_never_believed() {
    let scratch = Scratch::new("damaged-cache");
    let cache = scratch.0.join("proofs");
    let truth = truth();
    assert_eq!(stdout(&run(&cache)), truth);
    let [(name, length)] = files(&cache).try_into().expect("one file");
    let whole = std::fs::read(cache.join(&name)).expect("the proofs");
    // Every answer is turned round; every other byte is noise; the file is cut; it is empty, or zeros.
    let answers: Vec<u8> = whole
        .iter()
        .enumerate()
        .map(|(at, byte)| {
            if at % 20 == 16 {
                1 - byte.min(&1)
            } else {
                *byte
            }
        })
        .collect();
    let noise = |(at, byte): (usize, &u8)| byte ^ [0, (at * 37) as u8][at % 2];
    let noise: Vec<u8> = whole.iter().enumerate().map(noise).collect();
    let damages = [
        answers,
        noise,
        whole[..whole.len() - 7].to_vec(),
        whole[7..].to_vec(),
        Vec::new(),
        vec![0; whole.len()],
    ];
    for damage in damages {
        std::fs::write(cache.join(&name), &damage).expect("a file");
        let output = run(&cache);
        assert_eq!(
            (stdout(&output), stderr(&output)),
            (truth.clone(), String::new())
        );
        assert_eq!(files(&cache), [(name.clone(), length)], "repaired");
    }
}

#[test]
fn a_cache_that_cannot_be_written_costs_one_warning() {
    let scratch = Scratch::new("no-cache");
    let truth = truth();
    let mut folders = Vec::new();
    // A file where the folder should be, and a folder where the file should be.
    scratch.write("file", "");
    folders.push(scratch.0.join("file"));
    folders.push(scratch.0.join("file/below"));
    std::fs::create_dir_all(scratch.0.join("taken/proofs-2")).expect("a folder");
    folders.push(scratch.0.join("taken"));
    // A disk that is full.
    #[cfg(target_os = "linux")]
    {
        std::fs::create_dir_all(scratch.0.join("full")).expect("a folder");
        std::os::unix::fs::symlink("/dev/full", scratch.0.join("full/proofs-2")).expect("a link");
        folders.push(scratch.0.join("full"));
    }
    // Nobody may write there; the superuser may anyway.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = scratch.0.join("read-only");
        std::fs::create_dir_all(&folder).expect("a folder");
        let mode = std::fs::Permissions::from_mode(0o555);
        std::fs::set_permissions(&folder, mode).expect("a mode");
        if std::fs::write(folder.join("probe"), "").is_err() {
            folders.push(folder);
        }
    }
    for folder in folders {
        let output = run(&folder);
        let told = stderr(&output);
        assert_eq!(stdout(&output), truth, "{}", folder.display());
        assert_eq!(told.lines().count(), 1, "{}: {told}", folder.display());
        assert!(told.contains("--no-cache"), "{told}");
        assert_eq!(output.status.code(), Some(0));
    }
}
