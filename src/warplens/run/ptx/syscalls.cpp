#include "warplens/run/ptx/syscalls.h"

#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/print.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Argument i of the call, from the caller's local memory.
template <typename T>
T argument(Warp& w, const Op& op, uint32_t i, uint32_t lane) {
  const uint32_t offset = w.node->local_base + w.program->slots[op.elements + i];
  uint8_t bytes[8];
  for (uint32_t word = 0; word < (sizeof(T) + 3) / 4; ++word)
    std::memcpy(bytes + 4 * word, w.local + (uint64_t{offset / 4 + word} * kLanes + lane) * 4, 4);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T>
void set_result(Warp& w, const Op& op, uint32_t lane, T value) {
  if (op.b == kNoSlot) return;
  uint8_t bytes[8] = {};
  std::memcpy(bytes, &value, sizeof value);
  for (uint32_t word = 0; word < (sizeof(T) + 3) / 4; ++word)
    std::memcpy(w.local + (uint64_t{(w.node->local_base + op.b) / 4 + word} * kLanes + lane) * 4, bytes + 4 * word, 4);
}

/// Reads bytes of any address that a thread may hold.
ReadByte reader(Warp& w, uint32_t lane) {
  return [&w, lane](Address at, uint8_t* out) {
    if (at >= kLocalWindow && at < kLocalWindow + w.local_bytes) {
      const Address offset = at - kLocalWindow;
      *out = w.local[(offset / 4 * kLanes + lane) * 4 + offset % 4];
      return true;
    }
    if (at >= kSharedWindow && at < kSharedWindow + w.shared_bytes) {
      *out = w.shared[at - kSharedWindow];
      return true;
    }
    Range range;
    if (at >= kSharedWindow || !w.cta->cluster->grid->memory->range(at, range)) return false;
    *out = *reinterpret_cast<const uint8_t*>(at);
    return true;
  };
}

void run_vprintf(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const Printed printed =
        print(reader(w, lane), argument<uint64_t>(w, op, 0, lane), argument<uint64_t>(w, op, 1, lane));
    w.cta->cluster->output += printed.text;
    set_result<int32_t>(w, op, lane, printed.arguments);
  }
}

/// __assertfail(message, file, line, function, character size)
void run_assert(Warp& w, const Op& op) {
  const auto lane = static_cast<uint32_t>(__builtin_ctz(w.mask));
  const auto text = [&](uint32_t i) { return read_text(reader(w, lane), argument<uint64_t>(w, op, i, lane)); };
  const std::string message = text(0), file = text(1), function = text(3);
  raise(w, op, Fault::Kind::kAssert, lane, 0,
        fmt::format("{}:{}: {}: assertion `{}` failed", file, argument<uint32_t>(w, op, 2, lane), function, message));
}

void run_malloc(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const auto at = allocate_in_kernel(*w.cta->cluster->grid, argument<uint64_t>(w, op, 0, lane));
    set_result<uint64_t>(w, op, lane, at.ok() ? *at : 0);
  }
}

void run_free(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const Address at = argument<uint64_t>(w, op, 0, lane);
    if (at == 0) continue;
    if (const Status status = w.cta->cluster->grid->memory->free_in_kernel(at); !status.ok())
      return raise(w, op, Fault::Kind::kInvalid, lane, at, status.message());
  }
}

/// (handle, value): the handle of a graph's condition is the address of its value.
void run_set_condition(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const Address at = argument<uint64_t>(w, op, 0, lane);
    const auto value = argument<uint32_t>(w, op, 1, lane);
    Range range;
    if (!w.cta->cluster->grid->memory->range(at, range) || range.end - at < sizeof value)
      return raise(w, op, Fault::Kind::kIllegalAddress, lane, at, "cudaGraphSetConditional: no graph has this handle");
    std::memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
  }
}

}  // namespace

Handler system_call(std::string_view name) {
  if (name == "vprintf") return &run_vprintf;
  if (name == "__assertfail" || name == "__assert_fail") return &run_assert;
  if (name == "malloc") return &run_malloc;
  if (name == "free") return &run_free;
  if (name == "cudaGraphSetConditional") return &run_set_condition;
  return nullptr;
}

}  // namespace warplens::simt::ptx_machine
