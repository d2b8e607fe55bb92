#!/usr/bin/env bash
# Checks without compiling: layers, the picture of the rooms, prose, mistakes in Python, the format of C++. lint.sh --fix fixes the
# format. The tools come from PyPI, pinned.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=build/lint-env
scripts/tool_env.sh $environment ruff==0.17.6 clang-format==23.1.5
sources=$(git ls-files '*.cpp' '*.h' | grep -E '^(src|tests|fuzz|benchmarks|python)/' | grep -v '^tests/data/')  # data: lines that are counted
if [ "${1:-}" = --fix ]; then
  # shellcheck disable=SC2086
  exec $environment/bin/clang-format -i $sources
fi
python3 scripts/check_layers.py
python3 scripts/rooms.py --check
python3 scripts/prose.py
python3 scripts/model_table.py --check
$environment/bin/ruff check -q --no-cache --select E9,F python scripts tests benchmarks examples
# shellcheck disable=SC2086
$environment/bin/clang-format --dry-run -Werror $sources || { echo "not formatted: make format fixes it"; exit 1; }
