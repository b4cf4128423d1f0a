//! Any bytes through the whole analysis, fixes and reports.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let analysis = cudalint_fuzz::analysis(data);
    cudalint_fuzz::check(&analysis);
});
