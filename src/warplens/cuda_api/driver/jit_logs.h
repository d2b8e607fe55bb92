// The texts that a program wants of the linker and of the compiler of PTX.
#pragma once
#include <cstddef>
#include <string_view>

namespace warplens::cuda_api {

/// A text: where, how much room there is, and where the program reads its length.
struct JitLog {
  char* text = nullptr;
  size_t room_bytes = 0;
  void** length = nullptr;
  void write(std::string_view what) const;
};
struct JitLogs {
  JitLog info, errors;
  bool verbose = false;
};
/// The logs that options of cuLinkCreate and cuModuleLoadDataEx ask for.
JitLogs logs_of(unsigned count, const int* options, void** values);

}  // namespace warplens::cuda_api
