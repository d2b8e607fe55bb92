// cuSOLVER: handles, and the settings of its iterations, which LAPACK has none of.
#include <new>

#include "warplens/libraries/cusolver/handle.h"

using namespace warplens::libraries;

namespace {

struct Settings {
  double tolerance = 0;
  int most_sweeps = 0, sorts = 1;
};

template <typename T>
int make(T** out) {
  if (out == nullptr) return kSolverInvalidValue;
  *out = new (std::nothrow) T;
  return kSolverSuccess;
}
template <typename T>
int destroy(T* object) {
  delete object;
  return kSolverSuccess;
}
template <typename V>
int set(Settings* settings, V Settings::* field, V value) {
  if (settings == nullptr) return kSolverInvalidValue;
  settings->*field = value;
  return kSolverSuccess;
}

}  // namespace

CUDA_API int cusolverDnCreate(SolverHandle** handle) {
  return device() == nullptr ? kSolverNotInitialized : make(handle);
}
CUDA_API int cusolverDnDestroy(SolverHandle* handle) { return destroy(handle); }
CUDA_API int cusolverDnSetStream(SolverHandle* handle, void* stream) {
  if (handle == nullptr) return kSolverNotInitialized;
  handle->stream = stream;
  return kSolverSuccess;
}
CUDA_API int cusolverDnGetStream(const SolverHandle* handle, void** stream) {
  if (handle == nullptr || stream == nullptr) return kSolverNotInitialized;
  *stream = handle->stream;
  return kSolverSuccess;
}
CUDA_API int cusolverGetVersion(int* version) {
  constexpr int kVersion = 12200;  // of cuSOLVER 12.2
  if (version == nullptr) return kSolverInvalidValue;
  *version = kVersion;
  return kSolverSuccess;
}

CUDA_API int cusolverDnCreateParams(Settings** out) { return make(out); }
CUDA_API int cusolverDnDestroyParams(Settings* settings) { return destroy(settings); }

#define SETTINGS(Kind, kind)                                                           \
  CUDA_API int cusolverDnCreate##Kind##Info(Settings** out) { return make(out); }      \
  CUDA_API int cusolverDnDestroy##Kind##Info(Settings* info) { return destroy(info); } \
  CUDA_API int cusolverDnX##kind##SetTolerance(Settings* info, double value) {         \
    return set(info, &Settings::tolerance, value);                                     \
  }                                                                                    \
  CUDA_API int cusolverDnX##kind##SetMaxSweeps(Settings* info, int value) {            \
    return set(info, &Settings::most_sweeps, value);                                   \
  }                                                                                    \
  CUDA_API int cusolverDnX##kind##SetSortEig(Settings* info, int value) { return set(info, &Settings::sorts, value); }
SETTINGS(Gesvdj, gesvdj)
SETTINGS(Syevj, syevj)
#undef SETTINGS
