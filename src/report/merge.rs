//! Reports of parts of a run as the report of the whole.
//!
//! Given JSON (`cudalint.findings/1`) or SARIF of every part, gives the one that an undivided run would
//! have given: lists in order of place, one finding for each cause, numbers added up. A part that is
//! missing is an error. Knows nothing of files.

use super::json::{SCHEMA, pretty};
use super::merge_causes;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

/// Parts that a message names.
const MOST_NAMED: usize = 10;

/// One of so many parts of a run, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    pub number: u32,
    pub of: u32,
}

impl Shard {
    /// `2/4`
    ///
    /// # Errors
    /// One sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected a part of a number of parts, such as 1/4".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The whole report.
#[derive(Debug, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Whether it has a finding at warning or error level.
    pub fails: bool,
}

/// Reports with the names that messages call them by.
///
/// # Errors
/// One sentence about a report that is none, of another kind than the first, or missing.
pub fn merge(reports: &[(String, Value)]) -> Result<Merged, String> {
    let Some((first, report)) = reports.first() else {
        return Err("no report is named".to_owned());
    };
    let kind = Kind::of(report);
    for (name, report) in reports {
        match Kind::of(report) {
            None => {
                return Err(format!(
                    "{name}: neither findings as JSON ({SCHEMA}) nor SARIF 2.1.0"
                ));
            }
            other if other != kind => {
                return Err(format!("{name}: of another format than {first}"));
            }
            Some(_) => {}
        }
    }
    complete(reports)?;
    Ok(match kind {
        Some(Kind::Sarif) => sarif(reports),
        _ => findings(reports),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Findings,
    Sarif,
}

impl Kind {
    fn of(report: &Value) -> Option<Self> {
        if report["schema"] == SCHEMA {
            Some(Self::Findings)
        } else if report["version"] == "2.1.0" && is_run(&report["runs"][0]) {
            Some(Self::Sarif)
        } else {
            None
        }
    }
}

/// Whether a run of SARIF is formed as ours are.
fn is_run(run: &Value) -> bool {
    let invocations = &run["invocations"];
    let is_told = invocations.is_null() || invocations[0].is_object();
    run["results"].is_array() && is_told
}

/// Parts are all there, each once. Reports that are no parts may be any.
fn complete(reports: &[(String, Value)]) -> Result<(), String> {
    let mut seen: BTreeSet<Shard> = BTreeSet::new();
    let (mut of, mut whole) = (None, None);
    for (name, report) in reports {
        let Some(shard) = shard(report) else {
            whole = Some(name);
            continue;
        };
        if *of.get_or_insert(shard.of) != shard.of {
            return Err(format!(
                "{name}: part {shard}, where others are of another division"
            ));
        }
        if !seen.insert(shard) {
            return Err(format!("{name}: part {shard} is there twice"));
        }
    }
    let Some(of) = of else { return Ok(()) };
    if let Some(name) = whole {
        return Err(format!("{name}: no part of a run, where others are"));
    }
    // Whoever wrote a report chose how many parts there are.
    let named = (1..=of)
        .map(|number| Shard { number, of })
        .filter(|shard| !seen.contains(shard))
        .take(MOST_NAMED);
    let mut missing: Vec<String> = named.map(|shard| shard.to_string()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let lack = of as usize - seen.len();
    if lack > missing.len() {
        missing.push(format!("… ({lack} in all)"));
    }
    Err(format!("part {} is missing", missing.join(", ")))
}

/// The members of the lists that `list` gives, each once.
fn all<'a>(
    reports: &'a [(String, Value)],
    list: impl Fn(&'a Value) -> &'a Value + 'a,
) -> Vec<&'a Value> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let members = reports
        .iter()
        .flat_map(|(_, report)| list(report).as_array().into_iter().flatten());
    members
        .filter(|member| seen.insert(member.to_string()))
        .collect()
}

/// Findings of all reports. Parts have none in common; other reports may.
fn all_findings<'a>(
    reports: &'a [(String, Value)],
    list: impl Fn(&'a Value) -> &'a Value + 'a,
) -> Vec<Value> {
    let has_parts = reports.iter().any(|(_, report)| shard(report).is_some());
    if !has_parts {
        return all(reports, list).into_iter().cloned().collect();
    }
    let lists = reports
        .iter()
        .filter_map(|(_, report)| list(report).as_array());
    lists.flatten().cloned().collect()
}

/// The part that a report is, if it is one.
fn shard(report: &Value) -> Option<Shard> {
    let text = report["shard"]
        .as_str()
        .or_else(|| report["runs"][0]["properties"]["shard"].as_str());
    text.and_then(|text| Shard::parse(text).ok())
}

/// What findings of one place and code are told apart by, as `Finding::compare` does.
fn subject(holder: &Value, message: &Value) -> [String; 4] {
    let members = [
        &holder["kernel"],
        &holder["instance"],
        &holder["array"],
        message,
    ];
    members.map(|member| member.as_str().unwrap_or("").to_owned())
}

/// File, line and column, first and last.
type FileRange = (PathBuf, [u64; 4]);

fn findings(reports: &[(String, Value)]) -> Merged {
    let place = |one: &Value| -> FileRange {
        let number = |name: &str| one[name].as_u64().unwrap_or(0);
        let file = PathBuf::from(one["file"].as_str().unwrap_or(""));
        let numbers = ["line", "column", "end_line", "end_column"].map(number);
        (file, numbers)
    };
    let start = |one: &Value| {
        let (file, [line, column, ..]) = place(one);
        (file, line, column)
    };
    let mut findings = all_findings(reports, |report| &report["findings"]);
    findings.sort_by_cached_key(|one| {
        (
            place(one),
            one["code"].to_string(),
            subject(one, &one["message"]),
        )
    });
    let findings = merge_causes::findings(findings);
    let mut not_analysed = all(reports, |report| &report["not_analysed"]);
    let said = |one: &Value| {
        ["function", "reason"].map(|name| one[name].as_str().unwrap_or("").to_owned())
    };
    not_analysed.sort_by_cached_key(|one| (place(one), said(one)));
    not_analysed.dedup_by_key(|one| (place(one), one["function"].clone()));
    let mut not_followed = all(reports, |report| &report["not_followed"]);
    not_followed.sort_by_cached_key(|one| start(one));
    let gaps = gaps(reports, &|one| (place(one), one["reason"].to_string()));
    // Every part has all of them, in order.
    let notes = all(reports, |report| &report["notes"]);
    let mut summary = serde_json::Map::new();
    for (_, report) in reports {
        for (name, number) in report["summary"].as_object().into_iter().flatten() {
            let sum = summary.get(name).and_then(Value::as_u64).unwrap_or(0);
            let sum = sum.saturating_add(number.as_u64().unwrap_or(0));
            summary.insert(name.clone(), json!(sum));
        }
    }
    if reports.iter().all(|(_, report)| report["gaps"].is_array()) {
        summary.insert("not_followed".to_owned(), json!(gaps.len()));
    }
    let fails = findings
        .iter()
        .any(|finding| finding["level"] == "error" || finding["level"] == "warning");
    let mut whole = json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "findings": findings,
        "not_analysed": not_analysed,
        "not_followed": not_followed,
        "gaps": gaps,
        "summary": summary,
    });
    if !notes.is_empty() {
        whole["notes"] = json!(notes);
    }
    let text = pretty(&whole);
    Merged { text, fails }
}

