#!/usr/bin/env bash
# A folder of tools from PyPI, pinned, made when it is not there as asked: tool_env.sh FOLDER PACKAGE==VERSION...
set -euo pipefail
environment=$1
shift
[ "$(cat "$environment/tools" 2>/dev/null || true)" = "$*" ] && exit 0
mkdir -p "$(dirname "$environment")"
python3 -m venv "$environment"
"$environment/bin/pip" install -q --disable-pip-version-check "$@"
echo "$*" > "$environment/tools"
