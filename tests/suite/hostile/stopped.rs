//! A signal ends a run soon, wherever it is, with a report that says what was left out.

#![cfg(unix)]

use super::HEALTHY;
use crate::cli::EXAMPLE;
use crate::support::{Scratch, root};
use cudalint::session::control::Control;
use cudalint::session::{self, Options, Retain};
use cudalint::source::SourceFile;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fmt::Write as _;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Kernels that no two proofs are shared by, which take minutes together.
fn many_kernels() -> String {
    let mut text = String::from(HEALTHY);
    for n in 0..20_000 {
        let _ = writeln!(
            text,
            "__global__ void k{n}(float *o, int a, int b) {{\n  __shared__ float s[4096];\n  \
             for (int i = 0; i < a; i += {0}) for (int j = threadIdx.x; j < b; j += {1})\n    \
             if ((i ^ j) % {2} < 5) s[(i * {1} + j / {2} * 33 + (j ^ {n})) % 4096] = o[i * b + j * {0} + {n}];\n}}\n\
             void r{n}(float *o) {{ k{n}<<<{3}, 256>>>(o, 100, 200); }}",
            n + 1,
            n % 97 + 2,
            n % 89 + 7,
            n + 1,
        );
    }
    text
}

/// A run that a signal is sent to once it is well under way.
fn stopped(signal: Signal, folder: &Scratch, arguments: &[&str]) -> Output {
    let child = Command::new(crate::support::program())
        .current_dir(&folder.0)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    std::thread::sleep(Duration::from_secs(2));
    kill_process(Pid::from_child(&child), signal).expect("it runs");
    child.wait_with_output().expect("an end")
}

fn reasons(report: &Value) -> Vec<&str> {
    let gaps = report["not_analysed"].as_array().expect("a list").iter();
    gaps.filter_map(|gap| gap["reason"].as_str()).collect()
}

#[test]
fn a_signal_ends_one_long_file() {
    let scratch = Scratch::new("stopped");
    scratch.write("a.cu", many_kernels());
    for signal in [Signal::INT, Signal::TERM] {
        for format in ["json", "html"] {
            let arguments = ["check", "--no-cache", "--format", format, "a.cu"];
            let output = stopped(signal, &scratch, &arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("stopped by a signal"), "{said}");
            let text = String::from_utf8_lossy(&output.stdout);
            if format == "html" {
                assert!(text.trim_end().ends_with("</html>"));
                continue;
            }
            let report: Value = serde_json::from_str(&text).expect("a whole report");
            let stopped = |reason: &&str| reason.starts_with("the run was stopped");
            assert!(reasons(&report).iter().any(stopped), "{text:.2000}");
        }
    }
}

#[test]
fn a_stopped_run_changes_no_file() {
    let scratch = Scratch::new("stopped-fix");
    let example = std::fs::read_to_string(root().join(EXAMPLE)).expect("the example");
    scratch.write("a.cu", &example);
    scratch.write("b.cu", many_kernels());
    let arguments = ["check", "--no-cache", "--fix", "-q", "a.cu", "b.cu"];
    let output = stopped(Signal::TERM, &scratch, &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(scratch.read("a.cu"), example);
    let arguments = ["baseline", "write", "--no-cache", "a.cu", "b.cu"];
    let output = stopped(Signal::TERM, &scratch, &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(!scratch.0.join("cudalint-baseline.json").exists());
}

/// Whatever a run keeps, one that is stopped from the start finds nothing and names every file.
#[test]
fn a_run_that_is_stopped_at_once_names_every_file() {
    for keeps in [Retain::Findings, Retain::Accesses, Retain::Everything] {
        let control = Arc::new(Control::default());
        control.stop();
        let options = Options {
            reads_disk: false,
            keeps,
            control: Some(control),
            ..Options::default()
        };
        let file = |name: &str| Arc::new(SourceFile::new(name.into(), HEALTHY.into()));
        let analysis = session::analyse(&[file("a.cu"), file("b.cu")], &options);
        assert!(analysis.findings.is_empty() && analysis.accesses.is_empty());
        let named: Vec<&str> = analysis
            .not_analysed
            .iter()
            .map(|gap| gap.function.as_str())
            .collect();
        assert_eq!(named, ["a.cu", "b.cu"], "{keeps:?}");
    }
}