/// Places that were not followed, each once. Of how many kernels come by, a report of a part says no more
/// than those of that part: the largest number stands.
fn gaps(reports: &[(String, Value)], key: &dyn Fn(&Value) -> (FileRange, String)) -> Vec<Value> {
    let mut known: BTreeMap<(FileRange, String), Value> = BTreeMap::new();
    let kernels = |one: &Value| one["kernels"].as_u64().unwrap_or(0);
    for one in all(reports, |report| &report["gaps"]) {
        let gap = known.entry(key(one)).or_insert_with(|| one.clone());
        gap["kernels"] = json!(kernels(gap).max(kernels(one)));
    }
    known.into_values().collect()
}

fn sarif(reports: &[(String, Value)]) -> Merged {
    let place = |one: &Value| -> FileRange {
        let place = &one["locations"][0]["physicalLocation"];
        let region = &place["region"];
        let number = |name: &str| region[name].as_u64().unwrap_or(0);
        let file = path_of(place["artifactLocation"]["uri"].as_str().unwrap_or(""));
        let numbers = ["startLine", "startColumn", "endLine", "endColumn"].map(number);
        (file, numbers)
    };
    let mut results = all_findings(reports, |report| &report["runs"][0]["results"]);
    results.sort_by_cached_key(|one| {
        let is_accepted = one.get("suppressions").is_some();
        let message = match &one["properties"]["cause"]["text"]["message"] {
            Value::Null => &one["message"]["text"],
            message => message,
        };
        let subject = subject(&one["properties"], message);
        (is_accepted, place(one), one["ruleId"].to_string(), subject)
    });
    let results = merge_causes::results(results);
    let fails = results.iter().any(|result| {
        result.get("suppressions").is_none()
            && (result["level"] == "error" || result["level"] == "warning")
    });
    let mut notifications = all(
        reports,
        |report| &report["runs"][0]["invocations"][0]["toolExecutionNotifications"],
    );
    notifications.sort_by_cached_key(|one| {
        let (file, [line, column, ..]) = place(one);
        let properties = &one["properties"];
        let reason = properties["reason"].as_str().unwrap_or("");
        let kernels = Reverse(properties["kernels"].as_u64().unwrap_or(0));
        let start = (file, line, column);
        (!properties.is_null(), start, reason.to_owned(), kernels)
    });
    // A place that was not followed stands once; each part has it with the kernels of that part.
    let gap = |one: &Value| Some((one["properties"]["reason"].as_str()?.to_owned(), place(one)));
    notifications.dedup_by(|a, b| gap(a).is_some_and(|known| gap(b) == Some(known)));
    let (results, notifications) = (json!(results), json!(notifications));
    // The tool, its rules and what else is the same in all of them come from the first.
    let mut whole = reports.first().map_or(Value::Null, |(_, one)| one.clone());
    if let Some(run) = whole["runs"][0].as_object_mut() {
        run.insert("results".to_owned(), results);
        run.remove("properties");
        if let Some(invocation) = run.get_mut("invocations") {
            invocation[0]["toolExecutionNotifications"] = notifications;
        }
    }
    Merged {
        text: pretty(&whole),
        fails,
    }
}

