#include "warplens/cuda_api/runtime.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <memory>

#include "warplens/base/text.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/cuda_api/leaks.h"
#include "warplens/cuda_api/used.h"
#include "warplens/gpu/memory_size.h"
#include "warplens/model/constants.h"
#include "warplens/run/sass/processor.h"

namespace warplens::cuda_api {
namespace {

/// A library with its own copy of the runtime does not ask for this one, so that its constructors may come before
/// those of this library and of what it needs. Opening what is loaded runs them.
void run_constructors() {
  Dl_info self;
  if (::dladdr(reinterpret_cast<const void*>(&run_constructors), &self) != 0)
    (void)::dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/// A GPU's texts of kernels come out when the host waits, and not at a program's end.
void tell_lost(std::string_view printed) {
  if (printed.empty()) return;
  const std::string_view first = printed.substr(0, printed.find('\n'));
  fmt::print(stderr,
             "warplens: {} bytes that kernels printed are lost, as on a GPU: call cudaDeviceSynchronize() before "
             "the program ends. They begin with '{}'\n",
             printed.size(), first);
}

}  // namespace

Runtime::Runtime() {
  for (int i = 0; i < kMostDevices; ++i) legacy[static_cast<size_t>(i)].device = i;
  tell_used();
  const collect::EmulationSettings settings = collect::emulation_settings_from_environment();
  const Result<const gpu::Device*> found = gpu::find_device(settings.device);
  const std::optional<int64_t> count = parse_int(settings.devices);
  if (!found.ok()) {
    problem = found.status().in(collect::kDeviceVariable);
  } else if (!count || *count < 1 || *count > Runtime::kMostDevices) {
    problem =
        usage_error(fmt::format("{} must be a number from 1 to {}", collect::kDevicesVariable, Runtime::kMostDevices));
  }
  if (problem.ok() && !simt::sass_machine::processor_can()) {
    problem = unsupported("machine code is run with AVX2, which this processor lacks");
  }
  if (!problem.ok()) {
    (void)tell(cudaErrorNoDevice, problem.message());
    return;
  }
  device = *found;
  constexpr double kKept = model::kKeptInL2 / simt::sass_machine::kL2Share;  // over what a launch has for itself
  const simt::sass_machine::L2Contents empty(static_cast<uint64_t>(kKept * device->l2_mb * 1048576.0));
  devices = static_cast<int>(*count);
  l2s.assign(static_cast<size_t>(*count), empty);
  recording = Recording::wanted(*device, devices, memory_bytes());
  problem = launch_watch.begin(settings);
  if (!problem.ok()) (void)tell(cudaErrorNoDevice, problem.message());
  timed = recording != nullptr || launch_watch.reports;
  // A child that is forked while another thread is in a call would find the lock taken, and its owner gone.
  ::pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); }, [] { std::construct_at(&get().mutex); });
  std::atexit([] {
    Runtime& runtime = get();
    tell_lost(runtime.printed);
    report_leaks(runtime);
    runtime.launch_watch.end();
  });
}

Runtime& Runtime::get() {
  static auto* runtime = [] {
    run_constructors();
    return new Runtime;  // kept to the very end: programs call it from their own destructors
  }();
  return *runtime;
}

Stream* Runtime::stream(void* handle) {
  constexpr uintptr_t kLastDefaultStream = 2;
  if (reinterpret_cast<uintptr_t>(handle) <= kLastDefaultStream) return &legacy[static_cast<size_t>(current_device())];
  auto* stream = static_cast<Stream*>(handle);
  return streams.contains(stream) ? stream : nullptr;
}

const Allocation* Runtime::holder(const void* pointer, uint64_t size_bytes) const {
  const auto address = reinterpret_cast<simt::Address>(pointer);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return nullptr;
  const auto& [begin, allocation] = *--after;
  const uint64_t offset = address - begin;
  return offset <= allocation.size_bytes && size_bytes <= allocation.size_bytes - offset ? &allocation : nullptr;
}

bool Runtime::is_registered(const void* pointer) const {
  const auto address = reinterpret_cast<simt::Address>(pointer);
  auto after = registered.upper_bound(address);
  if (after == registered.begin()) return false;
  const auto& [begin, size_bytes] = *--after;
  return address - begin < size_bytes;
}

Error Runtime::tell(Error error, const std::string& what) {
  if (told.insert(what).second) std::fprintf(stderr, "warplens: %s\n", what.c_str());
  return error;
}

void Runtime::lose(Error error) { sticky = error; }

void Runtime::flush_printed() {
  if (printed.empty()) return;
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  std::fflush(stdout);
  printed.clear();
}

uint64_t Runtime::memory_bytes() const {
  constexpr uint64_t kUnknown = uint64_t{16} << 30;  // of a GPU whose size nobody gave
  const uint64_t known = gpu::memory_bytes(*device);
  return known > 0 ? known : kUnknown;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

CallsOfThread& calls_of_thread() {
  thread_local CallsOfThread calls;
  return calls;
}

Error& last_error() {
  thread_local Error error = cudaSuccess;
  return error;
}

}  // namespace warplens::cuda_api
