#include "warplens/run/sass/control/device_runtime.h"

#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/sass/control/call_arguments.h"
#include "warplens/run/sass/control/child_launches.h"
#include "warplens/run/sass/control/system_calls.h"
#include "warplens/run/sass/memory/addresses.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kParameterBytes = 4096;  // the most that CUDA lets such a launch have
constexpr uint32_t kInvalidValue = 1;       // cudaErrorInvalidValue

/// Lies before a launch's parameters, in memory of the kernel.
struct Request {
  uint64_t kernel = 0;  // its handle
  uint32_t grid[3] = {}, block[3] = {}, dynamic_shared_bytes = 0, unused = 0;
};

/// (kernel, grid, block, dynamic shared memory): where its parameters go, or 0.
void get_parameter_buffer(Warp& w, uint32_t on) {
  constexpr uint32_t kGrid = 6, kBlock = 9, kShared = 12;
  Memory& memory = *w.block->run->launch->memory;
  each_lane(on, [&](uint32_t lane) {
    const Result<Address> made = memory.allocate_in_kernel(sizeof(Request) + kParameterBytes);
    if (!made.ok()) return set_result(w, lane, 0);
    Request request{.kernel = argument(w, kFirst, lane), .dynamic_shared_bytes = w.row(kShared)[lane]};
    for (uint32_t i = 0; i < 3; ++i) {
      request.grid[i] = w.row(kGrid + i)[lane];
      request.block[i] = w.row(kBlock + i)[lane];
    }
    std::memcpy(reinterpret_cast<void*>(*made), &request, sizeof request);
    set_result(w, lane, *made + sizeof request);
  });
}

uint64_t number_of(const Block& block) {
  const auto& grid = block.run->launch->grid;
  return block.index[0] + uint64_t{grid[0]} * (block.index[1] + uint64_t{grid[1]} * block.index[2]);
}

/// (parameters, stream): an error of CUDA.
uint32_t launch_device(Warp& w, uint32_t lane) {
  const MachineLaunch& launch = *w.block->run->launch;
  const std::vector<std::string>& names = w.block->run->program->system_calls;
  const uint64_t at = argument(w, kFirst, lane) - sizeof(Request);
  const uint8_t* const bytes = find(w, at, sizeof(Request) + kParameterBytes);
  Request request;
  if (bytes != nullptr) std::memcpy(&request, bytes, sizeof request);
  const uint64_t index = (request.kernel - kSystemCalls) / kSystemCallBytes;
  if (bytes == nullptr || index >= names.size()) return kInvalidValue;
  ChildLaunch child{.kernel = names[index],
                    .dynamic_shared_bytes = request.dynamic_shared_bytes,
                    .stream = argument(w, kSecond, lane),
                    .asked_by = number_of(*w.block)};
  std::ranges::copy(request.grid, child.grid.begin());
  std::ranges::copy(request.block, child.block.begin());
  child.parameters.assign(bytes + sizeof request, bytes + sizeof request + kParameterBytes);
  launch.children->add(std::move(child));
  (void)launch.memory->free_in_kernel(at);
  return 0;
}

void run_launches(Warp& w, uint32_t on) {
  if (w.block->run->launch->children == nullptr)
    return w.block->fail(Stop::Kind::kUnsupported,
                         "a kernel launches kernels: run the whole program, by warplens emulate");
  each_lane(on, [&](uint32_t lane) { set_result(w, lane, launch_device(w, lane)); });
}

/// 64 bits to a lane's generic address: words of local memory lie apart.
void put(Warp& w, uint32_t lane, uint64_t address, uint64_t value) {
  for (uint32_t word = 0; word < 2; ++word)
    put_word(w, lane, address + 4 * word, static_cast<uint32_t>(value >> 32 * word));
}

/// A stream or event, of which a number is enough: what they order runs in the order in which it was asked for.
void make_handle(Warp& w, uint32_t on) {
  constexpr uint64_t kAnyHandle = 0x100;
  each_lane(on, [&](uint32_t lane) {
    put(w, lane, argument(w, kFirst, lane), kAnyHandle);
    set_result(w, lane, 0);
  });
}

/// (where to put the address, bytes): an error of CUDA.
void allocate(Warp& w, uint32_t on) {
  constexpr uint32_t kOutOfMemory = 2;  // cudaErrorMemoryAllocation
  each_lane(on, [&](uint32_t lane) {
    const Result<Address> made = w.block->run->launch->memory->allocate_in_kernel(argument(w, kSecond, lane));
    const uint64_t address = made.ok() ? *made : 0;
    put(w, lane, argument(w, kFirst, lane), address);
    set_result(w, lane, made.ok() ? 0 : kOutOfMemory);
  });
}

void release(Warp& w, uint32_t on) {
  each_lane(on, [&](uint32_t lane) {
    const uint64_t address = argument(w, kFirst, lane);
    const bool freed = address == 0 || w.block->run->launch->memory->free_in_kernel(address).ok();
    set_result(w, lane, freed ? 0 : kInvalidValue);
  });
}

void succeed(Warp& w, uint32_t on) {
  each_lane(on, [&](uint32_t lane) { set_result(w, lane, 0); });
}

struct Call {
  std::string_view name;  // behind kDeviceRuntime; each has a form for default streams of threads, with _ptsz
  void (*run)(Warp& warp, uint32_t on);
};
constexpr Call kCalls[] = {{"GetParameterBufferV2", get_parameter_buffer},
                           {"LaunchDeviceV2", run_launches},
                           {"Malloc", allocate},
                           {"Free", release},
                           {"StreamCreateWithFlags", make_handle},
                           {"EventCreateWithFlags", make_handle},
                           {"StreamDestroy", succeed},
                           {"EventDestroy", succeed},
                           {"EventRecord", succeed},
                           {"EventRecordWithFlags", succeed},
                           {"StreamWaitEvent", succeed},
                           {"GetLastError", succeed},
                           {"PeekAtLastError", succeed}};

}  // namespace

bool call_device_runtime(Warp& w, std::string_view name, uint32_t on) {
  if (!name.starts_with(kDeviceRuntime)) return false;
  name.remove_prefix(kDeviceRuntime.size());
  if (name.ends_with("_ptsz")) name.remove_suffix(5);
  const auto known = std::ranges::find(kCalls, name, &Call::name);
  if (known != std::end(kCalls)) known->run(w, on);
  return known != std::end(kCalls);
}

}  // namespace warplens::simt::sass_machine
