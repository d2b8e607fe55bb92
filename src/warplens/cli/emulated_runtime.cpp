#include "warplens/cli/emulated_runtime.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "warplens/base/text.h"

namespace warplens::cli {

namespace fs = std::filesystem;

Result<std::string> emulated_runtime() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"cuda/libcudart.so.13", "../lib/warplens/cuda/libcudart.so.13"}) {
    if (fs::exists(here / place)) return fs::canonical(here / place).string();
  }
  return not_found(fmt::format("the emulated CUDA runtime (cuda/libcudart.so.13) is not beside {}: build or install "
                               "warplens again",
                               here.string()));
}

Status become(const std::string& program, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return io_error(fmt::format("{} could not be started: {}", program, std::strerror(errno)));
}

}  // namespace warplens::cli
