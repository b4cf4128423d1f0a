//! SARIF 2.1.0, with rule pages as help, related places, fixes and fingerprints.

use super::fingerprint::{fingerprints, suppressed_fingerprints};
use super::json::{TotalRecord, pretty};
use super::merge_causes::Cause;
use super::{Report, not_followed, severity};
use crate::contract::AcceptedBy;
use crate::finding::{Evidence, Finding, Fix, Level, Safety};
use crate::rules;
use crate::source::Span;
use serde_json::{Value, json};

#[must_use]
pub fn render(report: &Report) -> String {
    let rules: Vec<Value> = rules::all().iter().map(rule).collect();
    let prints = fingerprints(report);
    let shown = report
        .findings
        .iter()
        .zip(&prints)
        .map(|(finding, print)| result(report, finding, print));
    let accepted = report
        .suppressed
        .iter()
        .zip(suppressed_fingerprints(report))
        .map(|(one, print)| {
            let mut result = result(report, &one.finding, &print);
            let mut suppression = json!({
                "kind": match one.by { AcceptedBy::Comment(_) => "inSource", AcceptedBy::Baseline => "external" },
            });
            if !one.reason.is_empty() {
                suppression["justification"] = json!(one.reason);
            }
            if let AcceptedBy::Comment(span) = one.by {
                suppression["location"] = location(report, span, None);
            }
            result["suppressions"] = json!([suppression]);
            result
        });
    let results: Vec<Value> = shown.chain(accepted).collect();
    let gaps = not_followed::gaps(report.not_followed, report.sources);
    let notifications: Vec<Value> = report
        .not_analysed
        .iter()
        .map(|one| {
            json!({
                "level": "note",
                "message": { "text": format!("`{}` was not analysed: {}", one.function, one.reason) },
                "locations": [location(report, one.span, None)],
            })
        })
        .chain(report.not_followed.iter().map(|one| {
            json!({
                "level": "note",
                "message": { "text": one.message() },
                "locations": [location(report, one.span, None)],
                "properties": { "kernel": one.kernel, "accesses": one.accesses, "places": one.gaps.len() },
            })
        }))
        .chain(gaps.iter().map(|gap| {
            json!({
                "level": "note",
                "message": { "text": gap.message() },
                "locations": [location(report, gap.gap.span, None)],
                "properties": { "reason": gap.gap.reason, "kernels": gap.kernels },
            })
        }))
        .collect();
    let mut whole = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cudalint",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications,
            }],
        }],
    });
    if let Some(shard) = report.shard {
        whole["runs"][0]["properties"] = json!({ "shard": shard.to_string() });
    }
    pretty(&whole)
}

fn rule(rule: &rules::Rule) -> Value {
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.summary },
        "help": { "text": rule.body, "markdown": rule.body },
        "helpUri": rules::page_url(rule.name),
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": { "tags": ["performance", "cuda"], "precision": "very-high" },
    })
}

fn result(report: &Report, finding: &Finding, fingerprint: &str) -> Value {
    let rule_index = rules::all()
        .iter()
        .position(|rule| rule.code == finding.code);
    let mut text = vec![finding.message.clone()];
    text.extend(report.details(finding));
    let related: Vec<Value> = finding
        .secondary
        .iter()
        .enumerate()
        .map(|(id, label)| {
            let mut place = location(report, label.span, Some(&label.text));
            place["id"] = json!(id);
            place
        })
        .collect();
    let fixes: Vec<Value> = finding
        .fixes
        .iter()
        .filter(|fix| fix.safety != Safety::Advice)
        .map(|one| fix(report, one))
        .collect();
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.level),
        "message": { "text": text.join("\n") },
        "locations": [location(report, finding.primary.span, Some(&finding.primary.text))],
        "partialFingerprints": { "cudalint/v1": fingerprint },
        "properties": {
            "kernel": finding.kernel,
            "instance": finding.instance,
            "array": finding.array,
            "cost": finding.cost,
            "ideal": finding.ideal,
            "severity": severity(finding.level),
            "evidence": match finding.evidence { Evidence::Proved => "proved", Evidence::Possible => "possible" },
        },
    });
    // Optional members are left out where there is nothing to say.
    if let Some(sum) = finding.per_block {
        result["properties"]["per_block"] = json!(TotalRecord::from(sum));
    }
    if report.shard.is_some() {
        result["properties"]["cause"] = json!(Cause::with_text(report, finding));
    }
    if let Some(index) = rule_index {
        result["ruleIndex"] = json!(index);
    }
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    if !fixes.is_empty() {
        result["fixes"] = Value::Array(fixes);
    }
    result
}

fn fix(report: &Report, fix: &Fix) -> Value {
    let mut changes: Vec<(String, Vec<Value>)> = Vec::new();
    for edit in &fix.edits {
        let replacement = json!({
            "deletedRegion": region(report, edit.span),
            "insertedContent": { "text": edit.replacement },
        });
        let file = uri(&report.place(edit.span).file());
        match changes.iter_mut().find(|(known, _)| *known == file) {
            Some((_, list)) => list.push(replacement),
            None => changes.push((file, vec![replacement])),
        }
    }
    let changes: Vec<Value> = changes
        .into_iter()
        .map(|(file, list)| json!({ "artifactLocation": { "uri": file }, "replacements": list }))
        .collect();
    json!({ "description": { "text": fix.title }, "artifactChanges": changes })
}

fn location(report: &Report, span: Span, message: Option<&str>) -> Value {
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&report.place(span).file()) },
            "region": region(report, span),
        },
    });
    if let Some(text) = message.filter(|text| !text.is_empty()) {
        location["message"] = json!({ "text": text });
    }
    location
}

fn region(report: &Report, span: Span) -> Value {
    let place = report.place(span);
    json!({
        "startLine": place.start.line,
        "startColumn": place.start.column,
        "endLine": place.end.line,
        "endColumn": place.end.column,
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "note",
        Level::Allow => "none",
    }
}

/// A path as a URI reference: everything outside of the plain characters of RFC 3986 is escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
