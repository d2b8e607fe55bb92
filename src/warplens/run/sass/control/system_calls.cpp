#include "warplens/run/sass/control/system_calls.h"

#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/control/call_arguments.h"
#include "warplens/run/sass/control/device_runtime.h"
#include "warplens/run/sass/control/grid_group.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/print.h"

namespace warplens::simt::sass_machine {
namespace {

ReadByte reader(Warp& w, uint32_t lane) {
  return [&w, lane](Address at, uint8_t* out) {
    const uint8_t* from = byte_at(w, lane, at);
    if (from != nullptr) *out = *from;
    return from != nullptr;
  };
}

/// (format, arguments)
void run_vprintf(Warp& w, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    const Printed printed = print(reader(w, lane), argument(w, kFirst, lane), argument(w, kSecond, lane));
    w.block->output += printed.text;
    w.row(kFirst)[lane] = static_cast<uint32_t>(printed.arguments);
  }
}

/// (message, file, line, function, character size); a line for each thread, as CUDA words it.
void run_assert(Warp& w, uint32_t on) {
  const auto& block = w.block->index;
  std::vector<std::string> lines;
  for (const uint32_t lane : set_bits(on)) {
    const auto text = [&](uint32_t at) { return read_text(reader(w, lane), argument(w, at, lane)); };
    const auto thread = [&](size_t axis) { return w.thread[axis].value[lane]; };
    lines.push_back(fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                                text(kSecond), w.row(kThird)[lane], text(kFourth), block[0], block[1], block[2],
                                thread(0), thread(1), thread(2), text(kFirst)));
  }
  w.block->fail(Stop::Kind::kAssert, join(lines, "\n"));
}

void run_malloc(Warp& w, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    const Run& run = *w.block->run;
    const auto made = allocate_in_kernel(run.launch->memory, run.checker, argument(w, kFirst, lane));
    set_result(w, lane, made.ok() ? *made : 0);
  }
}

void run_free(Warp& w, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    const uint64_t address = argument(w, kFirst, lane);
    if (address == 0) continue;
    const Status done = w.block->run->launch->memory->free_in_kernel(address);
    if (!done.ok()) w.block->fail(Stop::Kind::kIllegalAddress, done.message());
  }
}

/// (handle, value): the handle of a graph's condition is the address of its value.
void run_set_condition(Warp& w, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t value = w.row(kSecond)[lane];
    uint8_t* const to = find(w, argument(w, kFirst, lane), sizeof value);
    if (to != nullptr) std::memcpy(to, &value, sizeof value);
    else w.block->fail(Stop::Kind::kIllegalAddress, "cudaGraphSetConditional: no graph has this handle");
  }
}

struct SystemCall {
  std::string_view name;
  void (*run)(Warp& warp, uint32_t on);
};
constexpr SystemCall kKnown[] = {{"vprintf", run_vprintf},
                                 {"__assertfail", run_assert},
                                 {"malloc", run_malloc},
                                 {"free", run_free},
                                 {"cudaGraphSetConditional", run_set_condition}};

}  // namespace

uint8_t* byte_at(Warp& w, uint32_t lane, uint64_t address) {
  const uint64_t offset = address & 0xffffffff;
  if (address >> 56 == kLocalWindow >> 56) {
    const uint64_t home = (offset / 4 * kLanes + lane) * 4 + offset % 4;
    return home < w.local.size() ? w.local.data() + home : nullptr;
  }
  if (address >> 56 != kSharedWindow >> 56) return find(w, address, 1);
  return offset < w.block->shared.size() ? w.block->shared.data() + offset : nullptr;
}

void put_word(Warp& w, uint32_t lane, uint64_t address, uint32_t value) {
  if (uint8_t* const to = byte_at(w, lane, address)) std::memcpy(to, &value, sizeof value);
}

void call_system(Warp& w, uint64_t address, uint32_t on, Split* then) {
  const std::vector<std::string>& names = w.block->run->program->system_calls;
  const uint64_t index = (address - kSystemCalls) / kSystemCallBytes;
  if (index >= names.size()) return w.block->fail(Stop::Kind::kIllegalAddress, "a call of no function");
  for (const SystemCall& known : kKnown) {
    if (known.name == names[index]) return known.run(w, on);
  }
  if (call_device_runtime(w, names[index], on) || call_grid_group(w, names[index], on, then)) return;
  w.block->fail(Stop::Kind::kUnsupported, fmt::format("a call of {}, which is not emulated", names[index]));
}

}  // namespace warplens::simt::sass_machine
