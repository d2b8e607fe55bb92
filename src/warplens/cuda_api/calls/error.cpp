// Errors: asking for the last one, and what numbers mean.
#include <algorithm>
#include <array>
#include <utility>

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

/// Checks tell of errors that nobody asks for.
void note_read() {
  if (last_error() == cudaSuccess) return;
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.launch_watch.error_read();
}

}  // namespace

CUDA_API int cudaGetLastError() {
  note_read();
  return std::exchange(last_error(), cudaSuccess);
}
CUDA_API int cudaPeekAtLastError() {
  note_read();
  return last_error();
}

CUDA_API const char* cudaGetErrorName(int error) {
  const Row* row = find(error);
  return row != nullptr ? row->name : "unrecognized error code";
}
CUDA_API const char* cudaGetErrorString(int error) {
  const Row* row = find(error);
  return row != nullptr ? row->text : "unrecognized error code";
}
