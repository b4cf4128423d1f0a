//! What lies outside of a project is not read, and what a project says does not get out of its place.

use crate::cli::{FORMATS, code, cudalint_in, stderr, stdout};
use crate::support::Scratch;
use std::fmt::Write as _;

/// A secret that is CUDA as well, so that reports would quote it.
const SECRET: &str = "MARKED_SECRET_7c1f";
fn secret() -> String {
    format!(
        "#define {SECRET} 2\n#define STRIDE {SECRET}\n#error {SECRET}\n__global__ void {SECRET}_k(float *{SECRET}_x) \
         {{ {SECRET}_x[{SECRET} * threadIdx.x] = 0.0f; }}\nvoid {SECRET}_r(float *x) {{ {SECRET}_k<<<1, 128>>>(x); }}\n"
    )
}

/// A project beside secrets; everything that reports say of it.
fn everything(scratch: &Scratch, inputs: &[&str]) -> String {
    let mut all = String::new();
    let mut add = |arguments: Vec<&str>| {
        let output = cudalint_in(&scratch.0.join("project"), &arguments);
        let _ = write!(all, "{}{}", stdout(&output), stderr(&output));
    };
    for format in FORMATS {
        let arguments = [
            "check",
            "--level",
            "info",
            "-v",
            "--no-cache",
            "--format",
            format,
        ];
        add([&arguments[..], inputs].concat());
    }
    for command in ["accesses", "launches"] {
        for format in ["json", "text"] {
            add([&[command, "--no-cache", "--format", format], inputs].concat());
        }
    }
    add([&["stats", "--no-cache"], inputs].concat());
    for line in ["src/a.cu:1", "src/a.cu:6"] {
        add(vec!["explain", line]);
    }
    let kept = ["said.json", "said.sarif"];
    add([
        &["baseline", "write", "--no-cache", "--baseline", kept[0]],
        inputs,
    ]
    .concat());
    add([
        &["check", "--no-cache", "--output", "sarif=said.sarif"],
        inputs,
    ]
    .concat());
    add([
        &["accesses", "--no-cache", "--certificates", "certificates"],
        inputs,
    ]
    .concat());
    add([&["check", "--no-cache", "--diff"], inputs].concat());
    for stage in ["expanded", "ir", "accesses"] {
        add([&["check", "--no-cache", "--emit", stage], inputs].concat());
    }
    let project = scratch.0.join("project");
    let proofs = std::fs::read_dir(project.join("certificates"));
    let proofs = proofs
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    for file in kept
        .map(|name| project.join(name))
        .into_iter()
        .chain(proofs)
    {
        let _ = all.write_str(&std::fs::read_to_string(&file).unwrap_or_default());
        let _ = std::fs::remove_file(file);
    }
    all
}

fn project(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("project/.git/HEAD", "ref: refs/heads/main\n");
    scratch.write("project/.git/config", secret());
    scratch.write("project/.env", secret());
    scratch.write(".env", secret());
    scratch.write("outside/secret.cuh", secret());
    scratch.write("outside/secret.cu", secret());
    scratch
}

#[cfg(unix)]
#[test]
fn secrets_stay_outside_of_every_report() {
    use std::os::unix::fs::symlink;
    let scratch = project("leak");
    let outside = scratch.0.join("outside");
    let absolute = outside.join("secret.cuh");
    let ways = [
        "\"../.env\"",
        "\"../../.env\"",
        "\"../.git/config\"",
        "\"../outside/secret.cuh\"",
        "\"../../outside/secret.cuh\"",
        &format!("\"{}\"", absolute.display()),
        &format!("<{}>", absolute.display()),
        "\"/proc/self/environ\"",
        "\"/etc/passwd\"",
        "\"link.cuh\"",
        "\"folder/secret.cuh\"",
        "\"folder/../outside/secret.cuh\"",
        "<secret.cuh>",
    ];
    scratch.write("project/src/a.cu", "");
    let source = scratch.0.join("project/src");
    symlink(&absolute, source.join("link.cuh")).expect("a link");
    symlink(outside.join("secret.cu"), source.join("link.cu")).expect("a link");
    symlink(&outside, source.join("folder")).expect("a link");
    for way in ways {
        scratch.write(
            "project/src/a.cu",
            format!(
                "#include {way}\n#if __has_include({way})\nint found;\n#endif\n{}",
                super::HEALTHY
            ),
        );
        let said = everything(&scratch, &["src"]);
        let said = said.replace("/etc/passwd", "");
        assert!(
            !said.contains(SECRET) && !said.contains("root:"),
            "{way}: {said}"
        );
        assert!(said.contains("healthy"), "{way}: {said}");
    }
    // Named by themselves, too.
    for input in ["src/link.cu", "src/folder", "src/folder/secret.cu"] {
        let said = everything(&scratch, &[input]);
        assert!(!said.contains(SECRET), "{input}: {said}");
        let output = cudalint_in(&scratch.0.join("project"), &[input]);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("a link out of the project"),
            "{}",
            stderr(&output)
        );
    }
}

