// Texts of input shapes: read or refused; what is read prints to a text that reads the same, and counts never overflow.
#include <cstdint>
#include <cstdlib>

#include "warplens/program/analysis/operators/shapes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warplens::analysis;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  (void)parse_string_array(text);
  const std::string printed = torch_shapes(text);
  const auto inputs = parse_shapes(text), again = parse_shapes(printed);
  if (!again || (inputs && again->size() != inputs->size())) std::abort();
  for (size_t i = 0; inputs && i < inputs->size(); ++i) {
    if ((*again)[i].dims != (*inputs)[i].dims) std::abort();
    (void)element_count((*inputs)[i].dims);
  }
  return 0;
}
