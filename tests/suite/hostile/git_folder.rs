//! A `.git` that somebody else made: it leads to no other repository, and nothing in it hangs git.

#![cfg(unix)]

use crate::cli::{code, cudalint_in, git, stderr, stdout};
use crate::support::Scratch;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

const SECRET: &str = "MARKED_SECRET_9e2b";
const CLEAN: &str = "__global__ void k(float *x) { x[threadIdx.x] = 0.0f; }\nvoid run(float *x) { k<<<1, 128>>>(x); }\n";

/// Somebody's repository with a staged kernel, and a project beside it that strangers made.
fn neighbours(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for place in ["private", "project"] {
        let folder = scratch.0.join(place);
        std::fs::create_dir_all(&folder).expect("a folder");
        git(&folder, &["init", "-q", "-b", "main"]);
        scratch.write(&format!("{place}/src/a.cu"), CLEAN);
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "-q", "-m", "first"]);
    }
    let bad = CLEAN.replace("threadIdx.x", "2 * threadIdx.x");
    scratch.write(
        "private/src/secret.cu",
        bad.replace("k(", &format!("{SECRET}("))
            .replace("k<", &format!("{SECRET}<")),
    );
    git(&scratch.0.join("private"), &["add", "."]);
    scratch.write("project/src/a.cu", bad);
    scratch
}

/// What both commands say in the project; none of it is the secret.
fn said(folder: &Path) -> [(i32, String); 2] {
    [&["--staged"][..], &["--since", "HEAD", "src"]].map(|how| {
        let arguments = [&["check", "-v", "--format", "concise"], how].concat();
        let output = cudalint_in(folder, &arguments);
        let all = stdout(&output) + &stderr(&output);
        assert!(!all.contains(SECRET), "{how:?}: {all}");
        (code(&output), all)
    })
}

#[test]
fn a_git_folder_leads_to_no_other_repository() {
    let scratch = neighbours("redirected");
    let project = scratch.0.join("project");
    let private = scratch.0.join("private/.git");
    // The secret is there to be found.
    let output = cudalint_in(
        &scratch.0.join("private"),
        &["check", "--format", "concise", "--staged", "-v"],
    );
    assert!(
        stdout(&output).contains("secret.cu:1:"),
        "{}",
        stderr(&output)
    );
    let own = scratch.0.join("own");
    std::fs::rename(project.join(".git"), &own).expect("a folder");
    let with = |change: &dyn Fn(&Path)| {
        let place = project.join(".git");
        let copied = Command::new("cp").arg("-r").arg(&own).arg(&place).status();
        assert!(copied.is_ok_and(|status| status.success()));
        change(&place);
        for (code, text) in said(&project) {
            assert_eq!(code, 2, "{text}");
            assert_eq!(text.lines().count(), 1, "{text}");
        }
        let _ = std::fs::remove_dir_all(&place);
        let _ = std::fs::remove_file(&place);
    };
    let replaced = |place: &Path| std::fs::remove_dir_all(place).expect("a folder");
    with(&|place| {
        replaced(place);
        std::fs::write(place, format!("gitdir: {}\n", private.display())).expect("a file");
    });
    with(&|place| {
        replaced(place);
        symlink(&private, place).expect("a link");
    });
    with(&|place| {
        std::fs::write(
            place.join("commondir"),
            private.as_os_str().as_encoded_bytes(),
        )
        .expect("a file")
    });
    for name in ["index", "HEAD", "objects", "refs", "config"] {
        with(&|place| {
            let inside = place.join(name);
            let _ = std::fs::remove_dir_all(&inside);
            let _ = std::fs::remove_file(&inside);
            symlink(private.join(name), &inside).expect("a link");
        });
    }
    // What would make git wait, or read without end.
    for name in [
        "index",
        "HEAD",
        "refs/heads/x",
        "objects/pack/x.idx",
        "config",
    ] {
        with(&|place| {
            let inside = place.join(name);
            let _ = std::fs::remove_file(&inside);
            let made = Command::new("mkfifo").arg(&inside).status();
            assert!(made.is_ok_and(|status| status.success()));
        });
        with(&|place| {
            let inside = place.join(name);
            let _ = std::fs::remove_file(&inside);
            symlink("/dev/zero", &inside).expect("a link");
        });
    }
}

