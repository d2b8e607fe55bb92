// How fast the emulator runs the launches of a file: millions of warp instructions a CPU second on one core, counting
// and not, the wall-clock gain of more threads, beside what the machine's threads gain on arithmetic alone, and what
// the kernel's machine code takes, as programs without a GPU run it, of the time that its PTX takes, neither counting.
// Usage: emulator_speed LAUNCH.json [REPEATS] [KERNEL]. On a machine that does other work, let it go first: chrt -f 1.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

#include "benchmarks/loaded_launches.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/simt/lane_isa.h"

namespace {

using namespace warplens;
using benchmarks::cpu_seconds, benchmarks::LoadedLaunches;

/// Arithmetic in eight chains, so that it fills a core, and touches no memory.
uint64_t arithmetic(uint64_t rounds) {
  uint64_t x[8] = {1, 2, 3, 4, 5, 6, 7, rounds};
  for (uint64_t i = 0; i < rounds; ++i)
    for (uint64_t& each : x) each = (each ^ each >> 7) + i;
  return x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7];
}

/// How much faster `threads` threads do `pieces` pieces of arithmetic, of some 10 us each, than one does.
double machine_gain(size_t pieces, size_t threads, int repeats) {
  std::atomic<uint64_t> sum{0};
  const auto seconds = [&](size_t used) {
    double least = 1e30;
    for (int i = 0; i < repeats; ++i) {
      const int64_t begin = monotonic_ns();
      parallel_for(pieces, used, [&](size_t piece) { sum += arithmetic(6000 + piece); });
      least = std::min(least, static_cast<double>(monotonic_ns() - begin));
    }
    return least;
  };
  const double one = seconds(1);
  return one / seconds(threads);
}

struct Timing {
  double cpu = 1e30, wall = 1e30;
  uint64_t instructions = 0;
};

/// CPU seconds of the kernel's machine code, on one thread, nothing counted.
Result<double> time_machine_code(LoadedLaunches& launches, size_t index, int repeats) {
  using namespace simt::sass_machine;
  const Program* program = nullptr;
  WL_ASSIGN(MachineLaunch launch, launches.machine_launch(index, &program));
  launch.counted = false;
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    const double begin = cpu_seconds();
    WL_ASSIGN(const MachineCounts counts, run_machine(*program, launch));
    best = std::min(best, cpu_seconds() - begin);
    if (counts.stop.kind != Stop::Kind::kNone) return unsupported(counts.stop.reason);
  }
  return best;
}

Result<Timing> time_ptx(const LoadedLaunches& launches, size_t index, bool count, uint32_t threads, int repeats) {
  WL_ASSIGN(simt::Launch config, launches.configure(index));
  config.count = count;
  config.threads = threads;
  Timing best;
  for (int i = 0; i < repeats; ++i) {
    const double begin = cpu_seconds();
    WL_ASSIGN(const simt::LaunchResult result,
              simt::ptx_machine::launch(*launches.module->ptx, launches.source.kernels[index], config));
    best.cpu = std::min(best.cpu, cpu_seconds() - begin);
    best.wall = std::min(best.wall, result.seconds);
    if (result.fault) return unsupported(result.fault->text());
    best.instructions = std::max(best.instructions, result.counts.warp_instructions);
  }
  return best;
}

Status run(const std::string& path, int repeats, const std::string& only) {
  LoadedLaunches loaded;
  WL_TRY(loaded.load(path));
  const std::vector<std::string>& kernels = loaded.source.kernels;
  std::printf("lanes: %s; %zu threads for the last column\n", std::string(simt::lane_isa()).c_str(), default_threads());
  if (only.empty())
    std::printf("threads gain on arithmetic alone: %.2fx in 1 ms, %.2fx in 20 ms\n",
                machine_gain(100, default_threads(), 4 * repeats), machine_gain(2000, default_threads(), repeats));
  std::printf("%-20s %12s %14s %16s %12s %10s %13s\n", "kernel", "warp instr", "M/s counting", "M/s not counting",
              "counting", "threads", "machine code");
  double logs = 0, ratios = 0, gains = 0, codes = 0;
  int n = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!only.empty() && kernels[i] != only) continue;
    const auto counted = time_ptx(loaded, i, true, 1, repeats);
    if (!counted.ok()) {
      std::printf("%-20s %s\n", kernels[i].c_str(), counted.status().message().c_str());
      continue;
    }
    WL_ASSIGN(const Timing plain, time_ptx(loaded, i, false, 1, repeats));
    WL_ASSIGN(const Timing threaded, time_ptx(loaded, i, true, static_cast<uint32_t>(default_threads()), repeats));
    const double rate = static_cast<double>(counted->instructions) / counted->cpu * 1e-6;
    const double ratio = counted->cpu / plain.cpu, gain = counted->wall / threaded.wall;
    WL_ASSIGN(const double code, time_machine_code(loaded, i, repeats));
    std::printf("%-20s %12llu %14.1f %16.1f %11.2fx %9.2fx %12.2fx\n", kernels[i].c_str(),
                static_cast<unsigned long long>(counted->instructions), rate,
                static_cast<double>(counted->instructions) / plain.cpu * 1e-6, ratio, gain, code / plain.cpu);
    logs += std::log(rate), ratios += std::log(ratio), gains += std::log(gain), codes += std::log(code / plain.cpu),
        ++n;
  }
  if (n)
    std::printf("%-20s %12s %14.1f %16s %11.2fx %9.2fx %12.2fx\n", "geometric mean", "", std::exp(logs / n), "",
                std::exp(ratios / n), std::exp(gains / n), std::exp(codes / n));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: emulator_speed LAUNCH.json [REPEATS] [KERNEL]\n"), 2;
  const warplens::Status status = run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3, argc > 3 ? argv[3] : "");
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message().c_str()), 1;
  return 0;
}
