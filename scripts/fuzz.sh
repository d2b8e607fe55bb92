#!/usr/bin/env bash
# Builds the fuzzers with clang and runs each for a while, beginning with the bundled data: fuzz.sh [SECONDS [NAME...]]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}; shift || true
# The newest clang there is, from 15 on: older ones lack _Float16.
newest() {
  for name in clang++ clang++-{22,21,20,19,18,17,16,15}; do
    if command -v "$name" >/dev/null && [ "$("$name" -dumpversion | cut -d. -f1)" -ge 15 ]; then echo "$name"; return; fi
  done
}
compiler=$(newest)
if [ -z "$compiler" ]; then
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends clang-16 libclang-rt-16-dev >/dev/null
  compiler=clang++-16
fi
names=("$@"); [ ${#names[@]} -gt 0 ] || for f in fuzz/*_fuzz.cpp; do names+=("$(basename "$f" .cpp)"); done
cmake --preset fuzz -DWARPLENS_TESTS=OFF -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_C_COMPILER="${compiler/++/}" >/dev/null
cmake --build build-fuzz --target "${names[@]}"

seeds=build-fuzz/seeds
mkdir -p $seeds/{readers_kineto_fuzz,readers_input_fuzz,ptx_fuzz,cubin_fuzz,launch_description_fuzz,analysis_shapes_fuzz,analysis_rules_fuzz}
cp tests/data/ptx/syntax.ptx $seeds/ptx_fuzz/
cp tests/data/cubin/* $seeds/cubin_fuzz/
cp examples/*.json $seeds/launch_description_fuzz/
echo '[[8, 512], [], [[4], [2, 3]]]' > $seeds/analysis_shapes_fuzz/shapes
printf 'kernel *gemm* matrix\ntensor *hmma* yes\n' > $seeds/analysis_rules_fuzz/rules
for trace in square square_h2d streams cuda_graph; do
  cp tests/data/traces/$trace.pt.trace.json.gz $seeds/readers_input_fuzz/
  # A small head of each trace, so that mutations reach all of it.
  gzip -dc tests/data/traces/$trace.pt.trace.json.gz | head -c 16384 > $seeds/readers_kineto_fuzz/$trace.json || true
done
if [ -x build/warplens ]; then
  mkdir -p $seeds/profile_native_fuzz
  build/warplens convert tests/data/traces/square.pt.trace.json.gz -f -o $seeds/profile_native_fuzz/square.wlens 2>/dev/null
fi
for name in "${names[@]}"; do
  corpus=build-fuzz/corpus/$name
  mkdir -p "$corpus" $seeds/"$name"
  echo "== $name, $seconds s"
  build-fuzz/"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=0 \
    -artifact_prefix=build-fuzz/"$name"- "$corpus" $seeds/"$name" 2>&1 | grep -vE '^(#[0-9]+\s+(NEW|REDUCE|pulse|RELOAD)|"|######)'  | tail -15
done
