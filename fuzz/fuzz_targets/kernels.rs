//! Kernels that are drawn to be valid, through the whole analysis, fixes and reports: what a
//! mutation of bytes rarely reaches.

#![no_main]

use cudalint_fuzz::kernels::File;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: File| {
    let text = file.text();
    if std::env::var_os("SHOW").is_some() {
        println!("{text}");
    }
    let analysis = cudalint_fuzz::analysis(text.as_bytes());
    cudalint_fuzz::check(&analysis);
});
