//! Makes a failing case small: as long as the same kind of failure stays, text goes.

use super::batch::Toolchain;
use super::case::Case;
use super::driver::{Options, judge_all};
use super::finds::Finding;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);
const AT_ONCE: usize = 24;

pub fn reduce(
    options: &Options,
    toolchain: &Toolchain,
    case: &Case,
    finding: &Finding,
    latest: Instant,
) -> (String, Finding) {
    let end = latest.min(Instant::now() + LONGEST);
    let options = &Options {
        deadline: options.deadline.or_at(end),
        ..options.clone()
    };
    let mut best = (case.text.clone(), finding.clone());
    loop {
        let mut is_smaller = false;
        for mut candidates in [without_lines(&best.0), simpler(&best.0)] {
            candidates.retain(|text| launches(text) == launches(&best.0));
            let mut from = 0;
            while from < candidates.len() && Instant::now() < end {
                let some = &candidates[from..candidates.len().min(from + AT_ONCE)];
                from += some.len();
                if let Some(found) = first_failing(options, toolchain, some, finding) {
                    best = found;
                    is_smaller = true;
                    break;
                }
            }
        }
        if !is_smaller || Instant::now() >= end {
            return best;
        }
    }
}

/// How a text says that its kernels are launched: a failure without that is another one.
fn launches(text: &str) -> (Vec<&str>, bool) {
    let directives = text.lines().filter(|line| line.starts_with("//@"));
    (directives.collect(), Case::new("", text).has_main)
}

fn first_failing(
    options: &Options,
    toolchain: &Toolchain,
    texts: &[String],
    finding: &Finding,
) -> Option<(String, Finding)> {
    let cases: Vec<Case> = texts
        .iter()
        .map(|text| Case::new("reduced", text))
        .collect();
    let list: Vec<&Case> = cases.iter().collect();
    let judged = judge_all(options, toolchain, &list, options.seed).ok()?;
    texts
        .iter()
        .zip(judged)
        .find_map(|(text, (_, findings, _))| {
            let same = findings
                .into_iter()
                .find(|other| other.class == finding.class)?;
            Some((text.clone(), same))
        })
}

/// The text without some lines that stand together and leave brackets in balance; the longest first.
fn without_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for length in (1..=lines.len().min(24)).rev() {
        for from in 0..=lines.len() - length {
            let gone = &lines[from..from + length];
            if !is_balanced(gone) {
                continue;
            }
            let kept = lines[..from].iter().chain(&lines[from + length..]);
            out.push(kept.map(|line| format!("{line}\n")).collect());
        }
    }
    out
}

fn is_balanced(lines: &[&str]) -> bool {
    let mut depth = 0_i32;
    for c in lines.iter().flat_map(|line| line.chars()) {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The text with one bracketed expression put simpler.
fn simpler(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, c) in text.char_indices() {
        if c != '(' {
            continue;
        }
        let Some(past) = super::case::closing(text, at) else {
            continue;
        };
        let inside = &text[at + 1..past - 1];
        if inside.len() < 2 || inside.contains(['{', '\n', ',']) {
            continue;
        }
        for instead in ["(t)".to_owned(), "(1)".to_owned(), inside.to_owned()] {
            if instead.len() < past - at {
                out.push(format!("{}{instead}{}", &text[..at], &text[past..]));
            }
        }
    }
    out
}
