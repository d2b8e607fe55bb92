#!/usr/bin/env bash
# Builds the wheel for PYTHON (python3), or takes WHEEL, installs it into a fresh environment without torch, and uses it there: as pip
# and pipx run it, and with NVIDIA's compiler from PyPI in place of a toolkit.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
if [ -z "${WHEEL:-}" ]; then
  mkdir -p dist
  CC=${CC:-cc} CXX=${CXX:-c++} "$python" -m pip wheel -q --disable-pip-version-check --no-deps -C build-dir=build-wheel -w dist .
  tag=$("$python" -c "import sys; print(f'cp{sys.version_info[0]}{sys.version_info[1]}')")
  WHEEL=$(ls -t dist/warplens-*-"$tag"-*.whl | head -1)
fi
wheel=$(realpath "$WHEEL")
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt 17000000 ]  # a jump shows that something was bundled by mistake
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/env"
trace=$PWD/tests/data/traces/square.pt.trace.json.gz
start=$SECONDS
"$folder/env/bin/python" -m pip install -q --disable-pip-version-check "$wheel"
"$folder/env/bin/warplens" findings "$trace" >/dev/null
echo "from the wheel to the first finding: $((SECONDS - start)) s"
[ $((SECONDS - start)) -lt 60 ]
cd "$folder"
# What it is linked with comes with it, or is on every Linux.
for file in env/lib/python*/site-packages/warplens/{_core*.so,bin/warplens,lib/libwarplens_collect.so,lib/warplens/cuda/*.so.*,lib/warplens/cuda/libwarplens_stand_ins.so,lib/warplens/cuda/12/libcudart.so.12}; do
  ldd "$file" | awk '/=>/ {print $1, $3}' | while read -r name path; do
    case $name in libc.so.*|libm.so.*|libstdc++.so.*|libgcc_s.so.*|libpthread.so.*|libdl.so.*|librt.so.*) continue ;; esac
    case $path in "$folder"/*|"$PWD"/*) ;; *) echo "$file needs $name, which the wheel lacks (found: $path)"; exit 1 ;; esac
  done
done
env/bin/warplens --version
env/bin/warplens ops "$trace" --torch --limit 3
env/bin/python - "$trace" <<'PYTHON'
import pydoc
import sys

import warplens

print(warplens.load(sys.argv[1]).tables()["device_events"], "device events")
print(warplens.bench(sum, range(1000), limit_s=0.2))
assert "torch" not in sys.modules and "numpy" not in sys.modules
assert "class Profile" in pydoc.plain(pydoc.render_doc(warplens))
try:
    warplens.fuse
except ImportError as error:
    assert "pip install torch" in str(error), error
PYTHON
env -u CUDA_HOME -u CUDA_PATH env/bin/warplens demo > demo.txt
grep -q '^race: ' demo.txt
grep -q 'fusable-chain  saves about' demo.txt
grep -q '^sm: counters' demo.txt
env/bin/python -m pip install -q --disable-pip-version-check pipx
PIPX_HOME=$folder/pipx env/bin/pipx run --spec "$wheel" warplens "$trace" | grep 'GPU busy'

# What is injected into programs, or stands in for what they load, comes with it.
env/bin/warplens record -- true 2>&1 | grep 'nothing was recorded'
env/bin/warplens learn copy | grep -q '^3 of 3'

# With the extra, CUDA C++ compiles: by the wheels, where this machine has no toolkit in its usual places. Programs run without a GPU.
env/bin/python -m pip install -q --disable-pip-version-check "$wheel[compiler]"
printf '__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n' > twice.cu
PATH=/usr/bin:/bin env/bin/warplens kernel twice.cu --block 32 --arg 'x=f32[32]:ones' --emulate | tee twice.txt
grep -q 'twice: counters exact' twice.txt
cat twice.cu - > program.cu <<'CUDA'
#include <cstdio>
int main() {
  float* x;
  cudaMallocManaged(&x, 32 * sizeof(float));
  x[31] = 21;
  twice<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  printf("%g\n", x[31]);
}
CUDA
PATH=/usr/bin:/bin env/bin/warplens nvcc -arch=sm_90 -o program program.cu
[ "$(env/bin/warplens emulate -- ./program)" = 42 ]
env/bin/warplens record --emulate -o program.wlens -- ./program
env/bin/warplens program.wlens | grep 'GPU busy'
env/bin/warplens inspect program | grep 'machine code'
PATH=/usr/bin:/bin env/bin/warplens doctor