#[test]
fn working_trees_submodules_and_shared_objects_are_followed() {
    let scratch = neighbours("several-trees");
    let project = scratch.0.join("project");
    let bad = scratch.read("project/src/a.cu");
    git(
        &project,
        &["worktree", "add", "-q", "../tree", "-b", "other"],
    );
    git(
        &project,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            "../private",
            "sub",
        ],
    );
    git(
        &scratch.0,
        &["clone", "-q", "--shared", "project", "shared"],
    );
    let settings = |folder: &Path| {
        let real = std::fs::canonicalize(folder).expect("a folder");
        let text = format!("[safe]\n\tdirectory = {}\n", real.display());
        scratch.write("settings", text);
        scratch.0.join("settings")
    };
    for place in ["tree", "project/sub"] {
        scratch.write(&format!("{place}/src/a.cu"), &bad);
        let output = cudalint_in(
            &scratch.0.join(place),
            &["check", "--format", "concise", "--since", "HEAD", "src"],
        );
        assert!(
            stdout(&output).contains("a.cu:1:"),
            "{place}: {}",
            stderr(&output)
        );
        assert_eq!(code(&output), 1);
    }
    // What the user vouches for, too: a `.git` elsewhere, and objects of another repository.
    std::fs::rename(project.join(".git"), scratch.0.join("elsewhere")).expect("a folder");
    scratch.write("project/.git", "gitdir: ../elsewhere\n");
    let objects = scratch.0.join("elsewhere/objects");
    scratch.write(
        "shared/.git/objects/info/alternates",
        format!("{}\n", objects.display()),
    );
    let shared = scratch.0.join("shared");
    scratch.write("shared/src/a.cu", &bad);
    for folder in [&project, &shared] {
        assert_eq!(said(folder).map(|(code, _)| code), [2, 2]);
        let output = Command::new(crate::support::program())
            .args(["check", "--no-cache", "--format", "concise"])
            .args(["--since", "HEAD", "src"])
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", settings(folder))
            .output()
            .expect("the binary");
        assert!(stdout(&output).contains("a.cu:1:"), "{}", stderr(&output));
    }
}

/// An index that names an object by its hash shows its text, wherever git finds it.
#[test]
fn objects_of_another_repository_are_not_taken() {
    let scratch = neighbours("borrowed");
    let (project, private) = (scratch.0.join("project"), scratch.0.join("private"));
    let output = Command::new("git")
        .args(["hash-object", "src/secret.cu"])
        .current_dir(&private)
        .output()
        .expect("git");
    let blob = stdout(&output).trim().to_owned();
    let entry = format!("100644,{blob},src/stolen.cu");
    git(&project, &["update-index", "--add", "--cacheinfo", &entry]);
    let list = "project/.git/objects/info/alternates";
    let objects = private.join(".git/objects");
    // A folder of the project that leads on.
    scratch.write(
        "project/own/info/alternates",
        "../../private/.git/objects\n",
    );
    let absolute = objects.display();
    for names in [
        format!("{absolute}\n"),
        format!("# a comment\n\n{absolute}"),
        format!("\"{absolute}\"\n"),
        "../../../private/.git/objects\n".to_owned(),
        "../../own\n".to_owned(),
    ] {
        scratch.write(list, &names);
        let seen = Command::new("git")
            .args(["cat-file", "-p", &blob])
            .current_dir(&project)
            .output()
            .expect("git");
        assert!(stdout(&seen).contains(SECRET), "{names}: {}", stderr(&seen));
        for (code, text) in said(&project) {
            assert_eq!(code, 2, "{names}: {text}");
            assert!(
                text.contains("takes objects from another repository"),
                "{text}"
            );
        }
    }
    // A folder of the project that leads nowhere else.
    std::fs::remove_file(scratch.0.join("project/own/info/alternates")).expect("a file");
    git(
        &project,
        &[
            "update-index",
            "--remove",
            "--force-remove",
            "src/stolen.cu",
        ],
    );
    scratch.write(list, "../../own\n");
    git(&project, &["add", "src"]);
    assert_eq!(said(&project).map(|(code, _)| code), [1, 1]);
}

