// How fast the emulator runs the launches of a file: millions of warp instructions a CPU second on one core, counting
// and not, the wall-clock gain of more threads, beside what the machine's threads gain on arithmetic alone, and what
// the kernel's machine code takes, as programs without a GPU run it, of the time that its PTX takes, neither counting.
// Usage: emulator_speed LAUNCH.json [REPEATS] [KERNEL]. On a machine that does other work, let it go first: chrt -f 1.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>

#include "warplens/base/files.h"
#include "warplens/base/threads.h"
#include "warplens/base/timing.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/description.h"
#include "warplens/launch/parameters.h"
#include "warplens/launch/source.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/run/sass/machine.h"
#include "warplens/session/machine_run.h"
#include "warplens/session/module.h"
#include "warplens/simt/lane_isa.h"

namespace {

using namespace warplens;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

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

struct Runner {
  std::unique_ptr<session::Module> module;
  std::map<std::string, simt::Address, std::less<>> buffers;

  Status load(const launch::Description& description, const launch::Source& source) {
    WL_ASSIGN(module, session::Module::load(source.module, {source.ptx, source.arch, source.cubin, source.kernels}));
    for (const auto& buffer : description.buffers) {
      WL_ASSIGN(const auto contents, launch::contents_of(buffer));
      WL_ASSIGN(const simt::Address at, module->memory.allocate(contents.size(), buffer.name));
      std::memcpy(reinterpret_cast<void*>(at), contents.data(), contents.size());
      buffers[buffer.name] = at;
    }
    return {};
  }

  Result<simt::Launch> configure(const launch::LaunchSpec& spec, const std::string& kernel) {
    simt::Launch config;
    WL_ASSIGN(const ptx::Function* function, module->ptx->kernel(kernel));
    const launch::AddressOf address_of = [&](std::string_view name) { return buffers.find(name)->second; };
    const launch::EncodeMap no_maps = [](const launch::TensorMapSpec&, uint64_t) -> Result<std::vector<uint8_t>> {
      return unsupported("launches with tensor maps are not timed");
    };
    WL_ASSIGN(config.parameters, launch::pack_parameters(launch::layout_of(*function), spec.args, address_of, no_maps));
    static_cast<simt::LaunchShape&>(config) = spec;
    return config;
  }

  /// CPU seconds of the kernel's machine code, on one thread, nothing counted.
  Result<double> time_machine_code(const launch::LaunchSpec& spec, const std::string& kernel, int repeats) {
    using namespace simt::sass_machine;
    WL_ASSIGN(session::Kernel* const found, module->kernel(kernel));
    WL_ASSIGN(simt::Launch config, configure(spec, kernel));
    config.threads = 1;
    WL_ASSIGN(MachineLaunch launch,
              session::set_up(*found, config, simt::device_of(config, found->program.architecture), {}));
    launch.counted = false;
    double best = 1e30;
    for (int i = 0; i < repeats; ++i) {
      const double begin = cpu_seconds();
      WL_ASSIGN(const MachineCounts counts, run_machine(found->program, launch));
      best = std::min(best, cpu_seconds() - begin);
      if (counts.stop.kind != Stop::Kind::kNone) return unsupported(counts.stop.reason);
    }
    return best;
  }

  Result<Timing> time(const launch::LaunchSpec& spec, const std::string& kernel, bool count, uint32_t threads,
                      int repeats) {
    WL_ASSIGN(simt::Launch config, configure(spec, kernel));
    config.count = count;
    config.threads = threads;
    Timing best;
    for (int i = 0; i < repeats; ++i) {
      const double begin = cpu_seconds();
      WL_ASSIGN(const simt::LaunchResult result, simt::ptx_machine::launch(*module->ptx, kernel, config));
      best.cpu = std::min(best.cpu, cpu_seconds() - begin);
      best.wall = std::min(best.wall, result.seconds);
      if (result.fault) return unsupported(result.fault->text());
      best.instructions = std::max(best.instructions, result.counts.warp_instructions);
    }
    return best;
  }
};

Status run(const std::string& path, int repeats, const std::string& only) {
  WL_ASSIGN(const std::string json, read_file(path));
  const size_t slash = path.rfind('/');
  WL_ASSIGN(const launch::Description description,
            launch::parse_description(json, slash == std::string::npos ? "." : path.substr(0, slash)));
  WL_ASSIGN(const launch::Source source, launch::load_source(description, ""));
  Runner runner;
  WL_TRY(runner.load(description, source));
  std::printf("lanes: %s; %zu threads for the last column\n", std::string(simt::lane_isa()).c_str(), default_threads());
  if (only.empty())
    std::printf("threads gain on arithmetic alone: %.2fx in 1 ms, %.2fx in 20 ms\n",
                machine_gain(100, default_threads(), 4 * repeats), machine_gain(2000, default_threads(), repeats));
  std::printf("%-20s %12s %14s %16s %12s %10s %13s\n", "kernel", "warp instr", "M/s counting", "M/s not counting",
              "counting", "threads", "machine code");
  double logs = 0, ratios = 0, gains = 0, codes = 0;
  int n = 0;
  for (size_t i = 0; i < description.launches.size(); ++i) {
    if (!only.empty() && source.kernels[i] != only) continue;
    const auto counted = runner.time(description.launches[i], source.kernels[i], true, 1, repeats);
    if (!counted.ok()) {
      std::printf("%-20s %s\n", source.kernels[i].c_str(), counted.status().message().c_str());
      continue;
    }
    WL_ASSIGN(const Timing plain, runner.time(description.launches[i], source.kernels[i], false, 1, repeats));
    WL_ASSIGN(const Timing threaded, runner.time(description.launches[i], source.kernels[i], true,
                                                 static_cast<uint32_t>(default_threads()), repeats));
    const double rate = static_cast<double>(counted->instructions) / counted->cpu * 1e-6;
    const double ratio = counted->cpu / plain.cpu, gain = counted->wall / threaded.wall;
    WL_ASSIGN(const double code, runner.time_machine_code(description.launches[i], source.kernels[i], repeats));
    std::printf("%-20s %12llu %14.1f %16.1f %11.2fx %9.2fx %12.2fx\n", source.kernels[i].c_str(),
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
