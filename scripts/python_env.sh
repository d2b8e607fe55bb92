#!/usr/bin/env bash
# Makes .venv with what the Python package's tests need (torch and triton among it), when it is not there yet.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=$(sha256sum python/requirements-test.txt | cut -c1-16)
[ "$(cat .venv/warplens-requirements 2>/dev/null || true)" = "$wanted" ] && exit 0
echo "installing the Python test requirements into .venv (torch is large: minutes)" >&2
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install -q --disable-pip-version-check -r python/requirements-test.txt
echo "$wanted" > .venv/warplens-requirements
