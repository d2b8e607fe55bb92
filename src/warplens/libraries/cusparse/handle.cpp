#include "warplens/libraries/cusparse/handle.h"

#include <algorithm>

namespace warplens::libraries {

int queue_sparse(const SparseHandle* handle, SparseCall call) {
  if (handle == nullptr) return kSparseNotInitialized;
  std::erase_if(call.touches, [](const TouchedMemory& t) { return t.width_bytes == 0 || t.rows == 0; });
  double bytes = 0;
  for (const TouchedMemory& t : call.touches) bytes += static_cast<double>(t.width_bytes * t.rows);
  const int error = queue(handle->stream, {.name = std::move(call.name),
                                           .time = streaming_time(bytes, call.flops, *device()),
                                           .touches = [touches = std::move(call.touches)] { return touches; },
                                           .run = std::move(call.run)});
  return error == 0 ? kSparseSuccess : kSparseExecutionFailed;
}

TouchedMemory touched(const void* data, int64_t elements, int element_bytes, bool written) {
  const auto bytes = static_cast<uint64_t>(elements * element_bytes);
  return {data, bytes, bytes, 1, written};
}

void touch(std::vector<TouchedMemory>& out, const SparseMatrix& m, bool written) {
  const auto all = [&](int64_t count, int64_t step) { return (m.batches - 1) * step + count; };
  out.push_back(touched(m.outer.data, all(m.outer_count(), m.outer_step), m.outer.bytes, false));
  out.push_back(touched(m.inner.data, all(m.stored, m.inner_step), m.inner.bytes, false));
  out.push_back(touched(m.values, all(m.value_count(), m.value_step), size_bytes(m.number), written));
}

void touch(std::vector<TouchedMemory>& out, const Matrix& m, int64_t rows, int64_t columns, int64_t batches,
           bool written) {
  if (rows == 0 || columns == 0) return;
  const int64_t span = (rows - 1) * m.row_step + (columns - 1) * m.column_step + 1;
  for (int64_t i = 0; i < batches; ++i) out.push_back(touched(m.of(i), span, size_bytes(m.number), written));
}

const char* layout_name(const SparseMatrix& m) {
  if (m.block_size() > 1) return "bsr";
  switch (m.layout) {
    case SparseLayout::kCsr: return "csr";
    case SparseLayout::kCsc: return "csc";
    case SparseLayout::kCoo: return "coo";
  }
  return "";
}

}  // namespace warplens::libraries
