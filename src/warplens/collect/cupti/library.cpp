#include "warplens/collect/cupti/library.h"

#include <dlfcn.h>

#include <string_view>

namespace warplens::cupti {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

struct Explanation {
  Result result;
  const char* text;
};

constexpr Explanation kExplanations[] = {
    {26, "the GPU's profiling hardware is in use by another process: stop DCGM's profiling or Nsight there"},
    {33, "this virtual GPU allows no profiling: ask its provider to enable it"},
    {kErrorInsufficientPrivileges,
     "this user may not profile: run as root or with CAP_SYS_ADMIN, or have the administrator load the driver with "
     "NVreg_RestrictProfilingToAdminUsers=0"},
    {kErrorMultipleSubscribers,
     "another profiler is attached to this process (Nsight Systems, Nsight Compute, Proton or torch.profiler): record "
     "without it"},
    {40, "only its administrator may profile this virtual GPU: ask its provider"},
    {41, "confidential computing is on, which allows no profiling"},
    {43, "CUPTI does not profile this MIG instance: use a whole GPU"},
    {45, "CUPTI does not profile under WSL with this driver: update the driver"},
    {999, "CUPTI failed without a reason. Check that the GPU's driver fits this CUPTI: run `warplens doctor`"},
};

void* open_any(const std::string& paths, std::string& path) {
  for (const char* name : kNames) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
      path = name;
      return handle;
    }
  }
  for (std::string_view rest = paths; !rest.empty();) {
    const size_t colon = rest.find(':');
    path = rest.substr(0, colon);
    if (void* handle = ::dlopen(path.c_str(), RTLD_NOW)) return handle;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  for (const char* name : kNames) {
    if (void* handle = ::dlopen(name, RTLD_NOW)) {
      path = name;
      return handle;
    }
  }
  return nullptr;
}

}  // namespace

std::string Library::load(const std::string& paths) {
  handle = open_any(paths, path);
  if (handle == nullptr)
    return "CUPTI was not found: install a CUDA toolkit, or run pip install nvidia-cuda-cupti; `warplens doctor` shows "
           "the CUPTI that is used";
  const char* missing = nullptr;
#define WL_FIND(name, type) find(*this, #name, name, &missing);
  WL_CUPTI_FUNCTIONS(WL_FIND)
#undef WL_FIND
  if (missing == nullptr && cuptiGetVersion(&version) == kSuccess && version >= kOldestVersion) return "";
  return path + " is too old (it has API version " + std::to_string(version) + ", version " +
         std::to_string(kOldestVersion) + " of CUDA 12.0 is needed): install a newer CUDA toolkit";
}

std::string Library::explain(Result result) const {
  for (const Explanation& known : kExplanations) {
    if (known.result == result) return known.text;
  }
  const char* text = nullptr;
  if (cuptiGetResultString == nullptr || cuptiGetResultString(result, &text) != kSuccess || text == nullptr)
    text = "unknown error";
  return std::string("CUPTI says ") + text + " (" + std::to_string(result) + ")";
}

std::string Library::said(const char* call, Result result) const {
  return explain(result) + " [" + call + ": " + std::to_string(result) + "]";
}

}  // namespace warplens::cupti
