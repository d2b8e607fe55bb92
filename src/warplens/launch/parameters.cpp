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

Result<std::vector<uint8_t>> bytes_of(const Argument& argument, const AddressOf& address_of, const EncodeMap& encode);

/// As C++ lays out a struct.
Result<std::vector<uint8_t>> bytes_of_struct(const Argument& argument, const AddressOf& address_of,
                                             const EncodeMap& encode) {
  std::vector<uint8_t> block;
  for (const Argument& member : argument.members) {
    WL_ASSIGN(const std::vector<uint8_t> bytes, bytes_of(member, address_of, encode));
    block.resize(aligned(block.size(), alignment_of(member)));
    block.insert(block.end(), bytes.begin(), bytes.end());
  }
  block.resize(aligned(block.size(), alignment_of(argument)));
  return block;
}

Result<std::vector<uint8_t>> bytes_of(const Argument& argument, const AddressOf& address_of, const EncodeMap& encode) {
  if (!argument.members.empty()) return bytes_of_struct(argument, address_of, encode);
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

std::vector<size_t> ParameterLayout::offsets() const {
  std::vector<size_t> out;
  for (const Slot& slot : slots) out.push_back(slot.offset);
  return out;
}

ParameterLayout layout_of(const ptx::Function& kernel) {
  ParameterLayout layout{.kernel = demangled(kernel.name), .size_bytes = kernel.parameter_bytes()};
  for (const ptx::Variable& parameter : kernel.parameters)
    layout.slots.push_back({parameter.offset, parameter.size_bytes});
  return layout;
}

Result<ParameterLayout> layout_of(const cubin::Function& kernel) {
  ParameterLayout layout{.kernel = demangled(kernel.name), .size_bytes = kernel.parameter_bytes};
  for (const cubin::Parameter& parameter : kernel.parameters) {
    if (size_t{parameter.offset} + parameter.size_bytes > layout.size_bytes)
      return invalid_input(fmt::format("{}: parameter {} ends at byte {}, but the parameters have only {} bytes",
                                       layout.kernel, parameter.ordinal, parameter.offset + parameter.size_bytes,
                                       layout.size_bytes));
    layout.slots.push_back({parameter.offset, parameter.size_bytes});
  }
  if (layout.slots.empty() && layout.size_bytes > 0)
    return unsupported(fmt::format("{}: the cubin has no offsets of its parameters", layout.kernel));
  return layout;
}

Result<std::vector<uint8_t>> pack_parameters(const ParameterLayout& layout, const std::vector<Argument>& args,
                                             const AddressOf& address_of, const EncodeMap& encode) {
  if (args.size() != layout.slots.size())
    return usage_error(
        fmt::format("{} takes {}, not {}", layout.kernel, plural(layout.slots.size(), "argument"), args.size()));
  std::vector<uint8_t> block(layout.size_bytes);
  for (size_t i = 0; i < args.size(); ++i) {
    const ParameterLayout::Slot& slot = layout.slots[i];
    const Result<std::vector<uint8_t>> made = bytes_of(args[i], address_of, encode);
    if (!made.ok()) return made.status().in(fmt::format("args[{}]", i));
    const std::vector<uint8_t>& bytes = *made;
    const bool may_be_struct = slot.size_bytes >= 8 && args[i].members.empty() && args[i].buffer.empty();
    if (bytes.size() != slot.size_bytes)
      return usage_error(fmt::format("args[{}] is {}, but parameter {} of {} takes {} bytes{}", i,
                                     describe(args[i], bytes.size()), i, layout.kernel, slot.size_bytes,
                                     may_be_struct ? "; a struct is bytes=HEX, byte by byte" : ""));
    std::copy(bytes.begin(), bytes.end(), block.begin() + static_cast<std::ptrdiff_t>(slot.offset));
  }
  return block;
}

}  // namespace warplens::launch
