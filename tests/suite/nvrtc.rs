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

/// The compiler opens what a text includes by itself, and its complaints quote that. Sources are copied for it.
#[test]
fn nothing_outside_of_the_project_is_compiled_or_changed() {
    const SECRET: &str = "MARKED_SECRET_2ad7";
    let folder = Scratch::new("confirm-hostile");
    let secret = folder.0.join("outside/secret.h");
    let depth = folder.0.components().count() + 4;
    let up = "../".repeat(depth);
    let absolute = secret.display();
    for include in [
        format!("#include \"{absolute}\""),
        "#include \"../../outside/secret.h\"".to_owned(),
        format!("#include \"{up}{absolute}\""),
        // No folder of this name is there, so only who makes one gets through.
        format!("#include \"none/../{up}{absolute}\""),
        format!(
            "#include \"none/../{up}{}\"",
            folder.0.join("outside/new.h").display()
        ),
        format!("#include \"{}\"", folder.0.join("outside/new.h").display()),
        format!("#define H \"{absolute}\"\n#include H"),
        format!("#inc\\\nlude \"{absolute}\""),
        format!("/*\n*/ #/**/include \"{absolute}\""),
        format!("%:include <{absolute}>"),
        format!("int unused; #include \"{absolute}\""),
        "#include \"../.env\"".to_owned(),
        "#define H \"../project/.env\"\n#include H".to_owned(),
    ] {
        let _ = std::fs::remove_dir_all(&folder.0);
        // Within the kernel, which is no kernel with this: the complaint tells.
        let text = format!("{SECRET};\n");
        let kernel =
            format!("__global__ void k(float *o) {{\n{include}\no[threadIdx.x * 2] = 1;\n}}\n");
        folder.write("outside/secret.h", &text);
        folder.write("project/.git/HEAD", "ref: refs/heads/main\n");
        folder.write("project/.env", &text);
        folder.write(
            "project/src/a.cu",
            kernel + "void run() { k<<<1, 32>>>(0); }\n",
        );
        let output = Command::new(crate::support::program())
            .args(["check", "--no-cache", "-v", "--confirm", "nvrtc", "src"])
            .current_dir(folder.0.join("project"))
            .output()
            .expect("the program runs");
        let said =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        if said.contains("libnvrtc") {
            eprintln!("NOT RUN, nothing was compiled: {said}");
            return;
        }
        assert!(!said.contains(SECRET), "{include}: {said}");
        assert_eq!(folder.read("outside/secret.h"), text, "{include}");
        assert!(!folder.0.join("outside/new.h").exists(), "{include}");
        // What we do not read of a kernel is not asked about.
        let is_unread = include.starts_with('%') || include.starts_with("int");
        let is_asked = said.contains("of 1 findings") || is_unread;
        assert!(is_asked, "{include}: {said}");
    }
}
