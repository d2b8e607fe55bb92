// Programs that misuse the emulated runtime: calls in any order with arguments of any kind, on a fat binary that may be
// broken. Input: 16 bits, the size of a fat binary, that binary, then calls: a byte chooses the call, more bytes its
// arguments. Host pointers are as good as a program's own: what CUDA itself reads without a check is not made up here.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "warplens/cuda_api/graphs/nodes.h"
#include "warplens/cuda_api/ipc/handles.h"
#include "warplens/cuda_api/runtime.h"

using namespace warplens::cuda_api;
using HostFunction = void (*)(void*);
using Arguments = const void* const*;  // of a kernel: where each lies
struct DriverMemory {                  // CUmemAllocationProp
  int kind, handles, place, device;
  void* rest;
  uint8_t flags[8];
};
struct DriverArray {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct DriverKernelNode {  // CUDA_KERNEL_NODE_PARAMS
  const void* function;
  unsigned grid[3], block[3], shared_bytes;
  Arguments arguments;
  void** extra;
  const void *kernel, *context;
};

extern "C" {
#define CALL(name, ...) int name(__VA_ARGS__);
#include "cuda_api_calls.def"
#undef CALL
int cudaMemcpyAsync(void*, const void*, size_t, int, void*);
int cudaGraphAddDependencies(void*, void* const*, void* const*, const void*, size_t);
int cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, int, void*);
int cuModuleLoadData(void**, const void*);
int cuMemAddressReserve(uint64_t*, size_t, size_t, uint64_t, uint64_t);
int cuMemCreate(uint64_t*, size_t, const DriverMemory*, uint64_t);
int cuMemMap(uint64_t, size_t, size_t, uint64_t, uint64_t);
int cuLinkCreate_v2(unsigned, int*, void**, void**);
int cuLinkAddData_v2(void*, int, void*, size_t, const char*, unsigned, int*, void**);
void** __cudaRegisterFatBinary(const void*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, const void*, char*, const char*, int, size_t, int, int);
}

