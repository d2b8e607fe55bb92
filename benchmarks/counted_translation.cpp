// What translation makes of counted launches: CPU milliseconds of each launch of a file as machine code on one thread,
// not counted, counted by the interpreter and counted by translated code, in turn in one run. Every count and every
// byte of memory that the last two leave is compared; exit code 1 where one differs. Usage: counted_translation
// LAUNCH.json [REPEATS] [KERNEL]
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/loaded_launches.h"
#include "warplens/run/sass/compare_counts.h"

namespace {

using namespace warplens;
using benchmarks::cpu_seconds, benchmarks::LoadedLaunches;
using simt::sass_machine::MachineCounts, simt::sass_machine::MachineLaunch, simt::sass_machine::Program;

using Bytes = std::vector<std::vector<uint8_t>>;
Bytes contents(const simt::Memory& memory) {
  Bytes out;
  for (const simt::Allocation& a : memory.live()) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(a.begin);
    out.emplace_back(bytes, bytes + (a.end - a.begin));
  }
  return out;
}
void restore(const simt::Memory& memory, const Bytes& from) {
  size_t k = 0;
  for (const simt::Allocation& a : memory.live()) {
    std::memcpy(reinterpret_cast<void*>(a.begin), from[k].data(), from[k].size());
    ++k;
  }
}

/// Ways to run a launch.
enum Way : size_t { kPlain, kInterpreted, kTranslated, kWays };

struct Timing {
  double ms[kWays] = {1e30, 1e30, 1e30};
  std::string differs;  // what; empty: nothing
};

Result<Timing> time(LoadedLaunches& loaded, size_t index, int repeats) {
  const Program* program = nullptr;
  WL_ASSIGN(MachineLaunch launch, loaded.machine_launch(index, &program));
  const simt::Memory& memory = loaded.module->memory;
  const Bytes before = contents(memory);
  Timing out;
  for (int i = 0; i < repeats; ++i) {
    MachineCounts counts[kWays];
    Bytes left[kWays];
    for (const Way way : {kPlain, kInterpreted, kTranslated}) {
      launch.counted = way != kPlain;
      launch.translated = way != kInterpreted;
      const double begin = cpu_seconds();
      WL_ASSIGN(counts[way], run_machine(*program, launch));
      out.ms[way] = std::min(out.ms[way], 1e3 * (cpu_seconds() - begin));
      left[way] = contents(memory);
      restore(memory, before);
    }
    out.differs = simt::sass_machine::testing::first_difference(counts[kInterpreted], counts[kTranslated]);
    if (out.differs.empty() && left[kInterpreted] != left[kTranslated]) out.differs = "memory";
    if (!out.differs.empty()) break;
  }
  return out;
}

Status run(const std::string& path, int repeats, const std::string& only, bool* equal) {
  LoadedLaunches loaded;
  WL_TRY(loaded.load(path));
  std::printf("%-24s %12s %12s %12s %14s %18s\n", "kernel", "not counted", "interpreted", "translated",
              "of interpreted", "of not counted");
  double gain = 0, cost = 0, worst = 0;
  int n = 0;
  for (size_t i = 0; i < loaded.source.kernels.size(); ++i) {
    const std::string& kernel = loaded.source.kernels[i];
    if (!only.empty() && kernel.find(only) == std::string::npos) continue;
    const Result<Timing> timing = time(loaded, i, repeats);
    if (!timing.ok()) {
      std::printf("%-24s %s\n", kernel.c_str(), timing.status().message().c_str());
      continue;
    }
    const double *ms = timing->ms, of_interpreted = ms[kTranslated] / ms[kInterpreted],
                 of_plain = ms[kTranslated] / ms[kPlain];
    std::printf("%-24s %9.2f ms %9.2f ms %9.2f ms %13.2fx %17.2fx%s%s\n", kernel.c_str(), ms[kPlain], ms[kInterpreted],
                ms[kTranslated], of_interpreted, of_plain,
                timing->differs.empty() ? "" : "  DIFFERS: ", timing->differs.c_str());
    *equal = *equal && timing->differs.empty();
    gain += std::log(of_interpreted), cost += std::log(of_plain), worst = std::max(worst, of_plain), ++n;
  }
  if (n)
    std::printf("%-24s %12s %12s %12s %13.2fx %17.2fx  worst %.2fx\n", "geometric mean", "", "", "", std::exp(gain / n),
                std::exp(cost / n), worst);
  return n ? Status{} : unsupported("no launch was compared");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: counted_translation LAUNCH.json [REPEATS] [KERNEL]\n"), 2;
  bool equal = true;
  const warplens::Status status = run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3, argc > 3 ? argv[3] : "", &equal);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message().c_str()), 1;
  return equal ? 0 : 1;
}
