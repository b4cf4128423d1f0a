//! Pages and rules hold each other to their word; examples are analysed.

use super::*;
use crate::finding::Finding;
use crate::fix::apply;
use crate::session::{Analysis, Options, analyse_text};
use std::path::Path;

#[test]
fn every_page_has_a_rule_and_every_rule_a_full_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut pages: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of rule pages")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    pages.sort();
    let mut rules: Vec<String> = all()
        .iter()
        .map(|rule| format!("{}.md", rule.name))
        .collect();
    rules.sort();
    assert_eq!(pages, rules);
    for rule in all() {
        assert!(
            !rule.summary.is_empty() && !rule.since.is_empty(),
            "{}",
            rule.name
        );
        for section in [
            "## What it does",
            "## Why it costs",
            "## Example",
            "## When it is fine",
            "## References",
        ] {
            assert!(
                rule.body.contains(section),
                "{}: no section `{section}`",
                rule.name
            );
        }
    }
}

#[test]
fn codes_rise_and_are_found_in_any_case() {
    assert!(all().is_sorted_by_key(|rule| rule.code));
    assert_eq!(find("cl101").map(|rule| rule.name), Some("bank-conflict"));
    assert_eq!(find("Bank-Conflict").map(|rule| rule.code), Some("CL101"));
    assert!(find("CL999").is_none());
}

/// The CUDA blocks of a page that are marked `kind`.
fn examples(rule: &Rule, kind: &str) -> Vec<&'static str> {
    let fence = format!("```cuda {kind}\n");
    let blocks = rule.body.split(&fence).skip(1);
    let texts: Vec<&str> = blocks.filter_map(|rest| rest.split("```").next()).collect();
    assert!(
        !texts.is_empty(),
        "{}: no example marked `{kind}`",
        rule.name
    );
    texts
}

fn analyse(text: &str) -> Analysis {
    let options = Options {
        reads_disk: false,
        ..Options::default()
    };
    let analysis = analyse_text("example.cu", text, &options);
    assert!(
        analysis.not_analysed.is_empty(),
        "{:?}",
        analysis.not_analysed
    );
    analysis
}

fn of<'a>(rule: &'a Rule, analysis: &'a Analysis) -> impl Iterator<Item = &'a Finding> {
    analysis
        .findings
        .iter()
        .filter(|finding| finding.code == rule.code)
}

#[test]
fn bad_examples_fire_and_good_ones_are_silent() {
    for rule in all() {
        for text in examples(rule, "bad") {
            let analysis = analyse(text);
            let mut found = of(rule, &analysis);
            assert!(
                found.any(|finding| finding.level == rule.level),
                "{}: silent on\n{text}",
                rule.name
            );
        }
        for text in examples(rule, "good") {
            let analysis = analyse(text);
            let found: Vec<&str> = analysis
                .findings
                .iter()
                .filter(|finding| finding.level > Level::Allow || finding.code == rule.code)
                .map(|finding| finding.message.as_str())
                .collect();
            assert!(found.is_empty(), "{}: {found:?} on\n{text}", rule.name);
        }
    }
}

#[test]
fn the_padding_offered_is_the_one_the_page_shows() {
    let rule = find("bank-conflict").expect("the rule");
    let analysis = analyse(examples(rule, "bad")[0]);
    let fixes: Vec<_> = of(rule, &analysis)
        .flat_map(|finding| &finding.fixes)
        .collect();
    assert!(
        fixes[0].title.contains("proved conflict-free"),
        "{}",
        fixes[0].title
    );
    assert!(
        fixes[0].title.ends_with("4096 → 4224 bytes"),
        "{}",
        fixes[0].title
    );
    let (changes, applied) = apply::plan(fixes.into_iter());
    assert_eq!(applied, 1);
    assert_eq!(
        changes[0].text(&analysis.sources),
        examples(rule, "good")[0]
    );
}

/// Cause and advice of the first uncoalesced access in `body`, a kernel of `out`, `in` and `n`.
fn cause_of(head: &str, body: &str, launch: &str) -> String {
    let text = format!(
        "{head}\n__global__ void k(float *out, const float *in, int n) {{\n{body}\n}}\n\
         void run(float *out, const float *in, int n) {{ k<<<{launch}>>>(out, in, n); }}\n"
    );
    let analysis = analyse(&text);
    let rule = find("uncoalesced-access").expect("the rule");
    let finding = of(rule, &analysis).next().expect("a finding");
    let advice = finding.fixes.iter().map(|fix| fix.title.as_str());
    let notes = finding.notes.iter().map(|note| note.text.as_str());
    notes.chain(advice).collect::<Vec<_>>().join("\n")
}

#[test]
fn causes_of_spread_lanes_are_told_apart() {
    let swapped = cause_of(
        "",
        "int x = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y;\nout[y * 32 + x] = in[x * 1024 + y];",
        "32, dim3(32, 8)",
    );
    assert!(swapped.contains("the wrong thread index"), "{swapped}");
    assert!(swapped.contains("change places"), "{swapped}");
    assert!(!swapped.contains("`in[y * 1024 + x]`"), "{swapped}");

    let row = cause_of(
        "",
        "int r = blockIdx.x * 128 + threadIdx.x;\nfloat sum = 0;\n\
         for (int j = 0; j < 1024; ++j)\n  sum += in[r * 1024 + j];\nout[r] = sum;",
        "8, 128",
    );
    assert!(row.contains("one thread per row: `j`"), "{row}");
    assert!(row.contains("transpose `in`"), "{row}");

    let squares = cause_of(
        "",
        "int r = blockIdx.x * 128 + threadIdx.x;\nfloat sum = 0;\n\
         for (int j = 0; j < 32; ++j)\n  sum += in[r * 1024 + j * j];\nout[r] = sum;",
        "8, 128",
    );
    assert!(squares.contains("strided by a constant"), "{squares}");

    let structure = cause_of(
        "struct P { float x, y, z; };",
        "const P *p = (const P *)in;\nint i = blockIdx.x * 128 + threadIdx.x;\nout[i] = p[i].x;",
        "8, 128",
    );
    assert!(
        structure.contains("an array of structures of 12 bytes"),
        "{structure}"
    );
    assert!(structure.contains("`p_x[i]`"), "{structure}");

    let vector = cause_of(
        "",
        "int i = blockIdx.x * 128 + threadIdx.x;\nout[i] = in[2 * i] + in[2 * i + 1];",
        "8, 128",
    );
    assert!(
        vector.contains("each lane takes 2 neighbouring elements"),
        "{vector}"
    );
    assert!(
        vector.contains("reinterpret_cast<const float2 *>(in)"),
        "{vector}"
    );

    let pitch = cause_of(
        "",
        "int i = blockIdx.x * 128 + threadIdx.x;\nout[i] = in[i * n];",
        "8, 128",
    );
    assert!(pitch.contains("strided by `n`"), "{pitch}");
    assert!(pitch.contains("read-only cache"), "{pitch}");
}

mod levels;
mod races;
