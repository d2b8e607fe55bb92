// The parameter block of a launch.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/ptx/module.h"
#include "warplens/launch/description.h"

namespace warplens::launch {

using AddressOf = std::function<uint64_t(std::string_view buffer)>;
/// The 128 bytes of a tensor map, as the machine at hand understands them.
using EncodeMap = std::function<Result<std::vector<uint8_t>>(const TensorMapSpec& map, uint64_t address)>;

/// The offsets of a kernel's parameters in its block. PTX and machine code differ if a parameter has more than 16 bytes
/// of alignment. Then ptxas aligns its place in the constant bank, and the block does not begin there.
struct ParameterLayout {
  struct Slot {
    size_t offset, size_bytes;
  };
  std::string kernel;  // for messages
  std::vector<Slot> slots;
  size_t size_bytes = 0;

  std::vector<size_t> offsets() const;
};
ParameterLayout layout_of(const ptx::Function& kernel);
/// Error: the cubin does not say where they lie.
Result<ParameterLayout> layout_of(const cubin::Function& kernel);

/// Arguments at the offsets of the kernel's parameters. Errors: another number of arguments, or of bytes in one; a
/// tensor map that cannot be.
Result<std::vector<uint8_t>> pack_parameters(const ParameterLayout& layout, const std::vector<Argument>& args,
                                             const AddressOf& address_of, const EncodeMap& encode);

}  // namespace warplens::launch
