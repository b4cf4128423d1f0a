//! Whatever goes wrong while fixes are written, and whenever a run is killed: every file is whole.

#![cfg(target_os = "linux")]

use crate::cli::{EXAMPLE, stderr};
use crate::support::{Scratch, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NAMES: [&str; 2] = ["a.cu", "b.cu"];
/// About as many calls change something while two files are fixed.
const CALLS: u32 = 14;

/// A project whose two files have a fix each.
struct Project {
    scratch: Scratch,
    before: String,
    after: String,
}

impl Project {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        let before = std::fs::read_to_string(root().join(EXAMPLE)).expect("the example");
        let mut this = Self {
            scratch,
            before,
            after: String::new(),
        };
        this.reset();
        assert!(this.command().status().is_ok());
        this.after = this.scratch.read("project/a.cu");
        assert_ne!(this.after, this.before);
        this.reset();
        this
    }

    fn folder(&self) -> PathBuf {
        self.scratch.0.join("project")
    }

    fn reset(&self) {
        let _ = std::fs::remove_dir_all(self.folder());
        for name in NAMES {
            self.scratch.write(&format!("project/{name}"), &self.before);
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(crate::support::program());
        command
            .current_dir(self.folder())
            .args(["check", "--fix-only", "--select", "CL101", "-j", "1"])
            .args(NAMES)
            .arg("--cache-dir")
            .arg(self.scratch.0.join("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Whether each file is as it is to be; `None` where one is neither so nor as it was.
    fn state(&self) -> Option<[bool; 2]> {
        let state = NAMES.map(|name| {
            let text = self.scratch.read(&format!("project/{name}"));
            (text == self.before || text == self.after).then_some(text == self.after)
        });
        Some([state[0]?, state[1]?])
    }

    fn left_behind(&self) -> usize {
        std::fs::read_dir(self.folder()).map_or(0, Iterator::count) - NAMES.len()
    }
}

/// Builds the library that makes calls fail. Where there is no C compiler there is no such test.
fn harness(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("fail.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(root().join("tests/suite/hostile/fail.c"))
        .arg("-ldl")
        .status();
    built
        .is_ok_and(|status| status.success())
        .then_some(library)
}

/// Lets the call with this number fail.
fn fail_in(command: &mut Command, project: &Project, library: &Path, how: &str, at: usize) {
    command
        .env("LD_PRELOAD", library)
        .env("FAIL_FOLDER", project.folder())
        .env("FAIL_HOW", how)
        .env("FAIL_AT", at.to_string());
}

#[test]
fn every_call_that_fails_leaves_whole_files() {
    let project = Project::new("calls-that-fail");
    let Some(library) = harness(&project.scratch.0) else {
        return;
    };
    let run = |how: &str, at: usize| -> Output {
        project.reset();
        let mut command = project.command();
        fail_in(&mut command, &project, &library, how, at);
        command.output().expect("the binary")
    };
    for how in ["once", "full", "kill"] {
        let mut failures = 0;
        for at in 1.. {
            assert!(at < 100, "{how}: no end");
            let output = run(how, at);
            let said = stderr(&output);
            let state = project.state();
            let state = state.unwrap_or_else(|| panic!("{how} {at}: a file is damaged: {said}"));
            let is_killed = output.status.code().is_none();
            if !is_killed && state == [true, true] {
                // A folder that cannot be flushed is no failure, so a few calls more may be told to fail.
                if said == "2 fixed\n" && at > CALLS as usize {
                    break;
                }
                continue;
            }
            failures += 1;
            if how != "kill" {
                assert_eq!(output.status.code(), Some(2), "{how} {at}: {said}");
                let is_told = state == [false, false] && said.contains("nothing was changed")
                    || said.contains("changed all the same");
                assert!(is_told, "{how} {at}: {state:?}: {said}");
                // One call that fails may be the one that tidies up.
                assert!(project.left_behind() <= 2, "{how} {at}");
            }
        }
        assert!(failures >= 6, "{how}: only {failures} calls could fail");
    }
}

/// Files that are written besides: a baseline, reports, and sources with comments that accept findings.
#[test]
fn whatever_is_written_is_whole() {
    const OLD: &str = "{\"schema\":\"cudalint.baseline/1\",\"findings\":[]}\n";
    let project = Project::new("written");
    let Some(library) = harness(&project.scratch.0) else {
        return;
    };
    let run = |arguments: &[&str], fail: Option<(&str, usize)>| -> (Option<i32>, [String; 3]) {
        project.reset();
        project.scratch.write("project/kept", OLD);
        let mut command = Command::new(crate::support::program());
        command
            .current_dir(project.folder())
            .args(arguments)
            .args(NAMES)
            .args(["--isolated", "-j", "1", "--cache-dir"])
            .arg(project.scratch.0.join("cache"));
        if let Some((how, at)) = fail {
            fail_in(&mut command, &project, &library, how, at);
        }
        let output = command.output().expect("the binary");
        let texts = ["kept", NAMES[0], NAMES[1]];
        let texts = texts.map(|name| project.scratch.read(&format!("project/{name}")));
        (output.status.code(), texts)
    };
    for arguments in [
        &["baseline", "write", "--baseline", "kept"][..],
        &["check", "--exit-zero", "-q", "--output", "sarif=kept"],
        &["check", "--exit-zero", "-q", "--output", "html=kept"],
        &["check", "--exit-zero", "-q", "--add-allow=later"],
    ] {
        let (code, after) = run(arguments, None);
        assert_eq!(code, Some(0), "{arguments:?}");
        let before = [OLD, &project.before, &project.before];
        assert_ne!(after, before, "{arguments:?}: nothing is written");
        for how in ["once", "full", "kill"] {
            let mut failures = 0;
            for at in 1..=CALLS as usize {
                let (code, texts) = run(arguments, Some((how, at)));
                for ((text, before), after) in texts.iter().zip(before).zip(&after) {
                    let is_whole = text == before || text == after;
                    assert!(is_whole, "{arguments:?}: {how} {at}: {text:.300}");
                }
                failures += usize::from(code != Some(0));
                assert!(
                    code != Some(0) || texts == after,
                    "{arguments:?}: {how} {at}"
                );
            }
            assert!(
                failures >= 4,
                "{arguments:?}: {how}: only {failures} calls could fail"
            );
        }
    }
}

const KILLS: u32 = 1000;
/// Projects whose runs are killed side by side.
const PROJECTS: u32 = 4;

/// Kills runs: half of them at moments spread over the time that one takes, half of them within the calls that
/// write, each time with another share of the bytes written. Gives how many were fixed all the same.
fn kills(project: &Project, library: Option<&Path>, numbers: impl Iterator<Item = u32>) -> u32 {
    let start = std::time::Instant::now();
    assert!(project.command().status().is_ok());
    let took = start.elapsed();
    let mut fixed = 0;
    for nth in numbers {
        project.reset();
        // The golden ratio spreads moments evenly without repeating one.
        let share = (f64::from(nth) * 0.618_034).fract();
        let mut command = project.command();
        match library.filter(|_| (nth / PROJECTS).is_multiple_of(2)) {
            Some(library) => {
                let at = 1 + nth / PROJECTS / 2 % CALLS;
                fail_in(&mut command, project, library, "kill", at as usize);
                command.env("FAIL_PERCENT", format!("{:.0}", share * 100.0));
                let _ = command.output();
            }
            None => {
                let mut child = command.spawn().expect("the binary");
                std::thread::sleep(took.mul_f64(share));
                let _ = child.kill();
                let _ = child.wait();
            }
        }
        let state = project.state();
        let state = state.unwrap_or_else(|| panic!("kill {nth}: a file is damaged"));
        fixed += u32::from(state == [true, true]);
    }
    fixed
}

#[test]
fn a_thousand_killed_runs_leave_whole_files() {
    let projects: Vec<Project> = (0..PROJECTS)
        .map(|nth| Project::new(&format!("killed-{nth}")))
        .collect();
    let library = harness(&projects[0].scratch.0);
    let fixed: u32 = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..PROJECTS)
            .zip(&projects)
            .map(|(nth, project)| {
                let numbers = (nth..KILLS).step_by(PROJECTS as usize);
                let library = library.as_deref();
                scope.spawn(move || kills(project, library, numbers))
            })
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("whole files"))
            .sum()
    });
    assert!(fixed < KILLS / 2, "{fixed} runs were killed too late");
}

#[test]
fn edits_of_others_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new("permissions");
    let file = project.folder().join("a.cu");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    assert!(project.command().status().is_ok());
    assert_eq!(project.state(), Some([true, true]));
    let mode = std::fs::metadata(&file)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(project.left_behind(), 0);
}

