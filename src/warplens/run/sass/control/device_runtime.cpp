#include "warplens/run/sass/control/device_runtime.h"

#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/control/call_arguments.h"
#include "warplens/run/sass/control/child_launches.h"
#include "warplens/run/sass/control/system_calls.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/numbering.h"

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
  for (const uint32_t lane : set_bits(on)) {
    const Result<Address> made = memory.allocate_in_kernel(sizeof(Request) + kParameterBytes);
    Request request{.kernel = argument(w, kFirst, lane), .dynamic_shared_bytes = w.row(kShared)[lane]};
    set_result(w, lane, made.ok() ? *made + sizeof request : 0);
    if (!made.ok()) continue;
    for (uint32_t i = 0; i < 3; ++i) {
      request.grid[i] = w.row(kGrid + i)[lane];
      request.block[i] = w.row(kBlock + i)[lane];
    }
    std::memcpy(reinterpret_cast<void*>(*made), &request, sizeof request);
  }
}

uint64_t number_of(const Block& block) { return number_in(block.run->launch->grid, block.index); }

/// The answer of a call is the thread's last error, too.
void answer(Warp& w, uint32_t lane, uint32_t error) {
  ChildLaunches* const children = w.block->run->launch->children;
  if (error != 0 && children != nullptr) children->went_wrong(number_of(*w.block), w.index * kLanes + lane, error);
  set_result(w, lane, error);
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
  (void)launch.memory->free_in_kernel(at);
  return launch.children->add(std::move(child));
}

/// Calls `use(children, lane)`, which gives an error of CUDA, for each lane.
template <typename F>
void each_asking(Warp& w, uint32_t on, F use) {
  ChildLaunches* const children = w.block->run->launch->children;
  if (children == nullptr)
    return w.block->fail(Stop::Kind::kUnsupported,
                         "a kernel calls the CUDA runtime: run the whole program, by warplens emulate");
  for (const uint32_t lane : set_bits(on)) answer(w, lane, use(*children, lane));
}

void run_launches(Warp& w, uint32_t on) {
  each_asking(w, on, [&](ChildLaunches&, uint32_t lane) { return launch_device(w, lane); });
}

/// Adds rows that a lane copies or fills in a stream.
uint32_t add_copy(Warp& w, ChildLaunches& children, uint64_t stream, const ChildCopy& copy) {
  return children.add({.stream = stream, .asked_by = number_of(*w.block), .parameters = {}, .copy = copy});
}

/// (target, source, bytes, kind, stream)
void copy_bytes(Warp& w, uint32_t on) {
  constexpr uint32_t kStream = 12;
  each_asking(w, on, [&](ChildLaunches& children, uint32_t lane) {
    const ChildCopy copy{.target = argument(w, kFirst, lane),
                         .source = argument(w, kSecond, lane),
                         .size_bytes = argument(w, kThird, lane)};
    return copy.source == 0 ? kInvalidValue : add_copy(w, children, argument(w, kStream, lane), copy);
  });
}

/// (target, value, bytes, stream)
void fill_bytes(Warp& w, uint32_t on) {
  each_asking(w, on, [&](ChildLaunches& children, uint32_t lane) {
    const ChildCopy fill{
        .target = argument(w, kFirst, lane), .size_bytes = argument(w, kThird, lane), .value = w.row(kSecond)[lane]};
    return add_copy(w, children, argument(w, kFourth, lane), fill);
  });
}

/// (target, pitch, value, width, height, stream)
void fill_rows(Warp& w, uint32_t on) {
  constexpr uint32_t kHeight = 12, kStream = 14;
  each_asking(w, on, [&](ChildLaunches& children, uint32_t lane) {
    const ChildCopy fill{.target = argument(w, kFirst, lane),
                         .size_bytes = argument(w, kFourth, lane),
                         .rows = argument(w, kHeight, lane),
                         .pitch_bytes = argument(w, kSecond, lane),
                         .value = w.row(kThird)[lane]};
    return add_copy(w, children, argument(w, kStream, lane), fill);
  });
}

