#include "warplens/collect/process/device_facts.h"

#include <dlfcn.h>

namespace warplens::collect {
namespace {

struct Attribute {
  int number;  // CUdevice_attribute, from cuda.h
  uint32_t stream::Device::* field;
};

constexpr Attribute kAttributes[] = {
    {16, &stream::Device::sm_count},         {75, &stream::Device::compute_major},
    {76, &stream::Device::compute_minor},    {39, &stream::Device::max_threads_per_sm},
    {82, &stream::Device::registers_per_sm}, {81, &stream::Device::shared_bytes_per_sm},
    {10, &stream::Device::warp_size}};

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

bool device_facts(uint32_t ordinal, stream::Device& device, std::string& name) {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  const auto get = find<int (*)(int*, int)>(library, "cuDeviceGet");
  const auto get_name = find<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  const auto get_memory = find<int (*)(size_t*, int)>(library, "cuDeviceTotalMem_v2");
  const auto get_attribute = find<int (*)(int*, int, int)>(library, "cuDeviceGetAttribute");
  int handle = 0;
  char text[256] = {};
  size_t memory = 0;
  const bool known = get && get_name && get_memory && get_attribute && get(&handle, static_cast<int>(ordinal)) == 0 &&
                     get_name(text, sizeof text - 1, handle) == 0 && get_memory(&memory, handle) == 0;
  ::dlclose(library);
  if (!known) return false;
  name = text;
  device = {.ordinal = ordinal, .name = name, .memory_bytes = memory};
  for (const Attribute& attribute : kAttributes) {
    int value = 0;
    if (get_attribute(&value, attribute.number, handle) == 0) device.*attribute.field = static_cast<uint32_t>(value);
  }
  return true;
}

}  // namespace warplens::collect
