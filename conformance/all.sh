#!/usr/bin/env bash
# Shows all cases to all verifiers that are known. Compile before. The results are in test-results/conformance/.
set -uo pipefail
cd "$(dirname "$0")/.."
out=test-results/conformance
mkdir -p "$out"
status=0

ours() {
  node build/conformance/main.js run --role "$1" --json "$out/ours-$1.json" -- node build/conformance/ours.js || status=1
}

python() {
  node build/conformance/main.js run --role "$1" --json "$out/python-$1.json" \
    --xfails conformance/python/python.xfails -- python3 -B conformance/python/conformance.py || status=1
}

for role in list lookup client auditor log passport; do ours "$role"; done
for role in list lookup client log; do python "$role"; done
exit "$status"
