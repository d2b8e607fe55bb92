#!/usr/bin/env bash
# Builds the wheel for PYTHON (python3), installs it into a fresh environment without torch, and uses it there.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
mkdir -p dist
"$python" -m pip wheel -q --disable-pip-version-check --no-deps -w dist .
tag=$("$python" -c "import sys; print(f'cp{sys.version_info[0]}{sys.version_info[1]}')")
wheel=$(ls -t dist/warplens-*-"$tag"-*.whl | head -1)
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt 15000000 ]
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q --disable-pip-version-check "$wheel"
trace=$PWD/tests/data/traces/square.pt.trace.json.gz
cd "$folder"
# What it is linked with comes with it, or is on every Linux.
for file in env/lib/python*/site-packages/warplens/{_core*.so,bin/warplens}; do
  ldd "$file" | awk '/=>/ {print $1, $3}' | while read -r name path; do
    case $name in libc.so.*|libm.so.*|libstdc++.so.*|libgcc_s.so.*|libpthread.so.*|libdl.so.*|librt.so.*) continue ;; esac
    case $path in "$folder"/*|"$PWD"/*) ;; *) echo "$file needs $name, which the wheel lacks (found: $path)"; exit 1 ;; esac
  done
done
env/bin/warplens --version
env/bin/warplens ops "$trace" --torch --limit 3
env/bin/python - "$trace" <<'PYTHON'
import sys

import warplens

print(warplens.load(sys.argv[1]).tables()["device_events"], "device events")
print(warplens.bench(sum, range(1000), limit_s=0.2))
assert "torch" not in sys.modules and "numpy" not in sys.modules
PYTHON