/// Somebody saves one of the files at each moment of the writing: the text that they saved stays, and the other
/// file is as it was, or all are fixed and the edit came after that.
#[test]
fn what_is_saved_while_fixes_are_written_stays() {
    let project = Project::new("edited-meanwhile");
    let Some(library) = harness(&project.scratch.0) else {
        return;
    };
    let done = project.scratch.0.join("done");
    for name in NAMES {
        let (mut kept, mut refused) = (0, 0);
        for at in 1..=CALLS as usize {
            project.reset();
            let _ = std::fs::remove_file(&done);
            let mut command = project.command();
            fail_in(&mut command, &project, &library, "edit", at);
            command
                .env("FAIL_EDITED", project.folder().join(name))
                .env("FAIL_DONE", &done);
            let output = command.output().expect("the binary");
            if !done.exists() {
                break;
            }
            let said = stderr(&output);
            let texts = NAMES.map(|name| project.scratch.read(&format!("project/{name}")));
            let whole = |text: &String| {
                [&*project.before, &*project.after, "theirs"].contains(&text.as_str())
            };
            assert!(texts.iter().all(whole), "{name} {at}: {said}");
            let theirs = project.scratch.read(&format!("project/{name}"));
            kept += usize::from(theirs == "theirs");
            if output.status.code() == Some(2) {
                refused += 1;
                assert!(
                    said.contains("changed while it was analysed"),
                    "{name} {at}: {said}"
                );
                assert!(said.contains("nothing was changed"), "{name} {at}: {said}");
                assert!(!texts.contains(&project.after), "{name} {at}: {said}");
                assert_eq!(theirs, "theirs", "{name} {at}: {said}");
            }
        }
        // Until the call that puts the new text in its place, every edit is seen.
        assert!(
            refused >= 6 && kept >= refused,
            "{name}: {refused} refused, {kept} kept"
        );
    }
}
