//! The downloaded solver: every build holds what its cache has against the pinned hash.

#![cfg(target_os = "linux")]

use crate::support::Scratch;
use std::path::{Path, PathBuf};
use std::process::Command;

const SONAME: &str = "libz3.so.4.15";

/// The newest build script beside the tested program, which is the one that built it.
fn build_script() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_BIN_EXE_cudalint"))
        .parent()?
        .join("build");
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let scripts = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("cudalint-"))
        .map(|entry| entry.path().join("build-script-build"))
        .filter(|script| script.exists());
    scripts.max_by_key(|script| {
        std::fs::metadata(script)
            .and_then(|known| known.modified())
            .ok()
    })
}

/// Runs the script with this text in the place of the cached library, and with nobody to download another.
fn build(script: &Path, scratch: &Scratch, library: &[u8]) -> (String, PathBuf) {
    let arch = std::env::consts::ARCH;
    let cached = format!("cache/z3-4.15.4.0-{arch}-linux");
    scratch.write(&format!("{cached}/{SONAME}"), library);
    scratch.write(&format!("{cached}/libz3.so"), library);
    scratch.write(&format!("{cached}/complete"), "");
    let out = scratch.0.join("target/debug/build/cudalint-0/out");
    std::fs::create_dir_all(&out).expect("a folder");
    std::fs::create_dir_all(scratch.0.join("no-programs")).expect("a folder");
    let output = Command::new(script)
        .current_dir(crate::support::root())
        .env_clear()
        .env("PATH", scratch.0.join("no-programs"))
        .env("OUT_DIR", &out)
        .env("CARGO_CFG_TARGET_OS", "linux")
        .env("CARGO_CFG_TARGET_ARCH", arch)
        .env("CUDALINT_Z3_CACHE", scratch.0.join("cache"))
        .output()
        .expect("the build script");
    (String::from_utf8_lossy(&output.stdout).into_owned(), out)
}

#[test]
fn a_poisoned_download_is_linked_by_no_build() {
    let script = build_script().expect("the script that built this");
    let scratch = Scratch::new("poisoned-solver");
    let own = Path::new(env!("CARGO_BIN_EXE_cudalint")).with_file_name(SONAME);
    let genuine = std::fs::read(own).unwrap_or_default();
    let mut other = genuine.clone();
    if let Some(byte) = other.last_mut() {
        *byte ^= 1;
    }
    for poison in [&b"\x7fELF, but another"[..], b"", &other] {
        let (said, out) = build(&script, &scratch, poison);
        assert!(said.contains("cargo::error="), "{said}");
        assert!(!said.contains("rustc-link-search"), "{said}");
        assert!(!out.join("libz3.so").exists());
    }
    // A build that links a Z3 of the system has no pinned one to compare with.
    if genuine.is_empty() {
        return;
    }
    let (said, out) = build(&script, &scratch, &genuine);
    assert!(
        said.contains(&format!("rustc-link-search=native={}", out.display())),
        "{said}"
    );
    // What is linked is the copy that was checked, not what the cache holds when the linker runs.
    assert!(
        !said.contains(&format!("native={}", scratch.0.join("cache").display())),
        "{said}"
    );
    assert_eq!(std::fs::read(out.join(SONAME)).expect("a copy"), genuine);
}
