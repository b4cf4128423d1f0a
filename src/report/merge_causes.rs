//! One finding per cause, over the parts of a run.
//!
//! Given the findings that reports of parts list, as JSON or as results of SARIF, puts those together that
//! the whole run would have put together, as `causes` does, and tells equal fingerprints apart as the whole
//! run does. For that a part lists every finding, each with its [`Cause`]; findings without one stay as they
//! are. Knows nothing of files.

use super::causes::{Keys, Member, MemberFix, fold_members, note};
use super::fingerprint::{Numbers, of};
use super::{Report, place};
use crate::finding::{Finding, Safety};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the report of a part says of a finding besides what a whole report says.
#[derive(Serialize, Deserialize)]
pub(super) struct Cause {
    keys: Keys,
    weight: u64,
    /// Before equal ones are told apart, in hexadecimal.
    fingerprint: String,
    /// What results of SARIF have in one text only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Text>,
}

#[derive(Serialize, Deserialize)]
struct Text {
    file: String,
    line: u64,
    message: String,
    notes: Vec<String>,
    fixes: Vec<FixTitle>,
}

#[derive(Clone, Serialize, Deserialize)]
struct FixTitle {
    title: String,
    /// Whether the result has it among its fixes.
    is_edit: bool,
}

impl Cause {
    pub fn of(report: &Report, finding: &Finding) -> Self {
        Self {
            keys: Keys::of(finding, report.sources),
            weight: finding.weight,
            fingerprint: format!("{:016x}", of(report, finding)),
            text: None,
        }
    }

    pub fn with_text(report: &Report, finding: &Finding) -> Self {
        let place = place(report.sources, finding.primary.span);
        let fixes = finding.fixes.iter().map(|fix| FixTitle {
            title: fix.title.clone(),
            is_edit: fix.safety != Safety::Advice,
        });
        let text = Text {
            file: place.file(),
            line: place.start.line.into(),
            message: finding.message.clone(),
            notes: finding.notes.iter().map(|note| note.text.clone()).collect(),
            fixes: fixes.collect(),
        };
        Self {
            text: Some(text),
            ..Self::of(report, finding)
        }
    }
}

fn words(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}

fn list(value: &mut Value) -> Vec<Value> {
    value.as_array_mut().map(std::mem::take).unwrap_or_default()
}

/// Sets a member of what is an object, whatever it was: anybody may have written it.
fn set(holder: &mut Value, name: &str, value: Value) {
    if !holder.is_object() {
        *holder = json!({});
    }
    holder[name] = value;
}

/// The cause that `holder` has as a member, which it loses.
fn cause(holder: &mut Value) -> Option<Cause> {
    let cause = holder.as_object_mut()?.remove("cause")?;
    serde_json::from_value(cause).ok()
}

/// A name that [`Cause::fingerprint`] is told apart by.
fn told_apart(numbers: &mut Numbers, plain: &str) -> Option<Value> {
    let hash = u64::from_str_radix(plain, 16).ok()?;
    Some(json!(numbers.told_apart(hash)))
}

/// Findings of JSON, in order of place.
pub(super) fn findings(all: Vec<Value>) -> Vec<Value> {
    let mut stay = Vec::new();
    let mut members: Vec<Member<(Value, String), Value, Value>> = Vec::new();
    for mut one in all {
        let Some(cause) = cause(&mut one) else {
            stay.push(one);
            continue;
        };
        let fixes = list(&mut one["fixes"]).into_iter().map(|fix| MemberFix {
            is_edit: fix["safety"] != "advice",
            fix,
        });
        let mut sibling = json!({});
        for name in [
            "file",
            "line",
            "column",
            "end_line",
            "end_column",
            "kernel",
            "instance",
            "message",
        ] {
            sibling[name] = one[name].clone();
        }
        members.push(Member {
            keys: cause.keys,
            file: words(&one["file"]),
            is_proved: one["evidence"] == "proved",
            weight: cause.weight,
            fixes: fixes.collect(),
            as_sibling: sibling,
            siblings: list(&mut one["siblings"]),
            told: (one, cause.fingerprint),
        });
    }
    let mut numbers = Numbers::default();
    let folded = fold_members(members).into_iter().map(|member| {
        let siblings = member.siblings.iter();
        let places = siblings.map(|one| (words(&one["file"]), one["line"].as_u64().unwrap_or(0)));
        let note = note(&member.file, places);
        let (mut one, fingerprint) = member.told;
        if let Some(notes) = one["notes"].as_array_mut() {
            notes.extend(note.map(Value::from));
        }
        one["fixes"] = member.fixes.into_iter().map(|fix| fix.fix).collect();
        if let Some(object) = one.as_object_mut() {
            object.remove("siblings");
        }
        if !member.siblings.is_empty() {
            one["siblings"] = Value::Array(member.siblings);
        }
        if let Some(name) = told_apart(&mut numbers, &fingerprint) {
            one["fingerprint"] = name;
        }
        one
    });
    folded.chain(stay).collect()
}

