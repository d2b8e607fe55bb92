#include "warplens/libraries/math/fourier.h"

#include <dlfcn.h>

#include "warplens/base/text.h"

namespace warplens::libraries {
namespace {

using Complex = std::complex<double>;

template <typename Function>
Function* function(void* library, const char* name) {
  return library != nullptr ? reinterpret_cast<Function*>(::dlsym(library, name)) : nullptr;
}

struct Mkl {
  long (*create)(void** handle, long domain, long length);
  long (*set)(void* handle, int what, ...);
  long (*commit)(void* handle);
  long (*forward)(void* handle, void* data, ...);
  long (*backward)(void* handle, void* data, ...);
  long (*release)(void** handle);
};

Mkl find_mkl() {
  void* const torch = ::dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  return {function<long(void**, long, long)>(torch, "DftiCreateDescriptor_d_1d"),
          function<long(void*, int, ...)>(torch, "DftiSetValue"),
          function<long(void*)>(torch, "DftiCommitDescriptor"),
          function<long(void*, void*, ...)>(torch, "DftiComputeForward"),
          function<long(void*, void*, ...)>(torch, "DftiComputeBackward"),
          function<long(void**)>(torch, "DftiFreeDescriptor")};
}

/// 0 where it went well, as MKL's own calls.
long by_mkl(const Mkl& mkl, Complex* rows, int64_t length, int64_t count, int sign) {
  constexpr long kComplex = 32;
  constexpr int kNumberOfTransforms = 7, kInputDistance = 14;
  void* handle = nullptr;
  long failed = mkl.create(&handle, kComplex, length);
  if (failed == 0) failed = mkl.set(handle, kNumberOfTransforms, static_cast<long>(count));
  if (failed == 0) failed = mkl.set(handle, kInputDistance, static_cast<long>(length));
  if (failed == 0) failed = mkl.commit(handle);
  if (failed == 0) failed = sign < 0 ? mkl.forward(handle, rows) : mkl.backward(handle, rows);
  if (handle != nullptr) mkl.release(&handle);
  return failed;
}

struct Fftw {
  void* (*plan)(int rank, const int* lengths, int count, Complex* in, const int* in_embed, int in_step, int in_distance,
                Complex* out, const int* out_embed, int out_step, int out_distance, int sign, unsigned flags);
  void (*execute)(void* plan);
  void (*destroy)(void* plan);
};

Fftw find_fftw() {
  void* const library = ::dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
  return {function<std::remove_pointer_t<decltype(Fftw::plan)>>(library, "fftw_plan_many_dft"),
          function<void(void*)>(library, "fftw_execute"), function<void(void*)>(library, "fftw_destroy_plan")};
}

bool by_fftw(const Fftw& fftw, Complex* rows, int64_t length, int64_t count, int sign) {
  constexpr unsigned kEstimate = 1u << 6;  // plan without trying, which would write over the data
  const int n = static_cast<int>(length);
  void* const plan =
      fftw.plan(1, &n, static_cast<int>(count), rows, nullptr, 1, n, rows, nullptr, 1, n, sign, kEstimate);
  if (plan == nullptr) return false;
  fftw.execute(plan);
  fftw.destroy(plan);
  return true;
}

}  // namespace

Status transform_rows(Complex* rows, int64_t length, int64_t count, int sign) {
  static const Mkl mkl = find_mkl();
  if (length <= 1 || count == 0) return {};
  if (mkl.create != nullptr && mkl.set != nullptr && mkl.commit != nullptr && mkl.forward != nullptr &&
      mkl.backward != nullptr && mkl.release != nullptr) {
    if (const long failed = by_mkl(mkl, rows, length, count, sign); failed != 0)
      return unsupported(fmt::format("MKL refuses a transform of {} elements: error {}", length, failed));
    return {};
  }
  static const Fftw fftw = find_fftw();
  if (fftw.plan == nullptr || fftw.execute == nullptr || fftw.destroy == nullptr) {
    return not_found(
        "no library for the CPU has Fourier transforms: install FFTW (Debian and Ubuntu: libfftw3-double3)");
  }
  return by_fftw(fftw, rows, length, count, sign)
             ? Status()
             : unsupported(fmt::format("FFTW refuses a transform of {} elements", length));
}

}  // namespace warplens::libraries
