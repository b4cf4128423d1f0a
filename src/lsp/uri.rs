//! URIs of documents and paths of files.
//!
//! Given one, gives the other. A URI that names no file stands for itself, so that
//! unsaved documents have a path to be called by. Knows nothing of what the files hold.

use gen_lsp_types::Uri;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::path::{Path, PathBuf};

/// Everything that RFC 3986 does not allow in a path, and what clients encode besides.
const ENCODED: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The file that a `file:` URI names.
#[must_use]
pub fn file(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    let at = rest.find('/')?;
    let (host, path) = rest.split_at(at);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // `/c:/x` is a path of Windows.
    let drive = path.as_bytes();
    if drive.len() > 2 && drive[1].is_ascii_alphabetic() && drive[2] == b':' {
        return Some(PathBuf::from(&path[1..]));
    }
    if host.is_empty() || host == "localhost" {
        Some(PathBuf::from(path.as_ref()))
    } else {
        Some(PathBuf::from(format!("//{host}{path}")))
    }
}

/// The path that a document goes by: its file's, or the URI itself.
#[must_use]
pub fn path(uri: &Uri) -> PathBuf {
    file(uri).unwrap_or_else(|| PathBuf::from(&uri.0))
}

/// The URI of a file.
#[must_use]
pub fn of(path: &Path) -> Uri {
    let text = path.to_string_lossy().replace('\\', "/");
    let encoded = utf8_percent_encode(&text, &ENCODED);
    Uri(if let Some(share) = text.strip_prefix("//") {
        format!("file://{}", utf8_percent_encode(share, &ENCODED))
    } else if text.starts_with('/') {
        format!("file://{encoded}")
    } else if text.as_bytes().get(1) == Some(&b':') {
        format!("file:///{encoded}")
    } else {
        // A document without a file goes by its URI.
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_are_inverse() {
        for path in ["/a/b c/ü#1.cu", "/a/100%.cu", "//host/share/x.cu"] {
            assert_eq!(super::path(&of(Path::new(path))), Path::new(path), "{path}");
        }
    }

    #[test]
    fn clients_encode_as_they_like() {
        let file = |text: &str| file(&Uri(text.to_owned()));
        assert_eq!(
            file("file:///c%3A/x/y.cu"),
            Some(PathBuf::from("c:/x/y.cu"))
        );
        assert_eq!(file("file:///a%20b.cu"), Some(PathBuf::from("/a b.cu")));
        assert_eq!(file("file://localhost/a.cu"), Some(PathBuf::from("/a.cu")));
        assert_eq!(file("untitled:Untitled-1"), None);
        assert_eq!(
            path(&Uri("untitled:Untitled-1".to_owned())),
            Path::new("untitled:Untitled-1")
        );
    }
}
