#!/usr/bin/env bash
# Brings NVIDIA's CUDA compiler from PyPI into .venv when this machine has no toolkit (about 190 MB).
set -euo pipefail
cd "$(dirname "$0")/.."
for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr; do
  [ -n "$root" ] || continue
  for library in "$root"/lib64/libnvrtc.so.1[23] "$root"/lib/libnvrtc.so.1[23] "$root/lib/$(uname -m)-linux-gnu"/libnvrtc.so.1[23]; do
    [ -e "$library" ] && exit 0
  done
done
ls .venv/lib/python3*/site-packages/nvidia/cu13/lib/libnvrtc.so.13 >/dev/null 2>&1 && exit 0
echo "no CUDA toolkit found: installing NVIDIA's compiler into .venv" >&2
[ -x .venv/bin/python ] || python3 -m venv .venv
mapfile -t wheels < <(.venv/bin/python -c '
import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["compiler"], sep="\n")')
[ ${#wheels[@]} -gt 0 ]
.venv/bin/python -m pip install -q --disable-pip-version-check "${wheels[@]}"
