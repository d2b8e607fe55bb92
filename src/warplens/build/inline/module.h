// CUDA source to a loaded module, and parameters as its kernels take them.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "warplens/build/driver/device.h"

namespace warplens::cuda {

/// Parameter bytes as a kernel takes them: each value aligned to its size.
class Parameters {
 public:
  template <typename T>
  Parameters& add(T value) {
    bytes_.resize((bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

/// Compiles `source` for `device` (cached) and loads it.
Result<Module> compile_and_load(const Device& device, const std::string& source,
                                const std::vector<std::string>& options = {});

}  // namespace warplens::cuda
