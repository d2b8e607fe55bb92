// libFuzzer's entry point for targets whose inputs a mutator of this project changes. One source file of a target
// includes it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Copies as much of `text` as fits. Returns its size.
inline size_t put(const std::string& text, uint8_t* out, size_t most) {
  const size_t bytes = std::min(text.size(), most);
  std::memcpy(out, text.data(), bytes);
  return bytes;
}

/// Bytes changed by `Mutator`, now and then by libFuzzer.
template <typename Mutator>
size_t mutate(uint8_t* data, size_t size, size_t most, unsigned seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  return put(Mutator(text_of(data, size), seed).mutated(), data, most);
}

}  // namespace fuzz