/// Where neither `.git` nor a configuration marks a project, a `README` above does for code, and for nothing else.
#[test]
fn a_likely_project_holds_code_only() {
    let scratch = Scratch::new("likely");
    for name in ["tree/README", "tree/notes.txt", "tree/key", "tree/code.cuh"] {
        scratch.write(name, secret());
    }
    for (name, is_read) in [("notes.txt", false), ("key", false), ("code.cuh", true)] {
        scratch.write(
            "tree/src/a.cu",
            format!("#include \"../{name}\"\n{}", super::HEALTHY),
        );
        let output = cudalint_in(
            &scratch.0.join("tree/src"),
            &["check", "--no-cache", "-v", "a.cu"],
        );
        let said = stdout(&output) + &stderr(&output);
        assert_eq!(said.contains(SECRET), is_read, "{name}: {said}");
    }
}

#[test]
fn what_lies_outside_is_told_once_and_may_be_let_in() {
    let scratch = project("let-in");
    scratch.write(
        "project/src/a.cu",
        "#include \"../../outside/part.cuh\"\n#include \"../../outside/part.cuh\"\n__global__ void k(float *x) { x[STRIDE * threadIdx.x] = 0.0f; }\n",
    );
    scratch.write("outside/part.cuh", "#define STRIDE 2\n");
    let folder = scratch.0.join("project");
    let output = cudalint_in(&folder, &["check", "--format", "concise", "src"]);
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with(
            "note: src/a.cu:1: \"../../outside/part.cuh\" lies outside of the project"
        ),
        "{said}"
    );
    let output = cudalint_in(
        &folder,
        &["check", "--format", "concise", "-I", "../outside", "src"],
    );
    assert_eq!(stderr(&output), "");
    assert!(stdout(&output).contains("CL201"), "{}", stdout(&output));
}

