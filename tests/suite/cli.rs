//! The binary, as users run it.

use crate::support::root;
use std::path::Path;
use std::process::{Command, Output};

fn cudalint(arguments: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_cudalint");
    let mut command = Command::new(binary);
    command.current_dir(root()).args(arguments).env("NO_COLOR", "1");
    command.output().unwrap_or_else(|error| panic!("{binary}: {error}"))
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_conflict_is_shown_and_gives_exit_code_1() {
    let output = cudalint(&["fixtures/launch/host_dim3_locals.cu"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 1, "{text}{}", stderr(&output));
    assert!(text.contains("bank-conflict") || text.contains("CL101"), "{text}");
    assert!(text.contains("host_dim3_locals.cu"), "{text}");
}

#[test]
fn a_clean_file_gives_exit_code_0() {
    let output = cudalint(&["fixtures/launch/launch_bounds.cu"]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn accesses_are_given_as_json() {
    let output = cudalint(&["accesses", "--format", "json", "fixtures/launch/host_dim3_locals.cu"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["schema"], "cudalint.accesses/1");
    let accesses = value["accesses"].as_array().expect("a list");
    assert_eq!(accesses.len(), 4);
    for access in accesses {
        for key in ["file", "line", "column", "kernel", "space", "op", "width", "unit", "cost", "ideal", "status"] {
            assert!(!access[key].is_null(), "{key} is missing in {access}");
        }
    }
}

#[test]
fn bad_input_is_one_sentence_and_exit_code_2() {
    let folder = std::env::temp_dir().join(format!("cudalint-suite-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("empty")).expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.display().to_string()
    };
    let binary = write("binary.cu", b"\x7fELF\0\0\0\0");
    let cases = [
        (vec!["no/such/file.cu"], "no/such/file.cu"),
        (vec![binary.as_str()], "binary.cu"),
        (vec!["--no-such-flag", "fixtures"], "--no-such-flag"),
        (vec!["explain", "CL999"], "CL999"),
    ];
    for (arguments, named) in cases {
        let output = cudalint(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(named), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{arguments:?}: {}", stderr(&output));
    }

    // The other files are still analysed.
    let output = cudalint(&["no/such/file.cu", "fixtures/launch/host_dim3_locals.cu"]);
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).contains("host_dim3_locals.cu"), "{}", stdout(&output));

    let empty = write("empty.cu", b"");
    assert_eq!(code(&cudalint(&[&empty])), 0);
    let latin = write("latin.cu", b"// caf\xe9\n__global__ void k(float *x) { x[threadIdx.x] = 0.0f; }\n");
    let output = cudalint(&[&latin]);
    assert!(matches!(code(&output), 0 | 1), "{}", stderr(&output));
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn rules_are_listed_and_explained() {
    let output = cudalint(&["rules"]);
    assert_eq!(code(&output), 0);
    for name in ["bank-conflict", "uncoalesced-access", "misaligned-access"] {
        assert!(stdout(&output).contains(name), "{}", stdout(&output));
    }
    let output = cudalint(&["explain", "CL101"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("bank"), "{}", stdout(&output));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let run = |threads: &str| {
        let arguments = ["accesses", "--format", "json", "-j", threads, "fixtures/shared", "fixtures/launch"];
        cudalint(&arguments).stdout
    };
    assert!(run("1") == run("4"), "the output depends on the number of threads");
}

#[test]
fn fixtures_can_all_be_checked_at_once() {
    assert!(Path::new(root()).join("fixtures").is_dir());
    let output = cudalint(&["fixtures"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
}