/// (where to put the value, attribute, device)
void device_attribute(Warp& w, uint32_t on) {
  each_asking(w, on, [&](ChildLaunches& children, uint32_t lane) {
    int value = 0;
    const auto attribute = static_cast<int>(w.row(kSecond)[lane]), device = static_cast<int>(w.row(kSecond + 1)[lane]);
    const uint32_t error =
        children.ask([&](const HostAnswers& host) { return host.attribute(&value, attribute, device); });
    if (error == 0) put_word(w, lane, argument(w, kFirst, lane), static_cast<uint32_t>(value));
    return error;
  });
}

/// (where to put the number)
template <int HostAnswers::* kNumber>
void put_number(Warp& w, uint32_t on) {
  each_asking(w, on, [&](ChildLaunches& children, uint32_t lane) {
    const int number = children.ask([](const HostAnswers& host) { return host.*kNumber; });
    put_word(w, lane, argument(w, kFirst, lane), static_cast<uint32_t>(number));
    return 0u;
  });
}

/// 64 bits to a lane's generic address: words of local memory lie apart.
void put(Warp& w, uint32_t lane, uint64_t address, uint64_t value) {
  for (uint32_t word = 0; word < 2; ++word)
    put_word(w, lane, address + 4 * word, static_cast<uint32_t>(value >> 32 * word));
}

/// A stream or event, of which a number is enough: what they order runs in the order in which it was asked for.
void make_handle(Warp& w, uint32_t on) {
  constexpr uint64_t kAnyHandle = 0x100;
  for (const uint32_t lane : set_bits(on)) {
    put(w, lane, argument(w, kFirst, lane), kAnyHandle);
    set_result(w, lane, 0);
  }
}

/// (where to put the address, bytes): an error of CUDA.
void allocate(Warp& w, uint32_t on) {
  constexpr uint32_t kOutOfMemory = 2;  // cudaErrorMemoryAllocation
  for (const uint32_t lane : set_bits(on)) {
    const Run& run = *w.block->run;
    const Result<Address> made = allocate_in_kernel(run.launch->memory, run.checker, argument(w, kSecond, lane));
    const uint64_t address = made.ok() ? *made : 0;
    put(w, lane, argument(w, kFirst, lane), address);
    answer(w, lane, made.ok() ? 0 : kOutOfMemory);
  }
}

void release(Warp& w, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) {
    const uint64_t address = argument(w, kFirst, lane);
    const bool freed = address == 0 || w.block->run->launch->memory->free_in_kernel(address).ok();
    answer(w, lane, freed ? 0 : kInvalidValue);
  }
}

void succeed(Warp& w, uint32_t on) {
  for (const uint32_t lane : set_bits(on)) set_result(w, lane, 0);
}

/// What the thread's calls left; `takes`: and is gone then.
void last_error(Warp& w, uint32_t on, bool takes) {
  ChildLaunches* const children = w.block->run->launch->children;
  for (const uint32_t lane : set_bits(on)) {
    const uint32_t thread = w.index * kLanes + lane;
    set_result(w, lane, children != nullptr ? children->last_error(number_of(*w.block), thread, takes) : 0);
  }
}
void get_last_error(Warp& w, uint32_t on) { last_error(w, on, true); }
void peek_at_last_error(Warp& w, uint32_t on) { last_error(w, on, false); }

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
                           {"MemcpyAsync", copy_bytes},
                           {"MemsetAsync", fill_bytes},
                           {"Memset2DAsync", fill_rows},
                           {"GetDevice", put_number<&HostAnswers::device>},
                           {"GetDeviceCount", put_number<&HostAnswers::devices>},
                           {"RuntimeGetVersion", put_number<&HostAnswers::version>},
                           {"DeviceGetAttribute", device_attribute},
                           {"GetLastError", get_last_error},
                           {"PeekAtLastError", peek_at_last_error}};

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
