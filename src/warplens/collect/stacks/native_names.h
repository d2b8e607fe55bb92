// Names of native code as stacks show them: "libtorch_cpu.so: at::native::add".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warplens::collect {

struct NativeFrame {
  std::string text;
  std::string_view file;  // of the text: the library's or program's name
};

/// Of one thread at a time.
class NativeNames {
 public:
  /// The function and library of the code at `address`; the function is "?" if no table has it.
  const NativeFrame& at(uint64_t address);

 private:
  std::unordered_map<uint64_t, NativeFrame> known_;
};

/// Frames, innermost first, as one text, outermost first and joined by ';'.
std::string join_frames(std::vector<std::string> innermost_first);

}  // namespace warplens::collect
