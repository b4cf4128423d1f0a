//! Any bytes through preprocessor, parser and lowering, and as a file of fixtures; a tree that was
//! kept must not change what is read.

#![no_main]

use cudalint::source::FileId;
use cudalint::syntax::embedded::{Host, cuda_in_strings};
use cudalint::syntax::parse::{self, Pieces};
use cudalint::{fixture, ir, session};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|data: &[u8]| {
    let (main, overlay) = cudalint_fuzz::files(data);
    let text = main.text.clone();
    let options = session::Options {
        overlay,
        ..cudalint_fuzz::options()
    };
    cudalint_fuzz::on_worker(|| {
        let analysis = session::read(&[main], &options);
        for kernel in &analysis.program.kernels {
            let _ = ir::dump::dump(kernel);
        }
        let known = Arc::new(Pieces::new(1 << 20));
        let half = (0..=text.len() / 2)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        let _ = parse::parse_sharing(&text[half..], &known);
        let again = parse::parse_sharing(&text, &known);
        assert_eq!(format!("{again:?}"), format!("{:?}", parse::parse(&text)));
        let _ = fixture::read(&text, FileId(0));
        for extension in ["py", "cpp"] {
            if let Some(host) = Host::of(extension) {
                for piece in cuda_in_strings(&text, host) {
                    assert_eq!(piece.len(), text.len(), "offsets in strings have moved");
                }
            }
        }
    });
});