/// The path that a URI reference of ours stands for.
fn path_of(uri: &str) -> PathBuf {
    let escaped = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes: Vec<u8> = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let [first, more @ ..] = rest {
        let digits = more.get(..2).filter(|_| *first == b'%');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(shard: Option<&str>, findings: &[(&str, u64)]) -> (String, Value) {
        let record = |(file, line): &(&str, u64)| json!({ "file": file, "line": line, "column": 1, "code": "CL101", "level": "info" });
        let mut value = json!({
            "schema": SCHEMA,
            "findings": findings.iter().map(record).collect::<Vec<_>>(),
            "not_analysed": [],
            "not_followed": [],
            "summary": { "files": 1, "accesses": 10 },
        });
        if let Some(shard) = shard {
            value["shard"] = json!(shard);
        }
        (format!("{}.json", shard.unwrap_or("whole")), value)
    }

    fn refused(reports: &[(String, Value)]) -> String {
        merge(reports).expect_err("nothing to merge")
    }

    #[test]
    fn parts_are_numbers_from_one() {
        assert_eq!(Shard::parse("2/4"), Ok(Shard { number: 2, of: 4 }));
        for wrong in ["0/4", "5/4", "1", "a/b", "/", "1/0", "-1/4"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lists_are_in_order_and_numbers_added() {
        let merged = merge(&[
            report(Some("2/2"), &[("b.cu", 9), ("b.cu", 10)]),
            report(Some("1/2"), &[("a.cu", 30), ("c.cu", 1)]),
        ])
        .expect("both parts");
        let value: Value = serde_json::from_str(&merged.text).expect("JSON");
        let lines: Vec<u64> = value["findings"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["line"].as_u64())
            .collect();
        assert_eq!(lines, [30, 9, 10, 1]);
        assert_eq!(value["summary"], json!({ "files": 2, "accesses": 20 }));
        assert_eq!(value.get("shard"), None);
        assert!(!merged.fails);
    }

    #[test]
    fn missing_and_strange_parts_are_refused() {
        let part = |shard| report(Some(shard), &[]);
        assert_eq!(refused(&[part("1/3"), part("3/3")]), "part 2/3 is missing");
        assert!(refused(&[part("1/2"), part("1/2")]).contains("is there twice"));
        assert!(refused(&[part("1/2"), part("2/3")]).contains("another division"));
        assert!(refused(&[part("1/1"), report(None, &[])]).contains("no part of a run"));
        assert!(refused(&[("x".to_owned(), json!([]))]).starts_with("x: neither"));
        let sarif = |runs| ("s".to_owned(), json!({ "version": "2.1.0", "runs": runs }));
        let of_a_run = sarif(json!([{ "results": [] }]));
        assert!(refused(&[part("1/1"), of_a_run]).contains("another format"));
        assert!(refused(&[part("1/1"), sarif(json!([]))]).starts_with("s: neither"));
        assert!(merge(&[report(None, &[]), report(None, &[])]).is_ok());
        assert!(merge(&[]).is_err());
    }
}
