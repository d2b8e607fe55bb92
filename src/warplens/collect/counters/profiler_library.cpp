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

std::string ProfilerLibrary::start(const Library& cupti, uint32_t device, std::string* chip) const {
  ProfilerInitialize initialize;
  WL_CUPTI_TRY(cupti.ask(cuptiProfilerInitialize, &initialize));
  GetChipName name;
  name.device = device;
  WL_CUPTI_TRY(cupti.ask(cuptiDeviceGetChipName, &name));
  *chip = name.chip;
  return "";
}

std::string host_side_problem(const Library& cupti) {
  if (cupti.version <= kLastDriverless || has_driver()) return "";
  return cupti.path + " (API version " + std::to_string(cupti.version) +
         ") lists and plans counters only with a driver; set CUDA_HOME to the toolkit of CUDA 12.6 to 13.0, whose "
         "CUPTI needs no driver";
}

}  // namespace warplens::cupti