#[test]
fn what_is_staged_is_judged_though_the_working_tree_lacks_it() {
    let scratch = neighbours("staged-only");
    let private = scratch.0.join("private");
    std::fs::remove_file(private.join("src/secret.cu")).expect("a file");
    let output = cudalint_in(&private, &["check", "--format", "concise", "--staged"]);
    assert!(
        stdout(&output).contains("src/secret.cu:1:"),
        "{}",
        stdout(&output)
    );
    assert_eq!(code(&output), 1);
}

/// What a repository or its tree can name that git opens by itself: a pipe there would make it wait for ever.
#[test]
fn git_opens_no_pipe() {
    let scratch = neighbours("named-pipes");
    let project = scratch.0.join("project");
    let pipe = |path: &Path| {
        let _ = std::fs::remove_file(path);
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.is_ok_and(|status| status.success()));
    };
    pipe(&scratch.0.join("project/pipe"));
    // A file that moved and changed, whose two texts git compares.
    git(&project, &["mv", "src/a.cu", "src/b.cu"]);
    let text = scratch.read("project/src/b.cu") + "// another line\n";
    scratch.write("project/src/b.cu", text);
    git(&project, &["add", "."]);
    let config = scratch.read("project/.git/config");
    let absolute = project.join("pipe");
    let both = |expected: i32| {
        for how in [&["--staged"][..], &["--since", "HEAD", "src"]] {
            let arguments = [&["check", "--no-cache", "--format", "concise"], how].concat();
            let output = super::run_bounded(&project, &arguments);
            assert_eq!(code(&output), expected, "{how:?}: {}", stderr(&output));
        }
    };
    for line in ["attributesFile", "excludesFile"] {
        let setting = format!("{config}[core]\n\t{line} = {}\n", absolute.display());
        scratch.write("project/.git/config", setting);
        both(1);
    }
    for include in [
        "[include]\n\tpath = ../pipe".to_owned(),
        "[INCLUDE] path = \"../pi\\\npe\"".to_owned(),
        "[includeIf \"gitdir:/\"]\n\tpath = ../pipe".to_owned(),
        format!("[include]\n\tpath = {}\n[broken", absolute.display()),
        "[include]\n\tpath = ../more".to_owned(),
        "[include]\n\tpath = /dev/zero".to_owned(),
        "[include]\n\tpath = ~nobody/x".to_owned(),
    ] {
        scratch.write("project/more", "[include]\n\tpath = pipe\n");
        scratch.write("project/.git/config", format!("{config}{include}\n"));
        both(2);
    }
    // What is there for good reasons.
    scratch.write("project/more", "[user]\n\tname = somebody\n");
    let plain = "[include]\n\tpath = ../more\n\tpath = ../none\n";
    scratch.write("project/.git/config", format!("{config}{plain}"));
    both(1);
    scratch.write("project/.git/config", config);
    pipe(&project.join(".gitattributes"));
    both(1);
}

