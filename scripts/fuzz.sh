#!/usr/bin/env bash
# Builds the fuzzers with clang and runs each for a while, beginning with fuzz/corpus and the bundled data:
# fuzz.sh [--keep] [SECONDS [NAME...]]; with --keep small inputs that reach code which fuzz/corpus does not go there.
set -euo pipefail
cd "$(dirname "$0")/.."
keep=false
[ "${1:-}" != --keep ] || { keep=true; shift; }
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
program=build/warplens
[ -x "$program" ] || program=
python3 scripts/fuzz_seeds.py $seeds $program
for name in "${names[@]}"; do
  corpus=build-fuzz/corpus/$name
  mkdir -p "$corpus" $seeds/"$name" fuzz/corpus/"$name"
  echo "== $name, $seconds s"
  # What the target itself prints is of no interest; a crash, a hang or too much memory ends the script.
  build-fuzz/"$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 -close_fd_mask=1 \
    -artifact_prefix=build-fuzz/"$name"- "$corpus" $seeds/"$name" fuzz/corpus/"$name" 2>build-fuzz/"$name".log ||
    { grep -v '^#' build-fuzz/"$name".log | tail -60; exit 1; }
  grep -E '^#[0-9]+' build-fuzz/"$name".log | tail -1
  if $keep; then
    build-fuzz/"$name" -set_cover_merge=1 -max_len=2048 -close_fd_mask=1 fuzz/corpus/"$name" "$corpus" 2>/dev/null
  fi
done
