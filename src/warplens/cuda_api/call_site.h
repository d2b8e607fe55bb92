// Where the program itself has called the runtime.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace warplens::cuda_api {

struct CallFrame {
  std::string file;     // the program's or a library's; empty: not known
  uint64_t offset = 0;  // in the file, as its symbols count
  auto operator<=>(const CallFrame&) const = default;
};

/// The two innermost frames that are not the emulated runtime's own: CUDA's headers wrap calls in functions of theirs.
struct CallSite {
  CallFrame inner, outer;
  auto operator<=>(const CallSite&) const = default;
  /// "main in app", "app+0x1234"; "" where it is not known.
  std::string text() const;
};

CallSite call_site();

/// True if this process is a Python interpreter, whose objects free their memory when they are collected.
bool is_python();

}  // namespace warplens::cuda_api
