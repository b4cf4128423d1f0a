//! What is said about the package is so: the oldest Rust, versions in examples, files that travel.
//!
//! Cargo says what dependencies ask for, and clippy (`incompatible_msrv`) which parts of the
//! standard library are too new; a build with that Rust itself runs in CI on GitHub.

use crate::support::root;
use serde_json::Value;
use std::process::Command;

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn cargo(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    let output = command.current_dir(root()).args(arguments).output();
    let output = output.expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The platform that tests run on: nothing was fetched for others.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("a host").to_owned()
}

fn version(text: &str) -> Vec<u32> {
    let parts = text.split('.').map(|part| part.parse().expect("a number"));
    let mut parts: Vec<u32> = parts.collect();
    parts.resize(3, 0);
    parts
}

#[test]
fn the_oldest_rust_is_what_dependencies_ask_for() {
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).expect("a table");
    let stated = manifest["package"]["rust-version"].as_str();
    let stated = stated.expect("the oldest Rust");
    let metadata = cargo(&[
        "metadata",
        "--locked",
        "--offline",
        "--format-version=1",
        "--filter-platform",
        &host(),
    ]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages {
        let Some(asked) = package["rust_version"].as_str() else {
            continue;
        };
        let is_met = version(asked) <= version(stated);
        assert!(is_met, "{} asks for Rust {asked}", package["name"]);
    }
    for page in ["README.md", "docs/src/getting-started.md"] {
        let said = format!("Rust {stated}");
        assert!(read(page).contains(&said), "{page} does not say {said}");
    }
}

#[test]
fn examples_name_the_version_of_today() {
    let today = env!("CARGO_PKG_VERSION");
    let page = read("docs/src/ci.md");
    let mut found = 0;
    for (before, after) in [
        ("cudalint==", None),
        ("cudalint@v", None),
        ("rev: v", None),
        ("cudalint/cudalint@v", None),
        ("/cudalint/v", Some('/')),
    ] {
        for rest in page.split(before).skip(1) {
            let ends = |c: char| Some(c) == after || !(c.is_ascii_digit() || c == '.');
            let named = rest.split(ends).next().unwrap_or("");
            assert_eq!(named, today, "docs/src/ci.md: {before}{named}");
            found += 1;
        }
    }
    assert!(found >= 5, "{found}");
}

#[test]
fn the_package_holds_every_file_that_is_built_in() {
    let listed = cargo(&["package", "--list", "--allow-dirty", "--offline"]);
    let listed: Vec<&str> = listed.lines().collect();
    for file in [
        "build.rs",
        "Cargo.lock",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "LICENSE-Z3",
        "build-systems/python/backend.py",
    ] {
        assert!(listed.contains(&file), "{file} is left out");
    }
    let mut sources = Vec::new();
    crate::support::collect(&root().join("src"), "rs", &mut sources);
    let mut found = 0;
    for source in sources {
        let text = std::fs::read_to_string(&source).expect("a source");
        // Recordings that unit tests read stay in the repository.
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        for rest in text.split("include_str!(\"").skip(1) {
            let name = rest.split('"').next().unwrap_or("");
            let path = source.parent().expect("a folder").join(name);
            let path = path.canonicalize().expect(name);
            let path = path.strip_prefix(root().canonicalize().expect("the root"));
            let path = path.expect("ours").display().to_string();
            assert!(listed.contains(&path.as_str()), "{path} is left out");
            found += 1;
        }
    }
    assert!(found > 15, "{found}");
}

/// The program finds Z3 without the caches of whoever built it.
#[cfg(target_os = "linux")]
#[test]
fn the_program_starts_without_any_cache() {
    let empty = crate::support::Scratch::new("no-cache");
    let run = |program: &std::path::Path| {
        let mut command = Command::new(program);
        let command = command.args(["--version", "--verbose"]).env_clear();
        let output = command.env("HOME", &empty.0).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_cudalint"));
    let said = run(program);
    assert!(said.contains("solver: Z3 "), "{said}");
    // Carried elsewhere with what lies beside it.
    let library = program.with_file_name("libz3.so.4.15");
    if library.is_file() {
        for file in [program, &library] {
            let name = file.file_name().expect("a name");
            std::fs::copy(file, empty.0.join(name)).expect("a copy");
        }
        assert_eq!(run(&empty.0.join("cudalint")), said);
    }
}

/// The action's steps, with a stand-in for Python: what is installed, and that arguments stay words.
#[cfg(unix)]
#[test]
fn the_action_installs_its_own_version_and_runs() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = crate::support::Scratch::new("action");
    let script = |name: &str, text: &str| {
        scratch.write(name, text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(scratch.0.join(name), mode).expect("a mode");
    };
    let pip =
        "#!/bin/sh\necho \"$@\" >> \"$LOG\"\ncase \"$*\" in *--only-binary*) exit 1 ;; esac\n";
    script("made/pip", pip);
    script(
        "python3",
        "#!/bin/sh\nmkdir -p \"$3/bin\" && cp \"$MADE\"/* \"$3/bin/\"\n",
    );
    let program = env!("CARGO_BIN_EXE_cudalint");
    script(
        "made/cudalint",
        &format!("#!/bin/sh\nexec {program} \"$@\"\n"),
    );
    let run = |step: &str, version: &str, arguments: &str| {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(root().join("ci/action.sh"));
        command
            .arg(step)
            .current_dir(root())
            .env("PATH", format!("{}:{path}", scratch.0.display()))
            .env("LOG", scratch.0.join("log"))
            .env("MADE", scratch.0.join("made"))
            .env("RUNNER_TEMP", &scratch.0)
            .env("GITHUB_ACTION_PATH", root())
            .env("GITHUB_OUTPUT", scratch.0.join("output"))
            .env_remove("GITHUB_STEP_SUMMARY")
            .envs([("VERSION", version), ("ARGS", arguments), ("SARIF", "")]);
        command.output().expect("bash runs")
    };
    let today = env!("CARGO_PKG_VERSION");
    assert!(run("install", "", "").status.success());
    let own = format!(
        "install --quiet --only-binary=cudalint cudalint=={today}\ninstall --quiet {}\n",
        root().display()
    );
    assert_eq!(scratch.read("log"), own);
    assert!(run("install", "9.9.9", "").status.success());
    assert!(
        scratch
            .read("log")
            .ends_with("install --quiet cudalint==9.9.9\n")
    );

    let output = run(
        "run",
        "",
        "--level info 'tests/snapshots/example.cu' $(touch made/it)",
    );
    assert!(!scratch.0.join("made/it").exists());
    assert_eq!(
        output.status.code(),
        Some(2),
        "the words of a command are no files"
    );
    let output = run("run", "", "tests/snapshots/example.cu");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("::"), "{said}");
    assert!(scratch.read("output").ends_with("exit-code=1\n"));
    assert!(scratch.0.join("cudalint-cache/results-1").is_dir());
}
