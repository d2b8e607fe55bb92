// What counting adds to an emulated launch: CPU milliseconds of each launch of a file without and with counters, in
// turn in one run, and their ratio. Usage: counting_cost LAUNCH.json [REPEATS] [KERNEL] [THREADS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "warplens/base/files.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/description.h"
#include "warplens/launch/machine.h"
#include "warplens/launch/source.h"

namespace {

using namespace warplens;

double cpu_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

Result<std::unique_ptr<launch::Machine>> machine_of(const launch::Description& description,
                                                    const launch::Source& source, bool count, uint32_t threads) {
  launch::EmulationOptions options;
  options.count = count;
  options.threads = threads;
  WL_ASSIGN(auto machine, launch::emulated_machine(source, options));
  for (const auto& buffer : description.buffers) {
    WL_ASSIGN(const auto contents, launch::contents_of(buffer));
    WL_TRY(machine->add_buffer(buffer, contents));
  }
  for (const auto& symbol : description.symbols) {
    WL_ASSIGN(const auto contents, launch::contents_of(symbol));
    WL_TRY(machine->write_symbol(symbol.name, contents));
  }
  return machine;
}

struct Cost {
  double plain_ms = 1e30, counted_ms = 1e30;
  const char* note = "";
  double ratio() const { return counted_ms / plain_ms; }
};

Result<Cost> cost_of(launch::Machine& plain, launch::Machine& counting, const launch::LaunchSpec& spec,
                     const std::string& kernel, int repeats) {
  Cost cost;
  for (int i = 0; i < repeats; ++i) {
    const double begin = cpu_ms();
    WL_ASSIGN(const launch::Outcome without, plain.launch(spec, kernel));
    const double middle = cpu_ms();
    WL_ASSIGN(const launch::Outcome with, counting.launch(spec, kernel));
    const double end = cpu_ms();
    if (without.emulated->fault) return unsupported(without.emulated->fault->text());
    cost.plain_ms = std::min(cost.plain_ms, middle - begin);
    cost.counted_ms = std::min(cost.counted_ms, end - middle);
    cost.note = !with.counted || !with.counted->from_machine_code ? "  counted from PTX"
                : with.counted->has_results                       ? ""
                                                                  : "  results from PTX";
  }
  return cost;
}

Status run(const std::string& path, int repeats, const std::string& only, uint32_t threads) {
  WL_ASSIGN(const std::string json, read_file(path));
  const size_t slash = path.rfind('/');
  WL_ASSIGN(launch::Description description,
            launch::parse_description(json, slash == std::string::npos ? "." : path.substr(0, slash)));
  WL_TRY(launch::settle(description));
  WL_ASSIGN(const launch::Source source, launch::load_source(description, ""));
  WL_ASSIGN(const auto plain, machine_of(description, source, false, threads));
  WL_ASSIGN(const auto counting, machine_of(description, source, true, threads));
  std::printf("%-24s %14s %14s %8s\n", "kernel", "not counting", "counting", "ratio");
  double logs = 0, worst = 0, plain_ms = 0, counted_ms = 0;
  int n = 0;
  for (size_t i = 0; i < description.launches.size(); ++i) {
    if (!only.empty() && source.kernels[i].find(only) == std::string::npos) continue;
    const auto cost = cost_of(*plain, *counting, description.launches[i], source.kernels[i], repeats);
    if (!cost.ok()) {
      std::printf("%-24s %s\n", source.kernels[i].c_str(), cost.status().message().c_str());
      continue;
    }
    std::printf("%-24s %11.2f ms %11.2f ms %7.2fx%s\n", source.kernels[i].c_str(), cost->plain_ms, cost->counted_ms,
                cost->ratio(), cost->note);
    logs += std::log(cost->ratio()), worst = std::max(worst, cost->ratio()), ++n;
    plain_ms += cost->plain_ms, counted_ms += cost->counted_ms;
  }
  if (n)
    std::printf("%-24s %11.2f ms %11.2f ms %7.2fx  geometric mean; worst %.2fx\n", "all", plain_ms, counted_ms,
                std::exp(logs / n), worst);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: counting_cost LAUNCH.json [REPEATS] [KERNEL] [THREADS]\n"), 2;
  const warplens::Status status = run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3, argc > 3 ? argv[3] : "",
                                      argc > 4 ? static_cast<uint32_t>(std::atoi(argv[4])) : 1);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message().c_str()), 1;
  return 0;
}
