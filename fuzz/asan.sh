#!/usr/bin/env bash
# The targets that run C (the grammar, Z3) under AddressSanitizer, some seconds each: fuzz/asan.sh [SECONDS]
# Needs nightly Rust and cargo-fuzz. The solver keeps memory to its end on purpose, so leaks are not looked for.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-120}"
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
for target in parse_lower analysis kernels; do
    mkdir -p "fuzz/corpus/$target"
    cargo +nightly fuzz run --sanitizer address "$target" "fuzz/corpus/$target" fixtures -- \
        -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4000
done
