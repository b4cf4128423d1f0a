#!/usr/bin/env bash
# What runs C (the grammar, Z3) under AddressSanitizer: fuzz/asan.sh [SECONDS]
#
# Finds of fuzzers, mutated fixtures and deep texts are replayed, fixtures and their fixes analysed. This works on stable Rust for Linux with gcc or
# clang: the grammar is compiled with checks as well, of the solver's library calls for memory are watched.
# Where nightly Rust and cargo-fuzz are there, the fuzz targets follow, SECONDS (120) each.
# The solver keeps memory to its end on purpose, so leaks are not looked for.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-120}"
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"

host="$(rustc -vV | sed -n 's/^host: //p')"
case "$host" in
    x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu) ;;
    *)
        echo "fuzz/asan.sh needs Linux on x86-64 or arm64; Rust builds for $host" >&2
        exit 2
        ;;
esac

# The sanitizer's switch waits to be made stable; RUSTC_BOOTSTRAP lets this build have it. Frames with checks are
# large, hence the stack. A folder of its own keeps other builds as they are.
export "CFLAGS_${host//-/_}=-fsanitize=address -fno-omit-frame-pointer"
RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" RUST_MIN_STACK="$((256 << 20))" \
    CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan" \
    cargo test --target "$host" --test suite -- hostile::replay hostile::deep fixtures:: fixes:: witnesses::
unset "CFLAGS_${host//-/_}"

if ! cargo +nightly fuzz --version > /dev/null 2>&1; then
    echo "the fuzz targets were left out: they need nightly Rust and \`cargo install cargo-fuzz\`" >&2
    exit 0
fi
for target in parse_lower analysis kernels; do
    mkdir -p "fuzz/corpus/$target"
    cargo +nightly fuzz run --sanitizer address "$target" "fuzz/corpus/$target" fixtures -- \
        -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4000
done
