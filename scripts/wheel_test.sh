#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh environment without torch, and uses it there.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p dist
python3 -m pip wheel -q --disable-pip-version-check --no-deps -w dist .
wheel=$(ls -t dist/warplens-*.whl | head -1)
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt 15000000 ]
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check "$wheel"
trace=$PWD/tests/data/traces/square.pt.trace.json.gz
cd "$folder"
env/bin/warplens --version
env/bin/warplens ops "$trace" --torch --limit 3
env/bin/python -c "import warplens, sys; print(warplens.load(sys.argv[1]).tables()['device_events'], 'device events')" "$trace"
