#!/usr/bin/env bash
# clang-tidy with the checks in .clang-tidy, and GitHub's schema of workflows: tidy.sh BUILD judges all that BUILD compiles, minutes;
# tidy.sh --changed COMMIT the sources of src that were changed since. The tools come from PyPI, pinned.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=build/tidy-env
scripts/tool_env.sh $environment clang-tidy==23.1.4 check-jsonschema==0.39.0
$environment/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
python3 scripts/tidy.py $environment/bin/clang-tidy "$@"
