//! Command lines of the pages, each run once as it stands there, in a small project that has what they name.
#![cfg(unix)]

use crate::cli::git;
use crate::support::{Scratch, collect, root};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

/// The kernel stands where pages name a line.
const KERNEL_AT: usize = 34;
const KERNEL: &str = "\
__global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
void run(float *out, const float *in) {
    transpose<<<dim3(32, 32), dim3(32, 32)>>>(out, in, 1024);
}
";

/// Those that need what no test has: a program under a profiler, a project of somebody else.
const ELSEWHERE: [&str; 4] = [
    "cudalint measure ",
    "cudalint compare page.csv",
    "cudalint check -v cuda-samples/",
    "--shared-cache /caches/",
];

fn project() -> Scratch {
    let scratch = Scratch::new("examples");
    let kernel = format!("{}{KERNEL}", "\n".repeat(KERNEL_AT));
    for name in ["a.cu", "transpose.cu", "src/a.cu"] {
        scratch.write(name, &kernel);
    }
    scratch.write("python/k.py", format!("code = r\"\"\"\n{KERNEL}\"\"\"\n"));
    scratch.write(
        "build/compile_commands.json",
        r#"[{"directory": "..", "command": "nvcc -Iinclude -c src/a.cu", "file": "src/a.cu"}]"#,
    );
    let requests = "fixtures/measured/h200-requests.csv";
    scratch.write(
        requests,
        std::fs::read(root().join(requests)).expect("requests"),
    );
    scratch.write("bin/nvcc", "#!/bin/sh\nexit 0\n");
    std::fs::set_permissions(
        scratch.0.join("bin/nvcc"),
        std::fs::Permissions::from_mode(0o755),
    )
    .expect("a mode");
    std::os::unix::fs::symlink(
        env!("CARGO_BIN_EXE_cudalint"),
        scratch.0.join("bin/cudalint"),
    )
    .expect("a link");
    let folder = &scratch.0;
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "first"]);
    git(folder, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    scratch
}

/// Lines of the blocks for a shell that call the program, without their remarks.
fn commands(page: &str) -> Vec<String> {
    let mut is_shell = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
        } else if is_shell {
            let line = line.split("  #").next().unwrap_or(line).trim();
            if line.starts_with("cudalint ") || line.starts_with("cat a.cu | cudalint ") {
                found.push(line.to_owned());
            }
        }
    }
    found
}

#[test]
fn every_command_of_the_pages_can_be_run() {
    let scratch = project();
    let mut pages: Vec<PathBuf> = Vec::new();
    collect(&root().join("docs/src"), "md", &mut pages);
    pages.sort();
    for name in ["README.md", "build-systems/README.md", "editors/README.md"] {
        pages.push(root().join(name));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", scratch.0.join("bin").display());
    let run = |line: &str| {
        Command::new("sh")
            .args(["-c", line])
            .current_dir(&scratch.0)
            .env("PATH", &path)
            .env("CUDALINT_CACHE_DIR", scratch.0.join("cache"))
            .output()
            .expect("a shell starts")
    };
    let (mut count, mut problems) = (0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        for line in commands(&text) {
            if ELSEWHERE.iter().any(|part| line.contains(part)) {
                continue;
            }
            let line = line
                .replace("--cache-dir /caches/cudalint", "--cache-dir cache")
                .replace("FILE", "a.cu");
            // The other parts, where the page shows one of them.
            if line.contains("--shard 1/4 --format json") {
                for part in 2..=4 {
                    let other = line
                        .replace("1/4", &format!("{part}/4"))
                        .replace("1.json", &format!("{part}.json"))
                        .replace("1.sarif", &format!("{part}.sarif"));
                    run(&other);
                }
            }
            let output = run(&line);
            count += 1;
            if !matches!(output.status.code(), Some(0 | 1)) {
                let error = String::from_utf8_lossy(&output.stderr);
                problems.push(format!("{}: {line}\n{error}", page.display()));
            }
            // What a fix changed.
            git(&scratch.0, &["checkout", "-q", "."]);
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count > 40, "{count} commands were found in the pages");
}
