//! Headless Neovim with the configuration that is shipped. Says why where there is no Neovim.

use crate::support::root;
use std::process::Command;

/// The first version with `vim.lsp.config`.
const OLDEST: (u32, u32) = (0, 11);

/// `NVIM v0.12.4` as numbers.
fn version(nvim: &str) -> Option<(u32, u32)> {
    let output = Command::new(nvim).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.strip_prefix("NVIM v")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[test]
fn neovim_shows_diagnostics_hints_and_hovers_and_applies_a_fix() {
    let nvim = std::env::var("NVIM").unwrap_or_else(|_| "nvim".to_owned());
    match version(&nvim) {
        None => return println!("skipped: `{nvim}` does not run; NVIM names another"),
        Some(version) if version < OLDEST => {
            return println!("skipped: `{nvim}` is older than {OLDEST:?}");
        }
        Some(_) => {}
    }
    let runtime = root().join("editors/neovim");
    let output = Command::new(&nvim)
        .current_dir(root())
        .env("XDG_STATE_HOME", std::env::temp_dir())
        .args(["--headless", "--clean", "-n", "--cmd"])
        .arg(format!("set runtimepath^={}", runtime.display()))
        .args(["-l", "tests/suite/lsp/neovim.lua"])
        .args(["tests/snapshots/example.cu", env!("CARGO_BIN_EXE_cudalint")])
        .output()
        .expect("Neovim runs");
    let heard = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    let transcript: Vec<&str> = heard.lines().map(str::trim_end).collect();
    let wanted = [
        "server cudalint, filetype cuda",
        "diagnostic 13:35 CL101 32-way bank conflict on `tile`: 32 wavefronts per request, ideal 1, 31 excessive",
        "diagnostic 18:14 CL202 misaligned load of `in`: 5 sectors per request, ideal 4, 1 excessive",
        "diagnostic 18:26 CL201 possible uncoalesced load of `in`: 32 sectors per request, ideal 4, 28 excessive",
        "hint 8 1 wavefront ✓",
        "hint 8 4 sectors ✓",
        "hint 13 4 sectors ✓",
        "hint 13 32-way",
        "hint 18 4 sectors ✓",
        "hint 18 5 sectors of 4",
        "hint 18 1..32 sectors of 4 (pitch)",
        "hover **shared load** of `tile` (4 bytes per lane): **32 wavefronts** per request, ideal 1, 31 excessive",
        "window # Accesses of `transpose`",
        "window # Access `tile[threadIdx.x][threadIdx.y + j]`",
        "in a block of 8 x 32 **8 wavefronts**",
        "fixed __shared__ float tile[TILE][TILE + 1];",
        "2 diagnostics are left",
    ];
    assert_eq!(
        transcript,
        wanted,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
