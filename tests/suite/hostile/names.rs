//! Names that a project chose: of links, of files in a database, of its baseline, of a file that looks like a flag.

#![cfg(unix)]

use crate::cli::{code, cudalint_in, stderr, stdout};
use crate::support::Scratch;
use std::os::unix::fs::symlink;
use std::process::Command;

const SECRET: &str = "MARKED_SECRET_51d0";

fn project(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let secret = super::HEALTHY.replace("healthy", SECRET);
    scratch.write("project/.git/HEAD", "ref: refs/heads/main\n");
    for place in ["project/.git/config", "project/.env", "outside/notes.txt"] {
        scratch.write(place, &secret);
    }
    scratch.write("outside/options", format!("-DSTRIDE={SECRET} -DHIDDEN"));
    scratch.write("project/src/a.cu", super::HEALTHY);
    scratch
}

#[test]
fn links_to_what_is_hidden_are_not_followed() {
    let scratch = project("hidden-links");
    let folder = scratch.0.join("project");
    for (nth, target) in [".env", ".git/config"].iter().enumerate() {
        let link = format!("src/link{nth}.cu");
        symlink(folder.join(target), folder.join(&link)).expect("a link");
        for arguments in [
            &["check", "-v", &link][..],
            &["accesses", &link],
            &["check", "-v", "src"],
        ] {
            let output = cudalint_in(&folder, arguments);
            let said = stdout(&output) + &stderr(&output);
            assert!(!said.contains(SECRET), "{arguments:?}: {said}");
            assert!(said.contains("a link out of the project"), "{said}");
        }
        std::fs::remove_file(folder.join(&link)).expect("a link");
        // As a configuration and as a database, whose errors quote lines.
        for name in ["cudalint.toml", "compile_commands.json"] {
            symlink(folder.join(target), folder.join(name)).expect("a link");
            let output = cudalint_in(&folder, &["check", "-p", ".", "src"]);
            let said = stdout(&output) + &stderr(&output);
            assert_eq!(code(&output), 2, "{said}");
            assert!(!said.contains(SECRET), "{said}");
            std::fs::remove_file(folder.join(name)).expect("a link");
        }
    }
    // Whoever means it names it.
    let output = cudalint_in(&folder, &["check", ".env"]);
    assert!(stdout(&output).contains(SECRET), "{}", stderr(&output));
}

#[test]
fn a_database_names_code_and_options_of_its_project() {
    let scratch = project("database-names");
    let folder = scratch.0.join("project");
    let run = |directory: &str, file: &str, more: &str| {
        let text = format!(
            "[{{\"directory\":\"{}\",\"file\":\"{file}\",\"command\":\"nvcc {more} -c {file}\"}}]",
            folder.join(directory).display()
        );
        scratch.write("project/compile_commands.json", text);
        let output = cudalint_in(&folder, &["check", "-v", "--level", "info", "-p", "."]);
        stdout(&output) + &stderr(&output)
    };
    for file in [
        ".env",
        ".git/config",
        "../outside/notes.txt",
        "/etc/passwd",
        "/proc/self/environ",
    ] {
        let said = run("", file, "-x cu");
        assert!(
            !said.contains(SECRET) && said.contains("no entry compiles CUDA"),
            "{file}: {said}"
        );
    }
    let hidden = "#ifdef HIDDEN\nhidden options were read\n#endif\n";
    scratch.write("project/src/a.cu", format!("{hidden}{}", super::HEALTHY));
    scratch.write("project/build/near.rsp", "-DSTRIDE=2");
    let hidden = "#ifdef HIDDEN\n__global__ void hidden(float *of_others) { of_others[threadIdx.x * 2] = 1.0f; }\n#endif\n";
    scratch.write(
        "project/src/b.cu",
        format!("{hidden}{}", super::HEALTHY.replace("* 2", "* STRIDE")),
    );
    for options in [
        "../outside/options",
        "../../outside/options",
        "/proc/self/environ",
    ] {
        let said = run("", "src/b.cu", &format!("--options-file {options}"));
        assert!(!said.contains(SECRET), "{options}: {said}");
        assert!(!said.contains("store of `of_others`"), "{options}: {said}");
    }
    let said = run("build", "../src/b.cu", "--options-file near.rsp");
    assert!(said.contains("8 sectors per request"), "{said}");
}