/// Blanks pack well: a small object stands for a text of any length.
#[test]
fn objects_that_unpack_without_end_are_not_taken() {
    let scratch = neighbours("unpacked");
    let project = scratch.0.join("project");
    let small = scratch.read("project/src/a.cu");
    for name in ["src/a.cu", "src/new.cu"] {
        scratch.write(&format!("project/{name}"), " ".repeat(64 << 20));
    }
    git(&project, &["add", "."]);
    let run = |arguments: &[&str]| {
        let arguments = [&["check", "--no-cache", "--format", "concise"], arguments].concat();
        super::run_bounded(&project, &arguments)
    };
    let output = run(&["--staged"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 2, "{said}");
    assert_eq!(said.matches("too large; skipped").count(), 2, "{said}");
    // The text at the base is not known, so all of today's is new.
    git(&project, &["commit", "-q", "-m", "long"]);
    scratch.write("project/src/a.cu", &small);
    std::fs::remove_file(project.join("src/new.cu")).expect("a file");
    let output = run(&["--since", "HEAD", "src"]);
    assert!(
        stdout(&output).contains("src/a.cu:1:"),
        "{}",
        stderr(&output)
    );
}

/// A run over what is new since the last commit, where programs are looked for along this path.
fn since_head(project: &Path, search: &str) -> Output {
    Command::new(crate::support::program())
        .args(["check", "--no-cache", "--format", "concise"])
        .args(["--since", "HEAD", "src"])
        .current_dir(project)
        .env("PATH", search)
        .output()
        .expect("the binary")
}

/// A program in the place of git, which does this before git itself.
fn wrapped(scratch: &Scratch, before: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let found = Command::new("sh").args(["-c", "command -v git"]).output();
    let found = stdout(&found.expect("a shell"));
    let script = format!(
        "#!/bin/sh\nreal='{}'\n{before}\nexec \"$real\" \"$@\"\n",
        found.trim()
    );
    scratch.write("bin/git", script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scratch.0.join("bin/git"), mode).expect("a mode");
    let search = std::env::var("PATH").unwrap_or_default();
    format!("{}:{search}", scratch.0.join("bin").display())
}

/// A repository may ask git to hold objects of any size in memory. Here git has little of it, and says so where it
/// needs more.
#[test]
fn git_holds_no_large_object_in_memory() {
    let scratch = neighbours("large-objects");
    let project = scratch.0.join("project");
    git(&project, &["config", "core.bigFileThreshold", "4g"]);
    let line = " ".repeat(1023) + "\n";
    scratch.write("project/src/a.cu", line.repeat(256 << 10));
    git(&project, &["add", "."]);
    git(&project, &["commit", "-q", "-m", "large"]);
    git(&project, &["repack", "-a", "-d", "-q"]);
    scratch.write("project/src/a.cu", CLEAN);
    let errors = scratch.0.join("errors");
    let search = wrapped(
        &scratch,
        &format!("ulimit -v 200000\nexec 2>>'{}'", errors.display()),
    );
    let output = since_head(&project, &search);
    assert!(code(&output) <= 1, "{}", stderr(&output));
    let said = std::fs::read_to_string(&errors).unwrap_or_default();
    assert!(!said.contains("emory"), "{said}");
}

/// An index lists files behind a link that leads out: git is not asked to read them.
#[test]
fn git_reads_no_file_behind_a_link() {
    let scratch = neighbours("behind-a-link");
    let project = scratch.0.join("project");
    let listed = Command::new("git")
        .args(["rev-parse", "HEAD:src/a.cu"])
        .current_dir(&project)
        .output()
        .expect("git");
    let entry = format!("100644,{},link/secret.cu", stdout(&listed).trim());
    git(&project, &["update-index", "--add", "--cacheinfo", &entry]);
    symlink(scratch.0.join("private/src"), project.join("link")).expect("a link");
    let asked = scratch.0.join("asked");
    let before = format!(
        "case \"$*\" in *hash-object*) tee -a '{}' | \"$real\" \"$@\"; exit;; esac",
        asked.display()
    );
    let output = since_head(&project, &wrapped(&scratch, &before));
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let asked = std::fs::read_to_string(&asked).expect("what was asked");
    assert!(
        asked.contains("src/a.cu") && !asked.contains("link/secret"),
        "{asked}"
    );
}
