// The shared part of cuSOLVER's functions with 64-bit sizes, which name the types of their matrices by number.
#pragma once
#include "warplens/libraries/cusolver/spectra.h"

namespace warplens::libraries {

/// Calls `use` with a value of the matrix's type; `valid` false, or a type that cuSOLVER has not here, is refused.
template <typename F>
int with_type(SolverHandle* h, int number, F use) {
  if (h == nullptr) return kSolverNotInitialized;
  switch (static_cast<Number>(number)) {
    case Number::kF32: return use(float());
    case Number::kF64: return use(double());
    case Number::kC32: return use(std::complex<float>());
    case Number::kC64: return use(std::complex<double>());
    default: return kSolverInvalidValue;
  }
}

inline int answer_works(SolverHandle* h, size_t* device_bytes, size_t* host_bytes) {
  if (const int status = Solver::answer_workspace(h, device_bytes); status != kSolverSuccess) return status;
  return Solver::answer_workspace(h, host_bytes);
}

}  // namespace warplens::libraries
