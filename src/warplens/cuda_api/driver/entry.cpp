// How programs find the driver's calls, and what its numbers mean.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>

#include "warplens/base/text.h"
#include "warplens/cuda_api/calls.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/linked/stripped.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// How many forms of a call there were in a version of CUDA; 0: it has only ever had one, or is not known.
int forms_in(std::string_view name, int version) {
  const auto count = [&](auto... since) { return std::max((0 + ... + int{version >= since}), 1); };
#define FORMS(call, ...) \
  if (name == #call) return count(__VA_ARGS__);
#include "warplens/cuda_api/driver/forms.def"
#undef FORMS
  return 0;
}

/// The form of a call that a version of CUDA has: programs hand it that form's arguments. Where it is not known, the
/// newest that is here.
void* find_call(const char* name, int version) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&find_call), &self) == 0) return nullptr;
  void* library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const int forms = forms_in(name, version);
  const std::string exact = forms > 1 ? fmt::format("{}_v{}", name, forms) : name;
  void* found = forms > 0 ? dlsym(library, exact.c_str()) : nullptr;
  for (const char* ending : {"_v4", "_v3", "_v2", ""}) {
    if (found == nullptr) found = dlsym(library, (std::string(name) + ending).c_str());
  }
  dlclose(library);
  return found;
}

enum QueryResult : int { kFound = 0, kNotFound = 1 };

Error entry_point(const char* name, void** out, int version, int* status) {
  if (name == nullptr || out == nullptr) return cudaErrorInvalidValue;
  *out = find_call(name, version);
  if (status != nullptr) *status = *out != nullptr ? kFound : kNotFound;
  return cudaSuccess;
}

const char* name_of(int error) {
  switch (error) {
#define NAME(number, name) \
  case number: return #name;
#define TEXT(number, text)
#include "warplens/cuda_api/driver/error_names.def"
#undef TEXT
#undef NAME
    default: return nullptr;
  }
}

const char* text_of(int error) {
  switch (error) {
#define NAME(number, name)
#define TEXT(number, text) \
  case number: return text;
#include "warplens/cuda_api/driver/error_names.def"
#undef TEXT
#undef NAME
    default: return name_of(error) != nullptr ? cudaGetErrorString(error) : nullptr;
  }
}

int tell(const char** out, const char* what) {
  *out = what;
  return what != nullptr ? kDriverSuccess : kDriverInvalidValue;
}

}  // namespace

CUDA_API int cuGetProcAddress_v2(const char* name, void** out, int version, uint64_t, int* status) {
  const Error error = entry_point(name, out, version, status);
  const bool unasked = status == nullptr && error == cudaSuccess && *out == nullptr;  // how else would one know?
  return unasked ? int{kDriverNotFound} : int{error};
}
CUDA_API int cuGetProcAddress(const char* name, void** out, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, out, version, flags, nullptr);
}
CUDA_API int cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned version, unsigned long long,
                                              int* status) {
  return call([&](Runtime&) { return entry_point(name, out, static_cast<int>(version), status); });
}
CUDA_API int cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long, int* status) {
  return call([&](Runtime&) {
    int version = 0;
    (void)cudaDriverGetVersion(&version);
    return entry_point(name, out, version, status);
  });
}

CUDA_API int cuGetErrorName(int error, const char** name) {
  return name == nullptr ? kDriverInvalidValue : tell(name, name_of(error));
}
CUDA_API int cuGetErrorString(int error, const char** text) {
  return text == nullptr ? kDriverInvalidValue : tell(text, text_of(error));
}

/// Tables of calls without names are NVIDIA's own. A copy of the CUDA runtime that could not be replaced asks for this
/// one, and stops without it; others go on.
constexpr std::array<uint8_t, 16> kTableOfRuntime{0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                                  0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

CUDA_API int cuGetExportTable(const void** table, const std::array<uint8_t, 16>* name) {
  if (table != nullptr) *table = nullptr;
  if (name == nullptr || *name != kTableOfRuntime) return kDriverNotSupported;
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Dl_info from;
  const bool known = dladdr(__builtin_return_address(0), &from) != 0 && from.dli_fname != nullptr;
  return runtime.tell(cudaErrorNotSupported, about_stripped(known ? from.dli_fname : "a library of the program"));
}
