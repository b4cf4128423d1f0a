//! Open documents and their texts.
//!
//! Given what a client tells of its editors, holds the text of each document as the
//! user sees it. Knows nothing of analyses.

use super::position::Encoding;
use super::uri;
use crate::source::SourceFile;
use gen_lsp_types::{TextDocumentContentChangeEvent, TextDocumentItem, Uri};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One open document.
#[derive(Debug)]
pub struct Document {
    pub uri: Uri,
    pub path: PathBuf,
    /// The client's own count.
    pub version: i32,
    /// As the client calls it.
    language: String,
    pub file: Arc<SourceFile>,
    /// Whether the text is CUDA at all: editors attach servers to headers and C++ files too.
    pub is_cuda: bool,
}

/// All open documents, by URI.
#[derive(Debug, Default)]
pub struct Documents(BTreeMap<String, Document>);

impl Documents {
    pub fn open(&mut self, item: TextDocumentItem) {
        let path = uri::path(&item.uri);
        let language = String::from(item.language_id);
        let is_cuda = is_cuda(&path, &language, &item.text);
        let file = Arc::new(SourceFile::new(path.clone(), item.text.into()));
        self.0.insert(
            item.uri.0.clone(),
            Document {
                uri: item.uri,
                path,
                version: item.version,
                language,
                file,
                is_cuda,
            },
        );
    }

    pub fn close(&mut self, uri: &Uri) -> Option<Document> {
        self.0.remove(&uri.0)
    }

    #[must_use]
    pub fn get(&self, uri: &Uri) -> Option<&Document> {
        self.0.get(&uri.0)
    }

    #[must_use]
    pub fn at(&self, path: &Path) -> Option<&Document> {
        self.iter().find(|document| document.path == path)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.0.values()
    }

    /// Applies edits in their order; each speaks of the text that the one before it left.
    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<&Document> {
        let document = self.0.get_mut(&uri.0)?;
        document.version = version;
        for change in changes {
            let text = match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    whole.text
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let file = &document.file;
                    let a = encoding.offset(file, part.range.start) as usize;
                    let b = encoding.offset(file, part.range.end) as usize;
                    let (start, end) = (a.min(b), a.max(b));
                    let mut text =
                        String::with_capacity(file.text.len() + part.text.len() + start - end);
                    text.push_str(&file.text[..start]);
                    text.push_str(&part.text);
                    text.push_str(&file.text[end..]);
                    text
                }
            };
            document.file = Arc::new(SourceFile::new(document.path.clone(), text.into()));
        }
        // Once CUDA, a document stays so: what was said of it has to be taken back.
        document.is_cuda =
            document.is_cuda || is_cuda(&document.path, &document.language, &document.file.text);
        Some(document)
    }
}

/// By its name, by what the client calls it, or, of C and C++, by what it holds: in other languages
/// such words stand in strings.
fn is_cuda(path: &Path, language: &str, text: &str) -> bool {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let language = language.to_ascii_lowercase();
    let is_c = ["c", "cpp", "c++", "objective-c", "objective-cpp"].contains(&language.as_str());
    matches!(extension.as_deref(), Some("cu" | "cuh"))
        || language.starts_with("cuda")
        || is_c && (text.contains("__global__") || text.contains("__device__"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_lsp_types::{Position, Range, TextDocumentContentChangePartial};

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        let at = |(line, character)| Position { line, character };
        #[allow(deprecated)]
        TextDocumentContentChangeEvent::TextDocumentContentChangePartial(
            TextDocumentContentChangePartial {
                range: Range {
                    start: at(from),
                    end: at(to),
                },
                range_length: None,
                text: text.to_owned(),
            },
        )
    }

    #[test]
    fn cuda_is_known_by_name_language_or_content() {
        let kernel = "__global__ void k() {}";
        for (path, language, text, expected) in [
            ("/a.cu", "cpp", "", true),
            ("untitled:Untitled-1", "cuda-cpp", "", true),
            ("/a.h", "cpp", kernel, true),
            ("/a.h", "cpp", "int x;", false),
            ("/a.py", "python", kernel, false),
            ("/a.md", "markdown", kernel, false),
        ] {
            assert_eq!(is_cuda(Path::new(path), language, text), expected, "{path}");
        }
    }

    #[test]
    fn edits_apply_one_after_the_other() {
        let mut documents = Documents::default();
        let uri = Uri("file:///a.cu".to_owned());
        documents.open(TextDocumentItem {
            uri: uri.clone(),
            language_id: "cuda".to_owned().into(),
            version: 1,
            text: "ü one\ntwo\n".to_owned(),
        });
        let changes = vec![
            edit((0, 2), (0, 5), "1"),
            edit((1, 0), (1, 0), "2 "),
            edit((1, 99), (0, 3), ""),
        ];
        let document = documents
            .change(&uri, 2, changes, Encoding::Utf16)
            .expect("an open document");
        assert_eq!(&*document.file.text, "ü 1\n");
        assert_eq!(document.version, 2);
    }
}
