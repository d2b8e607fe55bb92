// Statuses that cuBLAS and cuBLASLt share.
#pragma once

namespace warplens::libraries {

/// As cublasStatus_t numbers them.
enum BlasStatus : int {
  kBlasSuccess = 0,
  kBlasNotInitialized = 1,
  kBlasAllocFailed = 3,
  kBlasInvalidValue = 7,
  kBlasExecutionFailed = 13,
  kBlasNotSupported = 15,
};

}  // namespace warplens::libraries
