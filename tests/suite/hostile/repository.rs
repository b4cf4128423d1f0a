//! Repositories from strangers: nothing in them is run, whatever git is asked.

use crate::cli::{code, cudalint_in, git, stderr, stdout};
use crate::support::Scratch;
use std::process::Command;

/// A kernel with one finding, on line 1.
const BAD: &str = "__global__ void k(float *x) { x[2 * threadIdx.x] = 0.0f; }\nvoid run(float *x) { k<<<1, 128>>>(x); }\n";

/// A repository with one commit of a clean file and a changed file.
fn repository(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    git(&scratch.0, &["init", "-q", "-b", "main"]);
    scratch.write("src/a.cu", BAD.replace("2 * ", ""));
    git(&scratch.0, &["add", "."]);
    git(&scratch.0, &["commit", "-q", "-m", "first"]);
    scratch.write("src/a.cu", BAD);
    scratch
}

/// What every command that somebody may name leaves behind.
fn command(scratch: &Scratch) -> String {
    let ran = scratch.0.join("ran");
    let script = scratch.0.join("script");
    std::fs::write(
        &script,
        format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", ran.display()),
    )
    .expect("a script");
    let done = Command::new("chmod").arg("755").arg(&script).status();
    assert!(done.is_ok_and(|status| status.success()));
    script.display().to_string()
}

fn nothing_ran(scratch: &Scratch, when: &str) {
    let ran = std::fs::read_to_string(scratch.0.join("ran"));
    assert!(ran.is_err(), "{when}: {ran:?}");
}

#[test]
fn a_committed_repository_is_none() {
    let scratch = repository("bare");
    let script = command(&scratch);
    git(&scratch.0, &["clone", "-q", "--bare", ".", "src/inner"]);
    // A bare repository right in the folder that is named, and one below it.
    let copied = Command::new("sh")
        .args(["-c", "cp -r src/inner/* src"])
        .current_dir(&scratch.0)
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    for place in ["src", "src/inner"] {
        scratch.write(
            &format!("{place}/config"),
            format!("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {script}\n"),
        );
    }
    git(&scratch.0, &["add", "src/a.cu"]);
    for (folder, arguments) in [
        (".", ["--since", "HEAD", "src"]),
        ("src", ["--since", "HEAD", "."]),
        ("src", ["--since", "HEAD", "a.cu"]),
        (".", ["--staged", "--quiet", "src"]),
        ("src", ["--staged", "--quiet", "."]),
        ("src/inner", ["--since", "HEAD", "../a.cu"]),
    ] {
        let arguments = [&["check", "--format", "concise"][..], &arguments].concat();
        let output = cudalint_in(&scratch.0.join(folder), &arguments);
        nothing_ran(&scratch, &format!("{folder}: {arguments:?}"));
        assert_eq!(
            code(&output),
            1,
            "{folder}: {arguments:?}: {}",
            stderr(&output)
        );
        assert!(stdout(&output).contains("a.cu:1:"), "{}", stdout(&output));
    }
}

