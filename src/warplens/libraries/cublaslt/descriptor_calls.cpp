// cuBLASLt: handles, layouts, descriptions of products and preferences.
#include <cstring>
#include <new>

#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/cublaslt/descriptors.h"
#include "warplens/libraries/queue/objects.h"
#include "warplens/libraries/queue/queue.h"

using namespace warplens;
using namespace warplens::libraries;

namespace warplens::libraries {

LtMatmul::LtMatmul(int compute, int scale_type) {
  constexpr int kDefaultEpilogue = 1, kSameAsD = -1;
  values_[static_cast<size_t>(LtAttribute::kCompute)] = compute;
  values_[static_cast<size_t>(LtAttribute::kScaleType)] = scale_type;
  values_[static_cast<size_t>(LtAttribute::kEpilogue)] = kDefaultEpilogue;
  values_[static_cast<size_t>(LtAttribute::kBiasType)] = kSameAsD;
  values_[static_cast<size_t>(LtAttribute::kAuxType)] = kSameAsD;
}

int64_t LtMatmul::raw(LtAttribute attribute) const {
  const int at = static_cast<int>(attribute);
  return at < kWide ? values_[static_cast<size_t>(at)] : modes_[static_cast<size_t>(at - kModes)];
}

int LtMatmul::set(int attribute, const void* value, size_t size_bytes) {
  if (value == nullptr || size_bytes == 0 || size_bytes > sizeof(int64_t)) return kBlasInvalidValue;
  int64_t wide = 0;
  std::memcpy(&wide, value, size_bytes);
  if (size_bytes == sizeof(int)) wide = static_cast<int>(wide);
  if (attribute >= 0 && attribute < kWide) values_[static_cast<size_t>(attribute)] = wide;
  else if (attribute >= kModes && attribute < kModesEnd)
    modes_[static_cast<size_t>(attribute - kModes)] = static_cast<int>(wide);
  else return kBlasInvalidValue;
  return kBlasSuccess;
}

int LtMatmul::get(int attribute, void* value, size_t size_bytes, size_t* written) const {
  const bool known = (attribute >= 0 && attribute < kWide) || (attribute >= kModes && attribute < kModesEnd);
  if (!known || value == nullptr || size_bytes > sizeof(int64_t)) return kBlasInvalidValue;
  const int64_t wide = raw(static_cast<LtAttribute>(attribute));
  std::memcpy(value, &wide, size_bytes);
  if (written != nullptr) *written = size_bytes;
  return kBlasSuccess;
}

}  // namespace warplens::libraries

namespace {

struct Field {
  void* at;
  size_t size_bytes;
};
/// The field of a layout behind an attribute; none where there is no such attribute.
Field field_of(LtLayout* layout, int attribute) {
  Field fields[] = {{&layout->type, 4},       {&layout->order, 4},   {&layout->rows, 8},
                    {&layout->columns, 8},    {&layout->leading, 8}, {&layout->batches, 4},
                    {&layout->batch_step, 8}, {&layout->plane, 8},   {&layout->batch_mode, 4}};
  return attribute >= 0 && attribute < static_cast<int>(std::size(fields)) ? fields[attribute] : Field{nullptr, 0};
}

/// What nothing here depends on: programs may set it, and read it again.
struct Preference {
  uint64_t values[8];
};
static_assert(sizeof(Preference) <= 64);

using Lt = Objects<{.missing = kBlasNotInitialized, .invalid = kBlasInvalidValue, .no_memory = kBlasAllocFailed}>;

template <typename T, typename... A>
int place(T* where, size_t size_bytes, A... arguments) {
  if (where == nullptr) return kBlasInvalidValue;
  if (size_bytes < sizeof(T)) return kBlasAllocFailed;
  new (where) T(arguments...);
  return kBlasSuccess;
}

constexpr size_t kVersion = 130400;

}  // namespace

CUDA_API int cublasLtCreate(void** out) {
  static char handle;
  if (out == nullptr) return kBlasInvalidValue;
  if (device() == nullptr) return kBlasNotInitialized;
  *out = &handle;
  return kBlasSuccess;
}
CUDA_API int cublasLtDestroy(void*) { return kBlasSuccess; }
CUDA_API size_t cublasLtGetVersion() { return kVersion; }
CUDA_API size_t cublasLtGetCudartVersion() { return 13000; }

CUDA_API int cublasLtMatrixLayoutCreate(LtLayout** out, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  return Lt::make(out, LtLayout{.type = type, .rows = rows, .columns = columns, .leading = leading});
}
CUDA_API int cublasLtMatrixLayoutInit_internal(LtLayout* where, size_t size_bytes, int type, uint64_t rows,
                                               uint64_t columns, int64_t leading) {
  return place(where, size_bytes, LtLayout{.type = type, .rows = rows, .columns = columns, .leading = leading});
}
CUDA_API int cublasLtMatrixLayoutDestroy(LtLayout* layout) { return Lt::destroy(layout); }
CUDA_API int cublasLtMatrixLayoutSetAttribute(LtLayout* layout, int attribute, const void* value, size_t size_bytes) {
  if (layout == nullptr || value == nullptr) return kBlasInvalidValue;
  const Field field = field_of(layout, attribute);
  if (field.at == nullptr || size_bytes != field.size_bytes) return kBlasInvalidValue;
  std::memcpy(field.at, value, size_bytes);
  return kBlasSuccess;
}
CUDA_API int cublasLtMatrixLayoutGetAttribute(LtLayout* layout, int attribute, void* value, size_t size_bytes,
                                              size_t* written) {
  if (layout == nullptr) return kBlasInvalidValue;
  const Field field = field_of(layout, attribute);
  if (field.at == nullptr) return kBlasInvalidValue;
  if (written != nullptr) *written = field.size_bytes;
  if (value == nullptr) return size_bytes == 0 ? kBlasSuccess : kBlasInvalidValue;
  if (size_bytes < field.size_bytes) return kBlasInvalidValue;
  std::memcpy(value, field.at, field.size_bytes);
  return kBlasSuccess;
}

CUDA_API int cublasLtMatmulDescCreate(LtMatmul** out, int compute, int scale_type) {
  return Lt::make(out, LtMatmul(compute, scale_type));
}
CUDA_API int cublasLtMatmulDescInit_internal(LtMatmul* where, size_t size_bytes, int compute, int scale_type) {
  return place(where, size_bytes, compute, scale_type);
}
CUDA_API int cublasLtMatmulDescDestroy(LtMatmul* matmul) { return Lt::destroy(matmul); }
CUDA_API int cublasLtMatmulDescSetAttribute(LtMatmul* matmul, int attribute, const void* value, size_t size_bytes) {
  return matmul != nullptr ? matmul->set(attribute, value, size_bytes) : kBlasInvalidValue;
}
CUDA_API int cublasLtMatmulDescGetAttribute(LtMatmul* matmul, int attribute, void* value, size_t size_bytes,
                                            size_t* written) {
  return matmul != nullptr ? matmul->get(attribute, value, size_bytes, written) : kBlasInvalidValue;
}

CUDA_API int cublasLtMatmulPreferenceCreate(Preference** out) { return Lt::make(out, Preference{}); }
CUDA_API int cublasLtMatmulPreferenceInit_internal(Preference* where, size_t size_bytes) {
  return place(where, size_bytes, Preference{});
}
CUDA_API int cublasLtMatmulPreferenceDestroy(Preference* preference) { return Lt::destroy(preference); }
CUDA_API int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int, const void* value, size_t) {
  return preference != nullptr && value != nullptr ? kBlasSuccess : kBlasInvalidValue;
}
