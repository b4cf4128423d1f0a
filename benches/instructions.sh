#!/bin/sh
# Counts the instructions of a cold run over the fixtures with Callgrind: a number that does not
# depend on the machine's mood. Given a number, fails where the count is more than 5 % above it.
#
#   benches/instructions.sh [LIMIT]      prints: instructions N
#
# Needs valgrind. The number belongs to one compiler and one Z3: compare it with a run of the
# commit before on the same machine, as CI does.
set -eu
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind is not there; install it to count instructions" >&2; exit 2; }
cargo build --release --quiet
out=$(mktemp)
trap 'rm -f "$out"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$out" --log-file=/dev/null \
    target/release/cudalint check --exit-zero --no-cache -j1 fixtures/shared fixtures/global >/dev/null
count=$(sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$out" | head -n 1)
echo "instructions $count"
if [ $# -gt 0 ] && [ "$count" -gt $(($1 + $1 / 20)) ]; then
    echo "that is more than 5 % above $1" >&2
    exit 1
fi
