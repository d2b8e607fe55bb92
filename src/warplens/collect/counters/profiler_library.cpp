#include "warplens/collect/counters/profiler_library.h"

#include <dlfcn.h>

namespace warplens::cupti {
namespace {

constexpr uint32_t kLastDriverless = 130001;  // CUDA 13.0

bool has_driver() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver == nullptr) return false;
  ::dlclose(driver);
  return true;
}

}  // namespace

std::string ProfilerLibrary::find(const Library& cupti) {
  const char* missing = nullptr;
#define WL_FIND(name, parameters) cupti::find(cupti, #name, name, &missing);
  WL_CUPTI_HOST_FUNCTIONS(WL_FIND)
  WL_CUPTI_TARGET_FUNCTIONS(WL_FIND)
#undef WL_FIND
  if (missing == nullptr) return "";
  return cupti.path + " has no " + missing + ": counters need the CUPTI of CUDA 12.6 or newer";
}

Result ProfilerLibrary::start(uint32_t device, std::string* chip, const char** failed) const {
  ProfilerInitialize initialize;
  *failed = "cuptiProfilerInitialize";
  if (const Result result = cuptiProfilerInitialize(&initialize); result != kSuccess) return result;
  GetChipName name;
  name.device = device;
  *failed = "cuptiDeviceGetChipName";
  const Result result = cuptiDeviceGetChipName(&name);
  if (result == kSuccess) *chip = name.chip;
  return result;
}

std::string host_side_problem(const Library& cupti) {
  if (cupti.version <= kLastDriverless || has_driver()) return "";
  return cupti.path + " (API version " + std::to_string(cupti.version) +
         ") lists and plans counters only with a driver; set CUDA_HOME to the toolkit of CUDA 12.6 to 13.0, whose "
         "CUPTI needs no driver";
}

}  // namespace warplens::cupti
