//! The vendor's judge: fixtures compiled by NVRTC, run by the interpreter of PTX, agree with the list of
//! accesses. Without NVRTC there is nothing to run: the test says so, and what it would have taken.

use crate::support::root;
use std::process::Command;

#[test]
fn fixtures_agree_with_nvrtc() {
    let output = Command::new(env!("CARGO_BIN_EXE_cudalint"))
        .args(["judge", "--nvrtc", "--seed", "1", "--runs", "4"])
        .args(["fixtures/global", "fixtures/shared"])
        .current_dir(root())
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    if complaint.contains("libnvrtc") {
        eprintln!("NOT RUN, fixtures were not compared with NVRTC: {complaint}");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{said}{complaint}");
    let all = said
        .lines()
        .find(|line| line.starts_with("all "))
        .unwrap_or("");
    let compared: usize = all
        .split_whitespace()
        .nth(3)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    assert!(compared >= 100, "{compared} kernels were compared\n{said}");
}
