//! A text that is edited: after each edit the answer is that of a cold analysis.

#![no_main]

use cudalint_fuzz::typing::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: Script| {
    script.play();
});
