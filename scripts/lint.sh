#!/usr/bin/env bash
# What can be said without compiling: layers, the picture of the rooms, mistakes in Python, and the format of C++ lines that were
# changed since a commit: lint.sh [COMMIT] (HEAD). The tools come from PyPI, pinned, into build/lint-env.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="ruff==0.17.6 clang-format==23.1.5"
environment=build/lint-env
if [ "$(cat $environment/tools 2>/dev/null || true)" != "$tools" ]; then
  mkdir -p build
  python3 -m venv $environment
  # shellcheck disable=SC2086
  $environment/bin/pip install -q --disable-pip-version-check $tools
  echo "$tools" > $environment/tools
fi
python3 scripts/check_layers.py
python3 scripts/rooms.py --check
$environment/bin/ruff check -q --no-cache --select E9,F python scripts tests benchmarks examples
changed=$($environment/bin/git-clang-format --binary $environment/bin/clang-format --extensions h,cpp --diff "${1:-HEAD}" -- src tests fuzz benchmarks python || true)
case $changed in
  ""|"no modified files to format"|*"did not modify any files"*) ;;
  *) echo "$changed"; echo "not formatted: $environment/bin/git-clang-format ${1:-HEAD} mends it"; exit 1 ;;
esac
