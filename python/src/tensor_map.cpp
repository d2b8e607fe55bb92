// Tensor maps made by the host: what cuTensorMapEncodeTiled gives on a GPU.
#include "warplens/simt/asynchronous/tensor_map.h"

#include <nanobind/stl/vector.h>

#include "module.h"
#include "status.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

nb::bytes tensor_map(uint64_t address, uint8_t element_type, std::vector<uint64_t> dimensions,
                     std::vector<uint64_t> strides, std::vector<uint32_t> box, uint8_t swizzle, bool fill_nan) {
  const simt::TensorMap map = take(simt::encode(
      {address, element_type, std::move(dimensions), std::move(strides), std::move(box), swizzle, fill_nan}));
  uint8_t bytes[simt::kTensorMapBytes] = {};
  simt::write_map(map, bytes);
  return nb::bytes(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

}  // namespace

void bind_tensor_map(nb::module_& module) {
  module.def("tensor_map", &tensor_map, "address"_a, "element_type"_a, "dimensions"_a, "strides"_a, "box"_a,
             nb::kw_only(), "swizzle"_a = 0, "fill_nan"_a = false,
             "The 128 bytes by which emulated kernels copy boxes of a tensor. Innermost dimension first; `strides` in "
             "bytes, without the innermost; element types and swizzles are numbered as tensormap.replace takes them. "
             "Raises ValueError.");
}

}  // namespace warplens::python
