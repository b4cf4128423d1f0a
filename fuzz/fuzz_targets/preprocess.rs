//! Any bytes as a main file and its headers, through the preprocessor alone.

#![no_main]

use cudalint::source::{SourceFile, SourceMap};
use cudalint::syntax::preprocess::{self, Includes, Options};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::Arc;

struct Headers(Vec<Arc<SourceFile>>);

impl Includes for Headers {
    fn read(&self, path: &Path) -> Option<Arc<SourceFile>> {
        self.0.iter().find(|file| file.path == path).cloned()
    }
}

fuzz_target!(|data: &[u8]| {
    let (main, headers) = cudalint_fuzz::files(data);
    let mut sources = SourceMap::default();
    let main = sources.add_file(main);
    let options = Options {
        defines: vec![
            ("N".to_owned(), Some("16".to_owned())),
            ("F(x)".to_owned(), Some("x##x".to_owned())),
        ],
        ..Options::default()
    };
    let expanded = cudalint_fuzz::on_worker(|| {
        preprocess::preprocess(main, &mut sources, &options, &Headers(headers))
    });
    // Every piece of the text came from somewhere that exists.
    let length = expanded.text.len();
    for start in (0..length).step_by(1 + length / 64) {
        let origin = expanded.origin(start..(start + 3).min(length));
        let file = sources.get(origin.span.file);
        assert!(origin.span.start <= origin.span.end);
        assert!(origin.span.end as usize <= file.text.len());
    }
    for note in &expanded.notes {
        assert!(note.span.end as usize <= sources.get(note.span.file).text.len());
    }
    for comment in &expanded.comments {
        let _ = sources.text(*comment);
    }
});
