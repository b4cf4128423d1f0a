//! The book: its rule pages are those of `rules/`, and its links lead somewhere.
//!
//! `BLESS=1` writes the generated pages.

use crate::support::{collect, root};
use cudalint::rules;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Pages that are written by hand, with their titles, in order.
const PAGES: [(&str, &str); 20] = [
    ("getting-started.md", "Getting started"),
    ("diagnostics.md", "Reading a diagnostic"),
    ("adopting.md", "Adopting it in a project"),
    ("launches.md", "Launch shapes and assumptions"),
    ("measuring.md", "Measuring on a GPU"),
    ("found.md", "What it found"),
    ("configuration.md", "Configuration"),
    ("ci.md", "Hooks and CI"),
    ("editors.md", "Editors"),
    ("proofs.md", "How the proofs work"),
    ("limits.md", "Limits"),
    ("security.md", "Security"),
    ("comparison.md", "Comparison with other tools"),
    ("glossary.md", "Glossary"),
    ("internals/terms.md", "Internals: terms"),
    ("internals/normal-form.md", "Internals: the normal form"),
    ("internals/cases.md", "Internals: cases"),
    ("internals/certificates.md", "Internals: certificates"),
    ("internals/lanes-and-loops.md", "Internals: lanes and loops"),
    ("rules/README.md", "Rules"),
];

/// Generated files of the book, by path below `docs/src`.
fn generated() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut summary = String::from("# Summary\n\n[cudalint](introduction.md)\n\n");
    for (file, title) in PAGES {
        let _ = writeln!(summary, "- [{title}]({file})");
    }
    let mut index = String::from(
        "# Rules\n\n`cudalint rules` lists them, `cudalint explain CODE` prints a page.\n\n\
         | code | rule | level | finds |\n|---|---|---|---|\n",
    );
    for rule in rules::all() {
        let _ = writeln!(
            summary,
            "  - [{} {}](rules/{}.md)",
            rule.code, rule.name, rule.name
        );
        let _ = writeln!(
            index,
            "| {} | [{}]({}.md) | {} | {} |",
            rule.code,
            rule.name,
            rule.name,
            format!("{:?}", rule.level).to_lowercase(),
            rule.summary
        );
        let body = rule.body.replace("(../docs/src/", "(../");
        files.insert(format!("rules/{}.md", rule.name), body);
    }
    files.insert("rules/README.md".to_owned(), index);
    files.insert("SUMMARY.md".to_owned(), summary);
    files
}

#[test]
fn generated_pages_are_those_of_the_rules() {
    let book = root().join("docs/src");
    let files = generated();
    if std::env::var_os("BLESS").is_some() {
        // Other tests read the book meanwhile: what is right stays where it is.
        let mut pages = Vec::new();
        collect(&book.join("rules"), "md", &mut pages);
        for page in pages {
            let name = page.file_name().unwrap_or_default().to_string_lossy();
            if !files.contains_key(&format!("rules/{name}")) {
                std::fs::remove_file(&page).expect("a page");
            }
        }
        for (name, text) in &files {
            let page = book.join(name);
            if std::fs::read_to_string(&page).ok().as_ref() != Some(text) {
                std::fs::write(page, text).expect("a page");
            }
        }
    }
    let mut problems = Vec::new();
    for (name, text) in &files {
        if std::fs::read_to_string(book.join(name)).ok().as_ref() != Some(text) {
            problems.push(format!("docs/src/{name} is not what the rules say"));
        }
    }
    let mut pages = Vec::new();
    collect(&book.join("rules"), "md", &mut pages);
    for page in pages {
        let name = page
            .file_name()
            .map(|name| format!("rules/{}", name.to_string_lossy()));
        if !name.as_ref().is_some_and(|name| files.contains_key(name)) {
            problems.push(format!("{} belongs to no rule", page.display()));
        }
    }
    assert!(
        problems.is_empty(),
        "{}\nBLESS=1 writes them",
        problems.join("\n")
    );
}

#[test]
fn every_page_is_in_the_book_and_every_link_leads_somewhere() {
    let mut pages = Vec::new();
    collect(&root().join("docs/src"), "md", &mut pages);
    let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).expect("a summary");
    let mut problems = Vec::new();
    for page in &pages {
        let name = page.strip_prefix(root().join("docs/src")).expect("a page");
        let is_listed = summary.contains(&format!("({})", name.display()));
        if !is_listed && name != Path::new("SUMMARY.md") {
            problems.push(format!("{} is not in SUMMARY.md", name.display()));
        }
    }
    for name in [
        "README.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "editors/README.md",
    ] {
        pages.push(root().join(name));
    }
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = target.split('#').next().unwrap_or("");
            let is_ours = !target.contains("://") && !file.is_empty();
            let folder = page.parent().expect("a folder");
            if is_ours && !folder.join(file).exists() {
                problems.push(format!("{}: nothing is at {target}", page.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
