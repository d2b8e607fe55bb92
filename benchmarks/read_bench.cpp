// Reads files as the program does and prints what came of it: rows of each table, time, throughput, peak memory.
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/trace/readers/read.h"

int main(int argc, char** argv) {
  using namespace warplens;
  const std::vector<std::string> paths(argv + 1, argv + argc);
  const int64_t begin_ns = monotonic_ns();
  const Result<Profile> read = read_profile(paths);
  const double seconds = static_cast<double>(monotonic_ns() - begin_ns) / 1e9;
  if (!read.ok()) {
    fmt::print(stderr, "read_bench: {}\n", read.status().message());
    return 1;
  }
  for_each_table(read.value(), [](const char* name, const auto& table, const char*) {
    if (table.size() > 0) fmt::print("{:>12}  {}\n", table.size(), name);
  });
  fmt::print("{:>12}  strings\n", read.value().strings.size());
  double bytes = 0;
  for (const std::string& path : paths) {
    std::error_code ignored;
    bytes += static_cast<double>(std::filesystem::file_size(path, ignored));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  for (const IntegrityIssue& issue : read.value().integrity.issues())
    fmt::print("{} {}: {}\n", issue.count, issue.id, issue.detail);
  const double cpu_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                             static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  fmt::print("{:.3f} s, {:.0f} MB/s; {:.3f} s of CPU time, {:.0f} MB/s; peak {:.0f} MB of {:.0f} MB\n", seconds,
             bytes / 1e6 / seconds, cpu_seconds, bytes / 1e6 / cpu_seconds,
             static_cast<double>(usage.ru_maxrss) * 1024 / 1e6, bytes / 1e6);
  return 0;
}
