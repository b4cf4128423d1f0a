//! A language server that is sent anything: messages that mean something, and bytes that do not.

#![no_main]

use cudalint_fuzz::messages::Session;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|session: Session| {
    session.play();
});
