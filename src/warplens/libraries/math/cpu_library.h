// The BLAS and LAPACK that compute for the emulated GPU: those that PyTorch carries, where it is loaded, else the
// system's.
#pragma once
#include "warplens/base/status.h"

namespace warplens::libraries {

/// The Fortran function `name` ("sgemm_"), with 32-bit integers. Error: no library has it; names the package.
Status find_cpu_function(const char* name, void** function);

/// The function, looked up once a process: WL_ASSIGN(auto* gemm, cpu_function<Gemm>("sgemm_")).
template <typename Function>
Result<Function*> cpu_function(const char* name) {
  void* found = nullptr;
  WL_TRY(find_cpu_function(name, &found));
  return reinterpret_cast<Function*>(found);
}

}  // namespace warplens::libraries
