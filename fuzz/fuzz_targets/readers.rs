//! Any bytes as a compilation database, as a file of options, and as the files of a cache.

#![no_main]

use cudalint::session::cache::{proofs, recalled};
use cudalint::session::input::{compile_commands, nvcc};
use cudalint::source::SourceMap;
use cudalint_fuzz::{NAME, nowhere};
use libfuzzer_sys::fuzz_target;

const KERNEL: &str = "__global__ void k(float *o) { o[2 * threadIdx.x] = 1.0f; } // ä\n";

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(entries) = compile_commands::parse(&text, nowhere()) {
        for entry in entries.iter().filter(|entry| entry.is_cuda()) {
            let _ = nvcc::flags(&entry.arguments, &entry.directory);
        }
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let _ = nvcc::flags(&words, nowhere());
    let _ = nvcc::translate(words);
    let _ = proofs::answers(data);
    let mut sources = SourceMap::default();
    sources.add(NAME, KERNEL);
    for finding in recalled(data, &sources).unwrap_or_default() {
        let edits = finding.fixes.iter().flat_map(|fix| &fix.edits);
        for span in edits.map(|edit| edit.span).chain([finding.primary.span]) {
            assert!(KERNEL.get(span.start as usize..span.end as usize).is_some());
        }
    }
});