/// A result, what is said in it before its fixes, and its fingerprint as its cause has it.
struct SarifResult {
    result: Value,
    lines: Vec<String>,
    fingerprint: String,
}

#[derive(PartialEq)]
struct SarifFix {
    title: String,
    edit: Option<Value>,
}

/// Told in one text: of siblings it has file and line.
type SarifMember = Member<SarifResult, SarifFix, (String, u64)>;

fn sarif_member(
    mut result: Value,
    keys: Keys,
    weight: u64,
    plain: String,
    text: Text,
) -> SarifMember {
    let edits = result.get_mut("fixes").map(list).unwrap_or_default();
    let mut edits = edits.into_iter();
    let fixes = text.fixes.into_iter().map(|fix| MemberFix {
        is_edit: fix.is_edit,
        fix: SarifFix {
            edit: fix.is_edit.then(|| edits.next()).flatten(),
            title: fix.title,
        },
    });
    let mut lines = vec![text.message];
    lines.extend(text.notes);
    Member {
        keys,
        is_proved: result["properties"]["evidence"] == "proved",
        weight,
        fixes: fixes.collect(),
        as_sibling: (text.file.clone(), text.line),
        siblings: Vec::new(),
        file: text.file,
        told: SarifResult {
            result,
            lines,
            fingerprint: plain,
        },
    }
}

/// Results of SARIF, in order of place, those that are accepted behind the others.
pub(super) fn results(all: Vec<Value>) -> Vec<Value> {
    let (mut stay, mut accepted, mut members) = (Vec::new(), Vec::new(), Vec::new());
    for mut one in all {
        let Some(cause) = one.get_mut("properties").and_then(cause) else {
            stay.push(one);
            continue;
        };
        match cause.text.filter(|_| one.get("suppressions").is_none()) {
            Some(text) => {
                members.push(sarif_member(
                    one,
                    cause.keys,
                    cause.weight,
                    cause.fingerprint,
                    text,
                ));
            }
            None => accepted.push((one, cause.fingerprint)),
        }
    }
    let mut numbers = Numbers::default();
    let mut named = |mut one: Value, plain: &str| {
        if let Some(name) = told_apart(&mut numbers, plain) {
            set(&mut one["partialFingerprints"], "cudalint/v1", name);
        }
        one
    };
    let mut out: Vec<Value> = Vec::new();
    for member in fold_members(members) {
        let note = note(&member.file, member.siblings.into_iter());
        let SarifResult {
            mut result,
            mut lines,
            fingerprint,
        } = member.told;
        lines.extend(note);
        let (titles, edits): (Vec<_>, Vec<_>) = member
            .fixes
            .into_iter()
            .map(|one| (one.fix.title, one.fix.edit))
            .unzip();
        lines.extend(titles.into_iter().map(|title| format!("help: {title}")));
        set(&mut result["message"], "text", json!(lines.join("\n")));
        let edits: Vec<Value> = edits.into_iter().flatten().collect();
        if !edits.is_empty() {
            result["fixes"] = Value::Array(edits);
        }
        out.push(named(result, &fingerprint));
    }
    out.extend(stay);
    out.extend(accepted.into_iter().map(|(one, plain)| named(one, &plain)));
    out
}
