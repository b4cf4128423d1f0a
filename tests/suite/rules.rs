//! Every rule has a page that says what it promises, and fixtures that fire it.

use crate::support::{CASES, root};
use cudalint::finding::Level;
use cudalint::rules;
use std::collections::BTreeSet;

#[test]
fn every_rule_has_a_page_with_its_name() {
    for rule in rules::all() {
        let path = root().join("rules").join(format!("{}.md", rule.name));
        assert!(path.exists(), "rules/{}.md is missing", rule.name);
        assert!(
            !rule.code.is_empty() && !rule.summary.is_empty(),
            "rules/{}.md has no head",
            rule.name
        );
        for part in ["## What it finds", "## Example"] {
            let has_part = rule.body.contains(part) || rule.body.contains(&part.to_lowercase());
            assert!(
                has_part || rule.body.contains("```cuda"),
                "rules/{}.md has neither `{part}` nor an example",
                rule.name
            );
        }
    }
}

#[test]
fn every_page_belongs_to_a_rule() {
    let names: BTreeSet<&str> = rules::all().iter().map(|rule| rule.name).collect();
    for entry in std::fs::read_dir(root().join("rules")).expect("rules/") {
        let path = entry.expect("an entry").path();
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or("");
        assert!(names.contains(stem), "rules/{stem}.md belongs to no rule");
    }
}

#[test]
fn codes_and_names_are_unique() {
    let all = rules::all();
    let codes: BTreeSet<&str> = all.iter().map(|rule| rule.code).collect();
    let names: BTreeSet<&str> = all.iter().map(|rule| rule.name).collect();
    assert_eq!((codes.len(), names.len()), (all.len(), all.len()));
}

#[test]
fn every_rule_fires_on_a_fixture() {
    let fired: BTreeSet<&str> = CASES
        .iter()
        .flat_map(|case| &case.fixture.carets)
        .flat_map(|caret| &caret.rules)
        .map(String::as_str)
        .collect();
    let silent: Vec<&str> = rules::all()
        .iter()
        .filter(|rule| rule.level > Level::Allow)
        .map(|rule| rule.name)
        .filter(|name| !fired.contains(name))
        .collect();
    assert!(silent.is_empty(), "no fixture expects {silent:?}");
    let names: BTreeSet<&str> = rules::all().iter().map(|rule| rule.name).collect();
    let unknown: Vec<&&str> = fired
        .iter()
        .filter(|name| !names.contains(**name))
        .collect();
    assert!(
        unknown.is_empty(),
        "fixtures expect rules that do not exist: {unknown:?}"
    );
}
