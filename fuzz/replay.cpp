// The inputs in fuzz/corpus, run through the fuzzers' targets without libFuzzer: replay FOLDER, which holds a folder a
// target.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "warplens/base/files.h"

// fuzz_targets.inc has a line WL_TARGET(name) for each fuzz/NAME.cpp, whose LLVMFuzzerTestOneInput is compiled as
// `name`.
#define WL_TARGET(name) extern "C" int name(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef WL_TARGET

/// libFuzzer's, for mutators; nothing is mutated here.
extern "C" size_t LLVMFuzzerMutate(uint8_t*, size_t, size_t) { std::abort(); }

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const uint8_t*, size_t);
};
#define WL_TARGET(name) {#name, &name},
constexpr Target kTargets[] = {
#include "fuzz_targets.inc"
};
#undef WL_TARGET

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  size_t inputs = 0, without = 0;
  for (const Target& target : kTargets) {
    const std::vector<std::string> files = files_in(fs::path(words[1]) / target.name);
    if (files.empty()) std::printf("%s: no input is kept\n", target.name);
    without += files.empty();
    for (const std::string& path : files) {
      std::printf("%s\n", path.c_str());  // the last one is what a crash is about
      std::fflush(stdout);
      const auto bytes = warplens::read_file(path);
      if (!bytes.ok()) return 1;
      target.run(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
      ++inputs;
    }
  }
  std::printf("%zu inputs of %zu targets\n", inputs, std::size(kTargets));
  return without != 0;
}
