//! What `validate` and `compare` say where no GPU is.

use super::{code, cudalint, cudalint_in, stderr, stdout};
use crate::support::{Scratch, root};
use std::process::Command;

/// Whether or not there is a GPU, none is visible.
#[test]
fn validation_without_a_gpu_says_so() {
    let mut command = Command::new(crate::support::program());
    let command = command
        .current_dir(root())
        .env("CUDA_VISIBLE_DEVICES", "-1");
    let output = command
        .args(["validate", "fixtures/shared/transpose_tile.cu"])
        .output()
        .expect("the binary");
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}

#[test]
fn a_recording_is_compared_without_a_gpu() {
    let recording = "fixtures/measured/sm_90-h200.json";
    let fixture = "fixtures/shared/transpose_tile.cu";
    let output = cudalint(&["validate", "compare", recording, fixture]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("NVIDIA H200 (sm_90)"), "{text}");
    assert!(text.ends_with("4 of 4 lines agree, 0 problems\n"), "{text}");

    let scratch = Scratch::new("compare");
    let changed = std::fs::read_to_string(root().join(fixture)).expect("the fixture");
    scratch.write(fixture, format!("{changed}\n"));
    let recording = root().join(recording).display().to_string();
    let output = cudalint_in(&scratch.0, &["validate", "compare", &recording, fixture]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("has changed since it was measured"));
}

#[test]
fn a_plan_names_its_seed_and_launches() {
    let scratch = Scratch::new("plan");
    let fixture = root()
        .join("fixtures/shared/transpose_tile.cu")
        .display()
        .to_string();
    let arguments = [
        "validate",
        "plan",
        &fixture,
        "--seed",
        "3",
        "-o",
        "plan.json",
    ];
    let output = cudalint_in(&scratch.0, &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("1 launches of 1 files, seed 3"),
        "{}",
        stderr(&output)
    );
    let plan: serde_json::Value = serde_json::from_str(&scratch.read("plan.json")).expect("JSON");
    assert_eq!(plan["launches"][0]["seed"], 3);
    assert_eq!(plan["launches"][0]["kernel"], "transpose");
}

#[test]
fn a_report_that_is_no_page_is_one_sentence() {
    let scratch = Scratch::new("report");
    scratch.write("report.csv", "a,b\n");
    let fixture = root()
        .join("fixtures/shared/transpose_tile.cu")
        .display()
        .to_string();
    let output = cudalint_in(&scratch.0, &["compare", "report.csv", &fixture]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("no source page"),
        "{}",
        stderr(&output)
    );
}
