#!/usr/bin/env bash
# Shows all cases, and some random ones, to all verifiers that are known. Compile before.
# `conformance/all.sh FOLDER` writes results and answers to a folder; without one, to test-results/conformance/.
set -uo pipefail
cd "$(dirname "$0")/.."
out=${1:-test-results/conformance}
mkdir -p "$out"
status=0

show() {
  name=$1 role=$2
  shift 2
  node build/conformance/main.js run --role "$role" --random 500 --json "$out/$name-$role.json" \
    --answers "$out/$name-$role.jsonl" -- "$@" || status=1
}

for role in list lookup client auditor log passport; do show ours "$role" node build/conformance/ours.js; done
for role in list lookup client log; do show python "$role" python3 -B conformance/python/conformance.py; done
exit "$status"
