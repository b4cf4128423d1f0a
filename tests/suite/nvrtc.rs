//! The vendor's judge: fixtures compiled by NVRTC, run by the interpreter of PTX, agree with the list of
//! accesses. Without NVRTC there is nothing to run: the test says so, and what it would have taken.

use crate::support::{Scratch, root};
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

/// What the compiler's machine code has, and what it does not have, of accesses that findings are about.
#[test]
fn findings_are_held_against_machine_code() {
    let text = "__global__ void kept(float *out) {
    __shared__ float s[1024];
    s[threadIdx.x * 32] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * 32 % 1023];
}
__global__ void dropped(float *out, const float *in) {
    float unused = in[threadIdx.x * 32];
    out[threadIdx.x] = 1;
}
void run(float *a) { kept<<<1, 32>>>(a); dropped<<<1, 32>>>(a, a); }
";
    let folder = Scratch::new("confirm");
    folder.write("a.cu", text);
    let output = Command::new(env!("CARGO_BIN_EXE_cudalint"))
        .args([
            "check",
            "--no-cache",
            "-v",
            "--level",
            "info",
            "--confirm",
            "nvrtc",
        ])
        .arg(folder.0.join("a.cu"))
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    if complaint.contains("libnvrtc") {
        eprintln!("NOT RUN, findings were not held against machine code: {complaint}");
        return;
    }
    assert!(
        said.contains("confirmed: NVRTC makes one access of 4 bytes"),
        "{said}{complaint}"
    );
    assert!(
        said.contains("eliminated: NVRTC's code"),
        "{said}{complaint}"
    );
    assert!(
        complaint.contains("eliminates 1, does not show 0, does not compile 0"),
        "{said}{complaint}"
    );
}
