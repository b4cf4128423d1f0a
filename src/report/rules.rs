//! The rules as JSON; schema `cudalint.rules/1`.

use super::json::pretty;
use super::severity;
use crate::rules;
use serde_json::{Value, json};

#[must_use]
pub fn render() -> String {
    let rules: Vec<Value> = rules::all()
        .iter()
        .map(|rule| {
            json!({
                "code": rule.code,
                "name": rule.name,
                "summary": rule.summary,
                "level": severity(rule.level),
                "since": rule.since,
                "page": rule.body,
            })
        })
        .collect();
    pretty(&json!({ "schema": "cudalint.rules/1", "rules": rules }))
}