namespace {

constexpr size_t kHostBytes = 1 << 16, kMostOfCopy = 1 << 10;
constexpr const char* kKernel = "_Z5scaleIfEvPT_S0_i";  // of tests/data/fatbin
int stands_for_kernel, stands_for_variable;

/// Arguments of a call, made from the input and from results of earlier calls.
class Caller {
 public:
  Caller(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool done() const { return at_ == end_; }
  uint8_t byte() { return done() ? 0 : *at_++; }
  uint64_t number() {
    constexpr uint64_t kEdges[] = {0, 1, 2, 32, 255, 1024, 4096, 1u << 20, uint64_t{1} << 40, ~uint64_t{0}};
    const uint8_t choice = byte();
    return choice < 128 ? choice : kEdges[choice % std::size(kEdges)];
  }
  /// A handle or device address: what a call gave, near to it, a default stream, or nobody's.
  void* handle() {
    const uint8_t choice = byte();
    const auto some = reinterpret_cast<uintptr_t>(slots_[choice % std::size(slots_)]);
    switch (choice >> 5) {
      case 0: return reinterpret_cast<void*>(uintptr_t{choice} % 4);
      case 1: return reinterpret_cast<void*>(some + number() % (uint64_t{1} << 41));
      case 2: return reinterpret_cast<void*>(uintptr_t{0xdead000000} + choice);
      default: return reinterpret_cast<void*>(some);
    }
  }
  void* host() { return byte() % 8 == 0 ? nullptr : host_; }
  void* out() { return byte() % 8 == 0 ? nullptr : &slots_[byte() % std::size(slots_)]; }
  void** list() {
    for (size_t i = 0; i < 4; ++i) list_[i] = handle();
    return byte() % 8 == 0 ? nullptr : list_;
  }
  Arguments arguments() {
    for (const void*& each : arguments_) each = host_;
    return byte() % 8 == 0 ? nullptr : arguments_;
  }
  const void* function() { return byte() % 4 == 0 ? handle() : &stands_for_kernel; }
  uint8_t* room() { return host_; }

 private:
  const uint8_t *at_, *end_;
  uint64_t slots_[16]{};
  void* list_[1 << 10]{};  // more than there are calls
  const void* arguments_[1 << 12]{};
  alignas(16) uint8_t host_[kHostBytes]{};
};

template <typename T>
struct Make;
template <>
struct Make<const void*> {
  static const void* from(Caller& c) { return c.byte() % 2 ? c.function() : c.handle(); }
};
template <>
struct Make<void*> {
  static void* from(Caller& c) { return c.handle(); }
};
template <>
struct Make<void**> {
  static void** from(Caller& c) { return static_cast<void**>(c.out()); }
};
template <>
struct Make<void* const*> {
  static void* const* from(Caller& c) { return c.list(); }
};
template <>
struct Make<Arguments> {
  static Arguments from(Caller& c) { return c.arguments(); }
};
template <>
struct Make<HostFunction> {
  static HostFunction from(Caller& c) {
    const HostFunction idle = [](void*) {};
    return c.byte() % 4 == 0 ? nullptr : idle;
  }
};
template <>
struct Make<const char*> {
  static const char* from(Caller& c) { return c.byte() % 8 == 0 ? nullptr : c.byte() % 2 ? kKernel : "nobody"; }
};
template <>
struct Make<Dim3> {
  static Dim3 from(Caller& c) {
    const auto side = [&] { return static_cast<uint32_t>(c.byte() % 4 == 0 ? c.number() : c.byte() % 4); };
    return {side(), side(), side()};
  }
};
template <>
struct Make<Extent> {
  static Extent from(Caller& c) {
    const auto side = [&] { return c.byte() % 4 == 0 ? c.number() : uint64_t{c.byte()} % 64; };
    return {side(), side(), side()};
  }
};
/// What a call tells of an array.
template <typename T>
  requires std::is_class_v<T> && (!std::is_const_v<T>)
struct Make<T*> {
  static T* from(Caller& c) {
    static T told;
    return c.byte() % 8 == 0 ? nullptr : &told;
  }
};
template <typename T>
  requires std::is_integral_v<T>
struct Make<T> {
  static T from(Caller& c) { return static_cast<T>(c.number()); }
};
template <typename T>
  requires std::is_arithmetic_v<T> && (!std::is_const_v<T>)
struct Make<T*> {
  static T* from(Caller& c) { return static_cast<T*>(c.out()); }
};

void fill(Caller& c, ChannelDescription& d) {
  constexpr int kBits[] = {0, 8, 16, 32, 7};
  d = {kBits[c.byte() % 5], kBits[c.byte() % 5], kBits[c.byte() % 5], kBits[c.byte() % 5], c.byte() % 4};
}
void fill(Caller& c, KernelNodeParameters& p) {
  p = {const_cast<void*>(c.function()),
       Make<Dim3>::from(c),
       Make<Dim3>::from(c),
       static_cast<uint32_t>(c.number()),
       const_cast<void**>(c.arguments()),
       nullptr};
}
void fill(Caller& c, FillParameters& p) {
  p = {c.handle(), c.number(), c.byte(), c.byte() % 8u, c.number(), c.number()};
}
void fill(Caller& c, HostParameters& p) { p = {Make<HostFunction>::from(c), c.handle()}; }
void fill(Caller& c, LaunchConfiguration& p) {
  static LaunchAttribute attribute;
  attribute.id = c.byte() % 16;
  attribute.value.dim = Make<Dim3>::from(c);
  p = {Make<Dim3>::from(c), Make<Dim3>::from(c), c.number(), c.handle(), c.byte() % 4 ? &attribute : nullptr,
       c.byte() % 2u};
}
void fill(Caller& c, DriverArray& p) {
  constexpr int kFormats[] = {0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x10, 0x20, 0x99};
  const Extent size = Make<Extent>::from(c);
  p = {size.width, size.height, size.depth, kFormats[c.byte() % std::size(kFormats)], c.byte() % 6u, c.byte() % 8u};
}
void fill(Caller& c, DriverMemory& p) { p = {c.byte() % 3, c.byte() % 4, c.byte() % 4, c.byte() % 3, nullptr, {}}; }
void fill(Caller& c, DriverKernelNode& p) {
  static void* extra[5];  // ends, or the arguments in one piece: where they lie, and how long they are
  static size_t bytes;
  bytes = c.number() % 4096;
  const bool packed = c.byte() % 2;
  std::ranges::copy(
      packed ? std::array<void*, 5>{reinterpret_cast<void*>(1), c.room(), reinterpret_cast<void*>(2), &bytes, nullptr}
             : std::array<void*, 5>{},
      extra);
  const Dim3 grid = Make<Dim3>::from(c), block = Make<Dim3>::from(c);
  p = {c.function(),
       {grid.x, grid.y, grid.z},
       {block.x, block.y, block.z},
       static_cast<unsigned>(c.number()),
       packed ? nullptr : c.arguments(),
       c.byte() % 4 ? extra : nullptr,
       nullptr,
       nullptr};
}
void fill(Caller& c, ResourceDescription& p) {
  p.kind = c.byte() % 5;
  p.linear = {c.handle(), {}, c.number(), c.number(), c.number()};
  if (p.kind != kArrayResource) fill(c, p.linear.channels);
}
void fill(Caller& c, TextureDescription& p) {
  p = {{c.byte() % 5, c.byte() % 5, c.byte() % 5},
       c.byte() % 2,
       c.byte() % 2,
       c.byte() % 2,
       {},
       c.byte() % 2,
       0,
       0,
       0,
       0,
       0,
       0,
       0};
}
template <typename T>
  requires std::is_class_v<T>
struct Make<const T*> {
  static const T* from(Caller& c) {
    static T made;
    if (c.byte() % 16 == 0) return nullptr;
    fill(c, made);
    return &made;
  }
};
template <>
struct Make<const int*> {
  static const int* from(Caller&) { return nullptr; }
};

/// Made by a call, or changed by a bit or two; of this process, or of one that there is not.
template <>
struct Make<IpcHandle> {
  static IpcHandle from(Caller& c) {
    IpcHandle made = kept();
    if (c.byte() % 2) made.process = 1 << 30;
    if (c.byte() % 4 == 0) made.size_bytes = c.number();
    if (c.byte() % 4 == 0) made.begin = c.number();
    if (c.byte() % 8 == 0) made.stamp[0] ^= 1;
    return made;
  }
  static IpcHandle& kept() {
    static IpcHandle handle{};
    return handle;
  }
};
template <>
struct Make<IpcHandle*> {
  static IpcHandle* from(Caller& c) { return c.byte() % 8 == 0 ? nullptr : &Make<IpcHandle>::kept(); }
};
template <>
struct Make<char*> {
  static char* from(Caller& c) { return c.byte() % 8 == 0 ? nullptr : reinterpret_cast<char*>(c.room()); }
};

template <typename... A>
void call(Caller& caller, int (*function)(A...)) {
  std::tuple<A...> made{Make<A>::from(caller)...};
  (void)std::apply(function, made);
}

/// Between the host's memory, of which a copy stays within, and any address.
void copy(Caller& c) {
  const int kind = c.byte() % 6 - (c.byte() % 32 == 0);
  const bool up = c.byte() % 2;
  void *there = c.byte() % 4 ? c.handle() : c.room(), *here = c.host();
  const bool checked = kind == kDeviceToDevice || kind == (up ? kHostToDevice : kDeviceToHost);
  if (!checked) there = c.room();  // any other side may be any memory of the host
  const size_t rows = c.byte() % 16, width = c.number();
  const bool fits = width <= kMostOfCopy;
  if (!fits && there == c.room()) return;
  void *to = up ? there : here, *from = up ? here : there;
  if (c.byte() % 2) (void)cudaMemcpyAsync(to, from, width, kind, c.handle());
  else if (fits) (void)cudaMemcpy2DAsync(to, kMostOfCopy, from, kMostOfCopy, width, rows, kind, c.handle());
}

/// Addresses, memory, and one at the other: sizes and places that fit are rare otherwise.
void map(Caller& c) {
  static uint64_t reserved, memory;
  constexpr uint64_t kUnit = uint64_t{2} << 20;
  const uint64_t bytes = c.byte() % 4 * kUnit, at = reserved + c.byte() % 4 * kUnit;
  switch (c.byte() % 4) {
    case 0: return void(cuMemAddressReserve(&reserved, bytes, 0, 0, c.byte() % 8 == 0));
    case 1: return void(cuMemCreate(&memory, bytes, Make<const DriverMemory*>::from(c), 0));
    case 2: return void(cuMemMap(at, bytes, c.byte() % 8 == 0 ? kUnit : 0, c.byte() % 4 ? memory : c.number(), 0));
    default: return void(c.byte() % 2 ? cuMemUnmap(at, bytes) : cuMemAddressFree(at, bytes));
  }
}

void link(Caller& c) {
  if (c.byte() % 4 == 0) return void(cuLinkCreate_v2(0, nullptr, nullptr, static_cast<void**>(c.out())));
  (void)cuLinkAddData_v2(c.handle(), c.byte() % 6, c.room(), c.number() % kHostBytes, Make<const char*>::from(c), 0,
                         nullptr, nullptr);
}

void depend(Caller& c) {
  void* const* nodes = c.list();
  if (nodes == nullptr) return;
  (void)cudaGraphAddDependencies(c.handle(), nodes, nodes + 2, nullptr, c.byte() % 3u);
}

using Entry = void (*)(Caller&);
#define CALL(name, ...) [](Caller& c) { call(c, &name); },
constexpr Entry kEntries[] = {
    copy, copy, depend, map, map, link,
#include "cuda_api_calls.def"
};
#undef CALL

void start() {
  ::setenv("WARPLENS_EMULATED_BUDGET", "0.05", 1);
  ::setenv("WARPLENS_THREADS", "1", 1);  // each refusal is reported on stderr: -close_fd_mask=3 keeps libFuzzer's log
}

/// The fat binary says how long it is; what is behind it is not the runtime's.
std::string container_of(const uint8_t* data, size_t size) {
  constexpr size_t kHeader = 16;
  std::string out(reinterpret_cast<const char*>(data), size);
  if (out.size() < kHeader) out.resize(kHeader);
  const uint16_t header = kHeader;
  const uint64_t rest = out.size() - kHeader;
  std::memcpy(out.data() + 6, &header, sizeof header);
  std::memcpy(out.data() + 8, &rest, sizeof rest);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool started = (start(), true);
  if (!started || size < 2) return 0;
  const size_t image_bytes = std::min<size_t>(data[0] | data[1] << 8, size - 2);
  const std::string image = container_of(data + 2, image_bytes);
  const struct {
    int magic = 0x466243b1, version = 1;
    const void* data;
    const void* more = nullptr;
  } wrapper{.data = image.data()};
  void** module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, &stands_for_kernel, nullptr, kKernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(module, &stands_for_variable, nullptr, "table", 0, 4, 0, 0);
  Caller caller(data + 2 + image_bytes, size - 2 - image_bytes);
  if (caller.byte() % 4 == 0) (void)cuModuleLoadData(static_cast<void**>(caller.out()), image.data());
  while (!caller.done()) kEntries[caller.byte() % std::size(kEntries)](caller);
  (void)cudaDeviceReset();
  __cudaUnregisterFatBinary(module);
  Runtime& runtime = Runtime::get();
  runtime.functions.clear();
  runtime.variables.clear();
  runtime.graph_execs.clear();
  runtime.graphs.clear();
  runtime.modules.clear();
  return 0;
}
