// cuSOLVER: handles, and the settings of its iterations, which LAPACK has none of.
#include "warplens/libraries/cusolver/handle.h"

using namespace warplens::libraries;

namespace {

struct Settings {
  double tolerance = 0;
  int most_sweeps = 0, sorts = 1;
};

}  // namespace

CUDA_API int cusolverDnCreate(SolverHandle** handle) {
  return device() == nullptr ? kSolverNotInitialized : Solver::make(handle);
}
CUDA_API int cusolverDnDestroy(SolverHandle* handle) { return Solver::destroy(handle); }
CUDA_API int cusolverDnSetStream(SolverHandle* handle, void* stream) {
  return Solver::set(handle, &SolverHandle::stream, stream);
}
CUDA_API int cusolverDnGetStream(const SolverHandle* handle, void** stream) {
  return Solver::get(handle, &SolverHandle::stream, stream);
}
CUDA_API int cusolverGetVersion(int* version) {
  constexpr int kVersion = 12200;  // of cuSOLVER 12.2
  return Solver::answer(version, kVersion);
}

CUDA_API int cusolverDnCreateParams(Settings** out) { return Solver::make(out); }
CUDA_API int cusolverDnDestroyParams(Settings* settings) { return Solver::destroy(settings); }

#define SETTINGS(Kind, kind)                                                                   \
  CUDA_API int cusolverDnCreate##Kind##Info(Settings** out) { return Solver::make(out); }      \
  CUDA_API int cusolverDnDestroy##Kind##Info(Settings* info) { return Solver::destroy(info); } \
  CUDA_API int cusolverDnX##kind##SetTolerance(Settings* info, double value) {                 \
    return Solver::set(info, &Settings::tolerance, value);                                     \
  }                                                                                            \
  CUDA_API int cusolverDnX##kind##SetMaxSweeps(Settings* info, int value) {                    \
    return Solver::set(info, &Settings::most_sweeps, value);                                   \
  }                                                                                            \
  CUDA_API int cusolverDnX##kind##SetSortEig(Settings* info, int value) {                      \
    return Solver::set(info, &Settings::sorts, value);                                         \
  }
SETTINGS(Gesvdj, gesvdj)
SETTINGS(Syevj, syevj)
#undef SETTINGS
