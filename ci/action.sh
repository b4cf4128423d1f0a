#!/usr/bin/env bash
# What action.yml does: `action.sh install` and `action.sh run`. Whatever runs it by hand sets the same variables.
#
#   GITHUB_ACTION_PATH  a checkout of cudalint    RUNNER_TEMP    a folder of the run
#   VERSION             of PyPI; that of the checkout if empty   ARGS, SARIF    inputs of the action
set -euo pipefail

environment="$RUNNER_TEMP/cudalint"
case "$1" in
install)
    own=$(sed -n 's/^version = "\(.*\)"/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1)
    python3 -m venv "$environment"
    if [ -n "${VERSION:-}" ]; then
        "$environment/bin/pip" install --quiet "cudalint==$VERSION"
    elif ! "$environment/bin/pip" install --quiet --only-binary=cudalint "cudalint==$own"; then
        echo "cudalint $own is not on PyPI: building it, which takes minutes"
        "$environment/bin/pip" install --quiet "$GITHUB_ACTION_PATH"
    fi
    ;;
run)
    # For its owner alone; others could decide what is found.
    export CUDALINT_CACHE_DIR="$RUNNER_TEMP/cudalint-cache"
    mkdir -p -m 700 "$CUDALINT_CACHE_DIR"
    # The arguments are words, quotes included, as in a shell, but nothing in them is run.
    printf '%s\n' "$ARGS" > "$RUNNER_TEMP/cudalint-args"
    status=0
    "$environment/bin/cudalint" check --format github \
        ${SARIF:+--output "sarif=$SARIF"} "@$RUNNER_TEMP/cudalint-args" || status=$?
    echo "exit-code=$status" >> "$GITHUB_OUTPUT"
    exit "$status"
    ;;
*)
    echo "usage: action.sh install|run" >&2
    exit 2
    ;;
esac
