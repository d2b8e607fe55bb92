#!/usr/bin/env bash
# clang-tidy with the checks in .clang-tidy, and GitHub's schema of workflows: tidy.sh BUILD judges all that BUILD compiles, minutes;
# tidy.sh --changed COMMIT the sources of src that were changed since. The tools come from PyPI, pinned, into build/tidy-env.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="clang-tidy==23.1.4 check-jsonschema==0.39.0"
environment=build/tidy-env
if [ "$(cat $environment/tools 2>/dev/null || true)" != "$tools" ]; then
  mkdir -p build
  python3 -m venv $environment
  # shellcheck disable=SC2086
  $environment/bin/pip install -q --disable-pip-version-check $tools
  echo "$tools" > $environment/tools
fi
$environment/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
python3 scripts/tidy.py $environment/bin/clang-tidy "$@"
