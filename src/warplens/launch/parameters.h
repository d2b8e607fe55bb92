// The parameter block of a launch.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/launch/description.h"
#include "warplens/ptx/module.h"

namespace warplens::launch {

using AddressOf = std::function<uint64_t(std::string_view buffer)>;
/// The 128 bytes of a tensor map, as the machine at hand understands them.
using EncodeMap = std::function<Result<std::vector<uint8_t>>(const TensorMapSpec& map, uint64_t address)>;

/// Arguments at the offsets of the kernel's parameters. Errors: another number of arguments, or of bytes in one; a
/// tensor map that cannot be.
Result<std::vector<uint8_t>> pack_parameters(const ptx::Function& kernel, const std::vector<Argument>& args,
                                             const AddressOf& address_of, const EncodeMap& encode);

/// The same where the parameters are unknown (a cubin): each argument aligned to its size, up to 8 bytes; tensor maps
/// to 64.
Result<std::vector<uint8_t>> pack_naturally(const std::vector<Argument>& args, const AddressOf& address_of,
                                            const EncodeMap& encode);

}  // namespace warplens::launch