#[test]
fn a_configuration_names_nothing_outside() {
    let scratch = project("config-trust");
    scratch.write("project/src/a.cu", super::HEALTHY);
    let folder = scratch.0.join("project");
    let target = scratch.0.join("outside/target");
    scratch.write("outside/target", "precious\n");
    let absolute = target.display();
    for line in [
        "includes = ['../outside']".to_owned(),
        format!("includes = ['{}']", scratch.0.join("outside").display()),
        "baseline = '../outside/target'".to_owned(),
        format!("baseline = '{absolute}'"),
        "baseline = 'src/../../outside/target'".to_owned(),
    ] {
        scratch.write("project/cudalint.toml", format!("{line}\n"));
        for arguments in [
            &["src"][..],
            &["baseline", "write", "src"],
            &["baseline", "prune", "src"],
        ] {
            let output = cudalint_in(&folder, arguments);
            assert_eq!(code(&output), 2, "{line}: {}", stdout(&output));
            assert!(
                stderr(&output).contains("outside of the project"),
                "{line}: {}",
                stderr(&output)
            );
        }
        assert_eq!(scratch.read("outside/target"), "precious\n");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links() {
    use std::os::unix::fs::symlink;
    let scratch = project("write-links");
    scratch.write("outside/target", "precious\n");
    scratch.write("project/src/a.cu", super::HEALTHY);
    let (target, folder) = (scratch.0.join("outside/target"), scratch.0.join("project"));
    symlink(&target, folder.join("linked.json")).expect("a link");
    symlink(scratch.0.join("outside"), folder.join("linked")).expect("a link");
    symlink(scratch.0.join("outside/none"), folder.join("dangling")).expect("a link");
    scratch.write("project/cudalint.toml", "baseline = 'linked.json'\n");
    for arguments in [
        &["baseline", "write", "src"][..],
        &[
            "baseline",
            "write",
            "--isolated",
            "--baseline",
            "linked.json",
            "src",
        ],
        &[
            "baseline",
            "write",
            "--isolated",
            "--baseline",
            "linked/target",
            "src",
        ],
        &["--isolated", "--output", "sarif=linked.json", "src"],
        &["--isolated", "--output", "sarif=linked/target", "src"],
        &["--isolated", "--output", "sarif=linked/new", "src"],
        &["--isolated", "--output", "sarif=dangling", "src"],
        &[
            "accesses",
            "--isolated",
            "--certificates",
            "linked/new",
            "src",
        ],
    ] {
        let output = cudalint_in(&folder, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stdout(&output));
        assert_eq!(
            scratch.read("outside/target"),
            "precious\n",
            "{arguments:?}"
        );
        for new in ["outside/new", "outside/none"] {
            assert!(!scratch.0.join(new).exists(), "{arguments:?}");
        }
    }
    // Where a link stays in the project it is followed.
    scratch.write("project/out/report", "old");
    symlink(folder.join("out/report"), folder.join("report")).expect("a link");
    let output = cudalint_in(&folder, &["--isolated", "--output", "sarif=report", "src"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(scratch.read("project/out/report").starts_with('{'));
}

#[cfg(unix)]
#[test]
fn fixes_stay_in_the_folders_that_were_named() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new("fix-inside");
    let text = std::fs::read_to_string(crate::support::root().join(crate::cli::EXAMPLE))
        .expect("the example");
    scratch.write("project/.git/HEAD", "ref: refs/heads/main\n");
    scratch.write("project/lib/k.cuh", &text);
    scratch.write("project/app/a.cu", "#include \"../lib/k.cuh\"\n");
    scratch.write("outside/b.cu", &text);
    let folder = scratch.0.join("project");
    symlink(scratch.0.join("outside/b.cu"), folder.join("app/b.cu")).expect("a link");
    symlink(scratch.0.join("project/lib/k.cuh"), folder.join("app/k.cu")).expect("a link");
    let output = cudalint_in(&folder, &["--fix", "--select", "CL101", "app"]);
    assert_eq!(scratch.read("project/lib/k.cuh"), text);
    assert_eq!(scratch.read("outside/b.cu"), text);
    let shown = stdout(&output);
    assert!(
        shown.contains("not applied: the file lies outside of the folders that were named"),
        "{shown}"
    );
    assert!(!shown.contains("(applied by --fix)"), "{shown}");
    cudalint_in(&folder, &["--fix", "--select", "CL101", "."]);
    assert_ne!(scratch.read("project/lib/k.cuh"), text);
    assert_eq!(scratch.read("outside/b.cu"), text);
}

#[test]
fn a_file_that_is_no_text_is_not_said_to_be_fixed() {
    let scratch = Scratch::new("lossy-fix");
    let text = std::fs::read_to_string(crate::support::root().join(crate::cli::EXAMPLE))
        .expect("the example");
    let bytes = [b"// \xff\n", text.as_bytes()].concat();
    scratch.write("a.cu", &bytes);
    let output = cudalint_in(&scratch.0, &["--fix", "--select", "CL101", "a.cu"]);
    let shown = stdout(&output);
    assert!(
        shown.contains("(not applied: the file is not UTF-8)"),
        "{shown}"
    );
    assert!(!shown.contains("(applied by --fix)"), "{shown}");
    assert_eq!(
        std::fs::read(scratch.0.join("a.cu")).expect("a file"),
        bytes
    );
}
