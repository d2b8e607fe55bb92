#!/usr/bin/env bash
# Shows what warplens does, on any machine. Usage: demo.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."

show() {  # title, command...: runs it; findings make it exit 1, which is no failure of the demo
  printf '\n\033[1m%s\033[0m\n$ warplens %s\n' "$1" "${*:2}"
  "$program" "${@:2}" || [ $? = 1 ]
}

trace=tests/data/traces/gpt2_train.pt.trace.json.gz
show "Where the time of a training step goes" summary $trace
show "What is wrong with it, and what it would save" findings $trace
show "A kernel runs without a GPU: tiled matrix multiplication, 256 x 256" kernel examples/probe.json -k matmul_tiled --emulate
show "The same way a softmax that Triton compiled" kernel examples/softmax_triton.json --emulate
show "A barrier was forgotten: the race is found, with both sides" kernel examples/reduce.json -k block_sum_racy --emulate --check all
show "With the barrier there is nothing to report" kernel examples/reduce.json -k block_sum --emulate --check all
