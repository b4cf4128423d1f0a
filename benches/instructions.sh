#!/bin/sh
# Counts the instructions of a cold run with Callgrind: a number that does not depend on the
# machine's mood (runs differ by 0.02 %). Fails where the count is more than 3 % above LIMIT.
#
#   benches/instructions.sh [LIMIT [FOLDER…]]      prints: instructions N
#
# Needs valgrind; FOLDERs are the fixtures of this commit if none are given. The number belongs to one
# compiler and one Z3, so none is written down here: CI counts the commit before on the same
# machine over the same files, and gives that as LIMIT (0: no limit).
set -eu
here=$(pwd)
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind is not there; install it to count instructions" >&2; exit 2; }
cargo build --release --quiet
program=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)/release/cudalint
limit=${1:-0}
[ $# -eq 0 ] || shift
if [ $# -gt 0 ]; then cd "$here"; else set -- fixtures/shared fixtures/global; fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$out" --log-file=/dev/null \
    "$program" check --exit-zero --no-cache --isolated -j1 "$@" >/dev/null
count=$(sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$out" | head -n 1)
echo "instructions $count"
if [ "$limit" -gt 0 ] && [ "$count" -gt $((limit + limit * 3 / 100)) ]; then
    echo "that is more than 3 % above $limit" >&2
    exit 1
fi
