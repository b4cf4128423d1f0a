//! What happens on checkouts of production projects: one row a project, each run in a process of its own.
//!
//! `cargo run --release --example production_table -- BINARY [--reasons N] FOLDER…` runs
//! `BINARY stats` on each of the folders, with the include folders that a user of the project would
//! give where it is one of those known below, and prints files, kernels, accesses resolved, what was
//! not followed, time and peak memory (Linux). `--reasons N` lists the most frequent reasons as well.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What a run may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Projects by the name of their folder: what is read, and where their headers are.
const KNOWN: [(&str, &[&str], &[&str]); 6] = [
    ("ggml", &["src/ggml-cuda"], &["include", "src"]),
    (
        "flashinfer",
        &["csrc", "include"],
        &["csrc", "csrc/nv_internal", "csrc/nv_internal/include"],
    ),
    (
        "flash-attention",
        &["csrc", "hopper"],
        &[
            "csrc/flash_attn",
            "csrc/flash_attn/src",
            "csrc/cutlass/include",
        ],
    ),
    ("bitsandbytes", &["csrc"], &[]),
    ("DeepSpeed", &["."], &[]),
    ("cutlass", &["examples"], &["include", "tools/util/include"]),
];

struct Took {
    text: String,
    wall: Duration,
    /// Kilobytes.
    memory: Option<u64>,
    has_ended: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("production_table: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().ok_or("name the binary, then folders")?;
    let binary = std::fs::canonicalize(&binary).map_err(|error| format!("{binary}: {error}"))?;
    let mut reasons = 0;
    let mut folders = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--reasons" {
            let count = arguments.next().and_then(|count| count.parse().ok());
            reasons = count.ok_or("--reasons needs a number")?;
        } else {
            folders.push(argument);
        }
    }
    println!(
        "| project | files | kernels/instances | global: exact, bounded, data, unknown | resolved | shared: exact, bounded, data, unknown | resolved | not analysed | parse problems | gaps | without access: not analysed, not followed, empty as compiled, silent | time | peak |"
    );
    println!("|{}", "---|".repeat(13));
    for folder in folders {
        let took = stats(&binary, Path::new(&folder))?;
        row(&folder, &took, reasons);
    }
    Ok(())
}

fn stats(binary: &Path, folder: &Path) -> Result<Took, String> {
    let name = folder
        .file_name()
        .map_or("", |name| name.to_str().unwrap_or(""));
    let known = KNOWN.iter().find(|(known, ..)| *known == name);
    let (paths, includes) = known.map_or((&["."][..], &[][..]), |(_, paths, includes)| {
        (*paths, *includes)
    });
    let mut command = Command::new(binary);
    command
        .args(["stats", "--isolated", "--no-cache"])
        .args(paths);
    for include in includes {
        command.args(["-I", include]);
    }
    let start = Instant::now();
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(problem)?;
    let out = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut out) = out {
            let _ = std::io::Read::read_to_string(&mut out, &mut text);
        }
        text
    });
    let status = format!("/proc/{}/status", child.id());
    let mut memory = None;
    let has_ended = loop {
        memory = peak(&status).or(memory);
        match child.try_wait().map_err(problem)? {
            Some(_) => break true,
            None if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let wall = start.elapsed();
    let text = reader.join().unwrap_or_default();
    Ok(Took {
        text,
        wall,
        memory,
        has_ended,
    })
}

fn peak(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn row(folder: &str, took: &Took, reasons: usize) {
    let end = if took.has_ended {
        format!("{:.1} s", took.wall.as_secs_f64())
    } else {
        format!("none in {} s", PATIENCE.as_secs())
    };
    let peak = took.memory.map_or_else(
        || "?".to_owned(),
        |kilobytes| format!("{} MB", kilobytes / 1024),
    );
    let Ok(document) = serde_json::from_str::<Value>(&took.text) else {
        println!("| {folder} | no answer{} {end} | {peak} |", " |".repeat(10));
        return;
    };
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let space = |name: &str| {
        let answers = &document["accesses"][name];
        let sum = |start: &str| -> u64 {
            let all = answers.as_object().into_iter().flatten();
            all.filter(|(answer, _)| answer.starts_with(start))
                .map(|(_, count)| number(count))
                .sum()
        };
        let parts = ["exact", "bounded", "data-dependent", "unknown"].map(sum);
        let all: u64 = parts.iter().sum();
        let share = 100.0 * (all - parts[3]) as f64 / all.max(1) as f64;
        let [exact, bounded, data, unknown] = parts;
        format!("{exact}, {bounded}, {data}, {unknown} | {share:.1}%")
    };
    let list = |key: &str| {
        let value = &document[key];
        let value = value.get("reasons").unwrap_or(value);
        value.as_array().cloned().unwrap_or_default()
    };
    let is_parse = |one: &&Value| {
        let reason = one["reason"].as_str().unwrap_or("");
        reason.contains("cannot be read") || reason.contains("could not be read")
    };
    let problems: u64 = list("not_analysed")
        .iter()
        .filter(is_parse)
        .map(|one| number(&one["count"]))
        .sum();
    let without = &document["without_access"];
    println!(
        "| {folder} | {} | {}/{} | {} | {} | {} | {problems} | {} | {}, {}, {}, {} | {end} | {peak} |",
        document["files"],
        document["kernels"],
        document["kernel_instances"],
        space("global"),
        space("shared"),
        document["not_analysed"]["total"],
        document["gaps"]["total"],
        without["not_analysed"],
        without["not_followed"],
        without["empty"],
        without["silent"],
    );
    for key in ["not_analysed", "gaps", "unknown"] {
        for one in list(key).iter().take(reasons) {
            println!(
                "  {key}: {} × {}",
                one["count"],
                one["example"].as_str().unwrap_or("")
            );
        }
    }
}
