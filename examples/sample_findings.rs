//! Findings drawn at random from source trees, for reading by hand.
//!
//! `cargo run --example sample_findings -- SEED COUNT BINARY FOLDER…` runs the binary over each folder
//! and prints COUNT findings of those that it reports by default, each with its lines, in an order that
//! the seed decides. The table of what was worth it is written by whoever reads them.

use serde_json::Value;
use std::process::Command;

/// Lines of source before and after the finding.
const CONTEXT: usize = 6;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("missing {what}"));
    let seed: u64 = next("SEED")?.parse().map_err(|_| "SEED is no number")?;
    let count: usize = next("COUNT")?.parse().map_err(|_| "COUNT is no number")?;
    let binary = next("BINARY")?;
    let mut findings: Vec<Value> = Vec::new();
    for folder in arguments {
        let output = Command::new(&binary)
            .args(["check", "--format", "json", "--exit-zero", &folder])
            .output()
            .map_err(|error| format!("{binary}: {error}"))?;
        let document: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("{folder}: {error}"))?;
        findings.extend(document["findings"].as_array().cloned().unwrap_or_default());
    }
    println!("seed {seed}, {} findings, {count} drawn", findings.len());
    shuffle(&mut findings, seed);
    for (number, finding) in findings.iter().take(count).enumerate() {
        tell(number + 1, finding);
    }
    Ok(())
}

fn shuffle(findings: &mut [Value], seed: u64) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for last in (1..findings.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        findings.swap(last, (state % (last as u64 + 1)) as usize);
    }
}

fn tell(number: usize, finding: &Value) {
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let line = finding["line"].as_u64().unwrap_or(1) as usize;
    let file = text("file");
    println!(
        "\n## {number}: {} {} {} at {file}:{line} in `{}{}`\n{}",
        text("code"),
        text("level"),
        text("evidence"),
        text("kernel"),
        text("instance"),
        text("message")
    );
    for note in finding["notes"].as_array().into_iter().flatten() {
        println!("  = {}", note.as_str().unwrap_or_default());
    }
    for fix in finding["fixes"].as_array().into_iter().flatten() {
        println!("  help: {}", fix["title"].as_str().unwrap_or_default());
    }
    let source = std::fs::read_to_string(&file).unwrap_or_default();
    let from = line.saturating_sub(CONTEXT + 1);
    for (at, text) in source.lines().enumerate().skip(from).take(2 * CONTEXT + 1) {
        let mark = if at + 1 == line { ">" } else { " " };
        println!("{mark} {:5} {text}", at + 1);
    }
}