#[test]
fn a_hostile_configuration_runs_nothing() {
    let scratch = repository("config");
    let script = command(&scratch);
    let hooks = scratch.0.join("hooks");
    for hook in [
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
    ] {
        scratch.write(&format!("hooks/{hook}"), "");
        std::fs::copy(&script, hooks.join(hook)).expect("a hook");
    }
    let settings = format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {script}\n\thooksPath = {hooks}\n\tsshCommand = {script}\n\tpager = {script}\n\
         \teditor = {script}\n\taskPass = {script}\n\tgitProxy = {script}\n\talternateRefsCommand = {script}\n\
         [extensions]\n\tpartialClone = origin\n\
         [remote \"origin\"]\n\turl = ext::{script}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tuploadpack = {script}\n\
         [protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n\
         [filter \"evil\"]\n\tclean = {script}\n\tsmudge = {script}\n\tprocess = {script}\n\trequired = true\n\
         [diff]\n\texternal = {script}\n[diff \"evil\"]\n\tcommand = {script}\n\ttextconv = {script}\n\
         [merge \"evil\"]\n\tdriver = {script}\n[pager]\n\tdiff = {script}\n\tls-files = {script}\n\tcat-file = {script}\n\
         [credential]\n\thelper = {script}\n[gpg]\n\tprogram = {script}\n\
         [alias]\n\tcat-file = !{script}\n\tls-files = !{script}\n",
        hooks = hooks.display()
    );
    scratch.write(".git/config", settings);
    scratch.write(
        ".gitattributes",
        "*.cu filter=evil diff=evil merge=evil ident\n* filter=evil\n",
    );
    // An object that is not there is asked of the remote.
    scratch.write("src/gone.cu", BAD);
    git(
        &scratch.0,
        &[
            "-c",
            "filter.evil.required=false",
            "-c",
            "filter.evil.clean=",
            "-c",
            "filter.evil.process=",
            "add",
            "src/gone.cu",
            "src/a.cu",
        ],
    );
    let _ = std::fs::remove_file(scratch.0.join("ran"));
    let listed = Command::new("git")
        .current_dir(&scratch.0)
        .args([
            "-c",
            "core.fsmonitor=false",
            "ls-files",
            "-s",
            "src/gone.cu",
        ])
        .output()
        .expect("git runs");
    let object = stdout(&listed);
    let object = object.split(' ').nth(1).expect("an object");
    let _ = std::fs::remove_file(scratch.0.join(format!(
        ".git/objects/{}/{}",
        &object[..2],
        &object[2..]
    )));
    let _ = std::fs::remove_file(scratch.0.join("ran"));
    for arguments in [
        &["--since", "HEAD", "src"][..],
        &["--since", "HEAD", "src/gone.cu"],
        &["--staged"],
        &["--staged", "src"],
    ] {
        let arguments = [&["check", "--format", "concise"], arguments].concat();
        let output = cudalint_in(&scratch.0, &arguments);
        nothing_ran(&scratch, &format!("{arguments:?}"));
        assert_ne!(code(&output), 0, "{arguments:?}: {}", stdout(&output));
    }
}

#[test]
fn a_reference_is_a_reference() {
    let scratch = repository("reference");
    let written = scratch.0.join("written");
    for reference in [
        format!("--output={}", written.display()),
        "-h".to_owned(),
        "--help".to_owned(),
        "--git-dir=/".to_owned(),
        "HEAD:src".to_owned(),
        "HEAD\nHEAD".to_owned(),
        "no such".to_owned(),
        String::new(),
    ] {
        let output = cudalint_in(
            &scratch.0,
            &["check", &format!("--since={reference}"), "src"],
        );
        assert_eq!(code(&output), 2, "{reference}: {}", stdout(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert!(!written.exists());
    }
}

#[test]
fn moved_files_and_other_line_ends_are_no_changes() {
    let scratch = repository("moved");
    let folder = &scratch.0;
    git(folder, &["commit", "-q", "-a", "-m", "second"]);
    let run = |arguments: &[&str]| {
        let arguments = [&["check", "--format", "concise"], arguments].concat();
        code(&cudalint_in(folder, &arguments))
    };
    scratch.write("src/a.cu", BAD.replace('\n', "\r\n"));
    assert_eq!(run(&["--since", "HEAD", "src"]), 0);
    git(folder, &["checkout", "-q", "src/a.cu"]);
    git(folder, &["mv", "src/a.cu", "src/b.cu"]);
    assert_eq!(run(&["--since", "HEAD", "src"]), 0);
    assert_eq!(run(&["--staged"]), 0);
    scratch.write("src/new name.cu", BAD);
    assert_eq!(run(&["--since", "HEAD", "src"]), 1);
    assert_eq!(run(&["--staged"]), 0);
}
