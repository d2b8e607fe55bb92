// Errors: asking for the last one, and what numbers mean.
#include <algorithm>
#include <array>

#include "warplens/cuda_api/runtime.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

struct Row {
  int number;
  const char *name, *text;
};
constexpr std::array kErrors = {
#define ERROR(number, name, text) Row{number, #name, text},
#include "warplens/cuda_api/errors.def"
#undef ERROR
};

const Row* find(int number) {
  const auto* found = std::ranges::find(kErrors, number, &Row::number);
  return found == kErrors.end() ? nullptr : found;
}

/// What a kernel did wrong stays; anything else is told once.
Error pending(const Runtime& runtime) { return runtime.sticky != cudaSuccess ? runtime.sticky : last_error(); }

}  // namespace

CUDA_API int cudaGetLastError() {
  const Error error = pending(Runtime::get());
  last_error() = cudaSuccess;
  return error;
}
CUDA_API int cudaPeekAtLastError() { return pending(Runtime::get()); }

CUDA_API const char* cudaGetErrorName(int error) {
  const Row* row = find(error);
  return row != nullptr ? row->name : "unrecognized error code";
}
CUDA_API const char* cudaGetErrorString(int error) {
  const Row* row = find(error);
  return row != nullptr ? row->text : "unrecognized error code";
}