#[test]
fn a_baseline_is_written_over_a_baseline_only() {
    let scratch = project("baseline-names");
    let folder = scratch.0.join("project");
    scratch.write("project/.git/hooks/pre-push", "#!/bin/sh\n");
    for (name, before) in [
        (".env", scratch.read("project/.env")),
        ("src/a.cu", scratch.read("project/src/a.cu")),
        (".git/hooks/pre-push", "#!/bin/sh\n".to_owned()),
    ] {
        scratch.write("project/cudalint.toml", format!("baseline = \"{name}\"\n"));
        for action in ["write", "prune"] {
            let output = cudalint_in(&folder, &["baseline", action, "src"]);
            assert_eq!(code(&output), 2, "{name}: {}", stdout(&output));
            assert_eq!(scratch.read(&format!("project/{name}")), before);
        }
    }
    scratch.write("project/cudalint.toml", "baseline = \".git/hooks/new\"\n");
    assert_eq!(
        code(&cudalint_in(&folder, &["baseline", "write", "src"])),
        2
    );
    assert!(!folder.join(".git/hooks/new").exists());
    for name in [".accepted.json", "accepted.json"] {
        scratch.write("project/cudalint.toml", format!("baseline = \"{name}\"\n"));
        // The second one stands in the place of the first.
        for _ in 0..2 {
            let output = cudalint_in(&folder, &["baseline", "write", "src"]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
        }
    }
}

#[test]
fn a_setting_is_no_file() {
    let scratch = project("setting-names");
    let folder = scratch.0.join("project");
    let setting = "lint.select=['CL201']";
    scratch.write(&format!("project/{setting}"), "lint.ignore = ['CL']\n");
    let output = cudalint_in(
        &folder,
        &[
            "check",
            "--isolated",
            "--config",
            setting,
            "--format",
            "concise",
            "src",
        ],
    );
    assert!(
        stdout(&output).contains("CL201"),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
}

#[test]
fn a_relative_home_holds_no_cache() {
    let scratch = project("relative-home-folder");
    let folder = scratch.0.join("project");
    let output = Command::new(crate::support::program())
        .args(["check", "src"])
        .current_dir(&folder)
        .env("HOME", "src")
        .env_remove("XDG_CACHE_HOME")
        .env_remove("CUDALINT_CACHE_DIR")
        .output()
        .expect("the binary");
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(!folder.join("src/.cache").exists());
}

/// Files of options that name one another many times, and a database that names a long one over and over.
#[test]
fn files_of_options_do_not_multiply() {
    let scratch = project("option-bombs");
    let folder = scratch.0.join("project");
    let twice = "--options-file twice.rsp ".repeat(64);
    scratch.write("project/twice.rsp", format!("{twice}-DSTRIDE=2\n"));
    scratch.write("project/long.rsp", "-DA=1 ".repeat(2 << 20));
    for (name, count) in [("twice.rsp", 1), ("long.rsp", 400)] {
        let entry = serde_json::json!({
            "directory": folder,
            "file": "src/a.cu",
            "command": format!("nvcc --options-file {name} -c src/a.cu"),
        });
        let entries = vec![entry; count];
        let text = serde_json::to_string(&entries).expect("JSON");
        scratch.write("project/compile_commands.json", text);
        let output = super::run_bounded(&folder, &["check", "--no-cache", "-p", "."]);
        assert!(
            stdout(&output).contains("healthy") || code(&output) == 1,
            "{name}: {}",
            stderr(&output)
        );
    }
    let output = super::run_bounded(&folder, &["check", "--options-file", "twice.rsp", "src"]);
    assert_eq!(code(&output), 2);
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}

/// Headers that are nowhere, times folders that they could lie in: the project chooses both.
#[test]
fn headers_times_folders_do_not_multiply() {
    const MANY: usize = 6_000;
    let scratch = project("header-product");
    let folder = scratch.0.join("project");
    let headers: String = (0..MANY)
        .map(|nth| format!("#include <none{nth}.h>\n"))
        .collect();
    scratch.write("project/src/a.cu", headers + super::HEALTHY);
    let folders = (0..MANY).map(|nth| format!("-Inone/{nth}"));
    let arguments: Vec<String> = std::iter::once("nvcc".to_owned())
        .chain(folders)
        .chain(["-c", "src/a.cu"].map(str::to_owned))
        .collect();
    let entry =
        serde_json::json!({ "directory": folder, "file": "src/a.cu", "arguments": arguments });
    let text = serde_json::to_string(&[entry]).expect("JSON");
    scratch.write("project/compile_commands.json", text);
    let output = super::run_bounded(&folder, &["check", "--no-cache", "-v", "-p", "."]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let said = stdout(&output) + &stderr(&output);
    assert!(
        said.contains("headers were looked for in too many places"),
        "{said:.2000}"
    );
}

#[test]
fn patterns_of_a_configuration_are_bounded() {
    let scratch = project("pattern-bomb");
    let patterns: Vec<String> = (0..300_000)
        .map(|nth| format!("'**/a{nth}*b*/**'"))
        .collect();
    scratch.write(
        "project/cudalint.toml",
        format!("exclude = [{}]\n", patterns.join(",")),
    );
    let output = super::run_bounded(&scratch.0.join("project"), &["check", "src"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("exclude: the patterns have"),
        "{}",
        stderr(&output)
    );
}

/// Each pattern is held to a file once, however much is found there.
#[test]
fn patterns_times_findings_do_not_multiply() {
    let scratch = project("pattern-product");
    let patterns: String = (0..60_000)
        .map(|nth| format!("'**/a{nth}*b*/**' = ['CL201']\n"))
        .collect();
    scratch.write(
        "project/cudalint.toml",
        "[per-file-ignores]\n".to_owned() + &patterns,
    );
    let kernels: String = (0..10_000)
        .map(|nth| {
            super::HEALTHY
                .replace("healthy", &format!("k{nth}"))
                .replace("run", &format!("r{nth}"))
        })
        .collect();
    scratch.write("project/src/a.cu", kernels);
    let arguments = ["check", "--no-cache", "--format", "concise", "src"];
    let output = super::run_bounded(&scratch.0.join("project"), &arguments);
    assert!(
        stdout(&output).contains("10000 warnings"),
        "{}",
        stderr(&output)
    );
}

/// Installed headers may be named, and read; an installation is no place to write.
#[test]
fn a_baseline_is_not_written_among_what_is_installed() {
    let scratch = project("baseline-installed");
    let toolkit = scratch.0.join("outside");
    scratch.write(
        "project/cudalint.toml",
        "baseline = '../outside/new.json'\n",
    );
    let output = Command::new(crate::support::program())
        .args(["baseline", "write", "--no-cache", "src"])
        .current_dir(scratch.0.join("project"))
        .env("CUDA_PATH", &toolkit)
        .output()
        .expect("the binary");
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(
        stderr(&output).contains("outside of the project"),
        "{}",
        stderr(&output)
    );
    assert!(!toolkit.join("new.json").exists());
}
