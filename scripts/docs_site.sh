#!/usr/bin/env bash
# Builds the documentation's site into build/site; mkdocs comes from PyPI into build/docs-env. Broken links are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x build/docs-env/bin/python ] || python3 -m venv build/docs-env
build/docs-env/bin/python -m pip install -q --disable-pip-version-check -r docs/requirements.txt
NO_MKDOCS_2_WARNING=1 build/docs-env/bin/mkdocs build --strict --quiet
echo "build/site/index.html"
