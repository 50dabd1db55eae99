#!/usr/bin/env bash
# What action.yml runs: inputs are variables INPUT_…, so that nothing in them is taken for a command.
set -euo pipefail

options=()
while IFS= read -r line; do
    [ -n "$line" ] && options+=("$line")
done <<<"${INPUT_OPTIONS-}"
paths=()
while IFS= read -r line; do
    [ -n "$line" ] && paths+=("$line")
done <<<"${INPUT_PATHS-}"

[ -n "${INPUT_FAIL_ON-}" ] && options+=(--fail-on "$INPUT_FAIL_ON")
[ -n "${INPUT_BASELINE-}" ] && options+=(--baseline "$INPUT_BASELINE")
[ -n "${INPUT_SARIF-}" ] && options+=(--format "sarif=$INPUT_SARIF")

exec "${SESSTOOL:-sesstool}" validate --format github ${options[@]+"${options[@]}"} -- ${paths[@]+"${paths[@]}"}
