#include "warplens/launch/parameters.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

size_t aligned(size_t offset, size_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

/// Of a pointer or scalar its size; of a struct its most aligned member's; of a tensor map what the driver asks for.
size_t alignment_of(const Argument& argument) {
  if (argument.map) return kTensorMapAlignment;
  if (!argument.buffer.empty()) return sizeof(uint64_t);
  size_t most = std::clamp<size_t>(argument.bytes.size(), 1, sizeof(uint64_t));
  for (const Argument& member : argument.members) most = std::max(most, alignment_of(member));
  return most;
}

Result<std::vector<uint8_t>> bytes_of(const Argument& argument, const AddressOf& address_of, const EncodeMap& encode) {
  if (!argument.members.empty()) {
    WL_ASSIGN(std::vector<uint8_t> block, pack_naturally(argument.members, address_of, encode));
    block.resize(aligned(block.size(), alignment_of(argument)));
    return block;
  }
  if (argument.buffer.empty()) return argument.bytes;
  const uint64_t address = address_of(argument.buffer) + static_cast<uint64_t>(argument.offset_bytes);
  if (argument.map) return encode(*argument.map, address);
  std::vector<uint8_t> bytes(sizeof address);
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

std::string describe(const Argument& argument, size_t size_bytes) {
  if (argument.map) return fmt::format("a tensor map of '{}' ({} bytes)", argument.buffer, kTensorMapBytes);
  if (!argument.buffer.empty()) return fmt::format("the buffer '{}' (a pointer of 8 bytes)", argument.buffer);
  return fmt::format("{} ({} bytes)", argument.text, size_bytes);
}

std::string plural(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

Result<std::vector<uint8_t>> pack_parameters(const ptx::Function& kernel, const std::vector<Argument>& args,
                                             const AddressOf& address_of, const EncodeMap& encode) {
  const std::string name = demangled(kernel.name);
  if (args.size() != kernel.parameters.size())
    return usage_error(
        fmt::format("{} takes {}, not {}", name, plural(kernel.parameters.size(), "argument"), args.size()));
  std::vector<uint8_t> block(kernel.parameter_bytes());
  for (size_t i = 0; i < args.size(); ++i) {
    const ptx::Variable& parameter = kernel.parameters[i];
    const Result<std::vector<uint8_t>> made = bytes_of(args[i], address_of, encode);
    if (!made.ok()) return made.status().in(fmt::format("args[{}]", i));
    const std::vector<uint8_t>& bytes = *made;
    if (bytes.size() != parameter.size_bytes)
      return usage_error(fmt::format("args[{}] is {}, but parameter {} of {} takes {} bytes", i,
                                     describe(args[i], bytes.size()), i, name, parameter.size_bytes));
    std::copy(bytes.begin(), bytes.end(), block.begin() + parameter.offset);
  }
  return block;
}

Result<std::vector<uint8_t>> pack_naturally(const std::vector<Argument>& args, const AddressOf& address_of,
                                            const EncodeMap& encode) {
  std::vector<uint8_t> block;
  for (const Argument& argument : args) {
    WL_ASSIGN(const std::vector<uint8_t> bytes, bytes_of(argument, address_of, encode));
    block.resize(aligned(block.size(), alignment_of(argument)));
    block.insert(block.end(), bytes.begin(), bytes.end());
  }
  return block;
}

}  // namespace warplens::launch
