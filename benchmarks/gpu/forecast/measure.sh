#!/usr/bin/env bash
# Runs the programs on the GPU here, and records them emulated, with this computer as the host: measure.sh OUT WARPLENS LAUNCH_GAPS [MODEL...]
# LAUNCH_GAPS is benchmarks/gpu/launch_gaps.cu, built. compare.py reads OUT;
# `warplens forecast OUT/MODEL.GPU.wlens` forecasts.
set -u
here=$(cd "$(dirname "$0")" && pwd); out=$1 warplens=$2 gaps=$3; shift 3
models=${*:-gpt2_decode vit nanogpt qwen2_decode lstm mlp resnet18 bert}
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/gpu.txt"
lscpu | grep -E 'Model name|^CPU\(s\)' >> "$out/gpu.txt"
python3 -c 'import torch, transformers; print("torch", torch.__version__, "transformers", transformers.__version__)' >> "$out/gpu.txt"
"$gaps" > "$out/launch_gaps.csv" 2>> "$out/errors.txt"
run() { timeout 150 python3 "$here/programs.py" "$1" 60 --profile "$out/$2.json" --trace "$out/$2.trace.json.gz" "${@:3}" > "$out/$2.txt" 2>> "$out/errors.txt"; }
for model in $models; do run "$model" "$model"; done
gpu=$(grep -o -E 'H100|H200' "$out/gpu.txt" | head -1 | tr H h)
record() {
  timeout 100 "$warplens" record --emulate --torch --memory --api work --sample --device "$gpu" -f -o "$out/$1.$gpu.wlens" -- \
    python3 "$here/programs.py" "$1" 40 > /dev/null 2> "$out/$1.record.txt"
}
export here out warplens gpu
export -f record
printf '%s\n' $models | xargs -P 3 -I{} bash -c 'record {}'
