//! Capabilities of the client.
//!
//! Given the parameters of `initialize`, gives the few abilities that answers depend
//! on. A client that says nothing gets what every client understands.

use super::position::Encoding;
use super::uri;
use gen_lsp_types::{PositionEncodingKind, Uri};
use serde_json::Value;
use std::path::PathBuf;

/// Abilities of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    pub encoding: Encoding,
    /// It asks for diagnostics, so none are pushed.
    pub pulls_diagnostics: bool,
    pub related_information: bool,
    pub code_description: bool,
    pub diagnostic_tags: bool,
    pub diagnostic_data: bool,
    pub markdown: bool,
    /// Edits name the version of the document that they are meant for.
    pub versioned_edits: bool,
    pub code_action_literals: bool,
    pub resolves_edits: bool,
    pub resolves_tooltips: bool,
    pub refreshes_diagnostics: bool,
    pub refreshes_hints: bool,
    pub refreshes_lenses: bool,
    pub watches_files: bool,
    pub configuration: bool,
    pub applies_edits: bool,
}

impl Client {
    /// Reads `initialize`'s parameters piece by piece: an odd piece does not spoil the others.
    #[must_use]
    pub fn read(parameters: &Value) -> Self {
        let at = |path: &str| {
            parameters
                .pointer("/capabilities")
                .and_then(|all| all.pointer(path))
        };
        let is = |path: &str| at(path).and_then(Value::as_bool).unwrap_or(false);
        let strings = |path: &str| -> Vec<String> {
            let list = at(path).and_then(Value::as_array);
            list.into_iter()
                .flatten()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect()
        };
        let offered: Vec<PositionEncodingKind> = strings("/general/positionEncodings")
            .into_iter()
            .map(PositionEncodingKind::from)
            .collect();
        let push = "/textDocument/publishDiagnostics";
        let pull = "/textDocument/diagnostic";
        let either = |name: &str| is(&format!("{push}/{name}")) || is(&format!("{pull}/{name}"));
        let has = |path: &str, name: &str| strings(path).iter().any(|one| one == name);
        Self {
            encoding: Encoding::choose(&offered),
            pulls_diagnostics: at(pull).is_some(),
            related_information: either("relatedInformation"),
            code_description: either("codeDescriptionSupport"),
            diagnostic_tags: at(&format!("{push}/tagSupport")).is_some()
                || at(&format!("{pull}/tagSupport")).is_some(),
            diagnostic_data: either("dataSupport"),
            markdown: has("/textDocument/hover/contentFormat", "markdown"),
            versioned_edits: is("/workspace/workspaceEdit/documentChanges"),
            code_action_literals: at("/textDocument/codeAction/codeActionLiteralSupport").is_some(),
            resolves_edits: has("/textDocument/codeAction/resolveSupport/properties", "edit"),
            resolves_tooltips: has(
                "/textDocument/inlayHint/resolveSupport/properties",
                "tooltip",
            ),
            refreshes_diagnostics: is("/workspace/diagnostics/refreshSupport"),
            refreshes_hints: is("/workspace/inlayHint/refreshSupport"),
            refreshes_lenses: is("/workspace/codeLens/refreshSupport"),
            watches_files: is("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            configuration: is("/workspace/configuration"),
            applies_edits: is("/workspace/applyEdit"),
        }
    }
}

/// The folders of the workspace, however the client tells them.
#[must_use]
pub fn folders(parameters: &Value) -> Vec<PathBuf> {
    let file = |value: &Value| uri::file(&Uri(value.as_str()?.to_owned()));
    let listed: Vec<PathBuf> = parameters
        .get("workspaceFolders")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|folder| file(folder.get("uri")?))
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let root = parameters.get("rootUri").and_then(file);
    root.or_else(|| {
        parameters
            .get("rootPath")
            .and_then(Value::as_str)
            .map(PathBuf::from)
    })
    .into_iter()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_silent_client_gets_the_common_ground() {
        assert_eq!(Client::read(&json!({})), Client::default());
        assert!(folders(&json!({ "workspaceFolders": null })).is_empty());
    }

    #[test]
    fn odd_pieces_do_not_spoil_the_others() {
        let client = Client::read(&json!({ "capabilities": {
            "general": { "positionEncodings": ["utf-32", 7, "utf-8"] },
            "textDocument": {
                "publishDiagnostics": "yes",
                "diagnostic": { "relatedInformation": true },
            },
        }}));
        assert_eq!(client.encoding, Encoding::Utf8);
        assert!(client.pulls_diagnostics && client.related_information);
        assert!(!client.code_description);
    }

    #[test]
    fn folders_come_in_three_ways() {
        let folder = |value| folders(&value);
        assert_eq!(
            folder(
                json!({ "workspaceFolders": [{ "uri": "file:///a", "name": "a" }, { "uri": "file:///b", "name": "b" }] })
            ),
            [PathBuf::from("/a"), PathBuf::from("/b")]
        );
        assert_eq!(
            folder(json!({ "rootUri": "file:///a" })),
            [PathBuf::from("/a")]
        );
        assert_eq!(folder(json!({ "rootPath": "/a" })), [PathBuf::from("/a")]);
    }
}
