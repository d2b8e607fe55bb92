// Statuses that cuSPARSE and cuSPARSELt share.
#pragma once
#include <iterator>

namespace warplens::libraries {

/// As cusparseStatus_t numbers them.
enum SparseStatus : int {
  kSparseSuccess = 0,
  kSparseNotInitialized = 1,
  kSparseAllocFailed = 2,
  kSparseInvalidValue = 3,
  kSparseExecutionFailed = 6,
  kSparseZeroPivot = 9,
  kSparseNotSupported = 10,
};

struct StatusName {
  const char *name, *text;
};
inline constexpr StatusName kSparseStatuses[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "allocation failed"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"}};
inline StatusName status_name(int status) {
  const bool known = status >= 0 && status < static_cast<int>(std::size(kSparseStatuses));
  return known ? kSparseStatuses[status] : StatusName{"unrecognized error code", "unrecognized error code"};
}

}  // namespace warplens::libraries
