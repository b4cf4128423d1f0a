//! Folded kernels say what they said before.

use crate::session::{self, Options};
use crate::source::SourceFile;
use std::path::Path;
use std::sync::Arc;

#[test]
fn kernels_come_back_as_they_were() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut folders = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("fixtures can be listed") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "cu") {
                let text = std::fs::read_to_string(&path).expect("fixtures can be read");
                files.push(Arc::new(SourceFile::new(path, text.into())));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let program = session::read(&files, &Options::default()).program;
    let (mut plain, mut folded) = (0, 0);
    for kernel in program.kernels {
        let code = |kernel: &crate::ir::Kernel| {
            format!(
                "{:?}",
                (
                    &kernel.variables,
                    &kernel.sites,
                    &kernel.exprs,
                    &kernel.body
                )
            )
        };
        let before = code(&kernel);
        let name = kernel.name.clone();
        let kernel = kernel.folded();
        assert!(kernel.body.is_empty() && kernel.exprs.is_empty());
        let after = kernel.unfolded();
        assert_eq!(code(&after), before, "{name}");
        assert_eq!(after.identity(), kernel.identity());
        plain += size_of_val(&*after.exprs) + size_of_val(&*after.sites);
        if let super::Form::Folded(code) = &kernel.form {
            folded += code.bytes.len();
        }
    }
    assert!(
        folded > 0 && folded * 3 < plain,
        "{folded} of {plain} bytes"
    );
}
