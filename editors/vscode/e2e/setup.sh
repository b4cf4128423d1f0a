#!/usr/bin/env bash
# Fetches VS Code for the browser (code-server) and builds the two native modules that it needs. No script of a
# package runs but those two builds. Needs Node 20 with its headers, npm, a C++ compiler, Python 3.
set -euo pipefail
cd "$(dirname "$0")"

npm install --ignore-scripts --no-audit --no-fund
code=node_modules/code-server/lib/vscode
for folder in "$code" "$code/extensions"; do
    (cd "$folder" && npm install --ignore-scripts --omit=dev --no-audit --no-fund)
done
# Passwords are not used here, so nothing is built for them.
printf 'module.exports = {};\n' > node_modules/argon2/argon2.js
# Headers of a Node that came from a distribution, in place of a download.
[ ! -d /usr/include/node ] || export npm_config_nodedir=/usr
# node-pty's own script copies files that only Windows has; what counts is the module.
(cd "$code" && npm rebuild @vscode/spdlog node-pty) || true
for module in @vscode/spdlog/build/Release/spdlog.node node-pty/build/Release/pty.node; do
    [ -f "$code/node_modules/$module" ] || { echo "$module was not built" >&2; exit 1; }
done
