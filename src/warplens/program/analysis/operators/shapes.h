// Shapes of operator inputs, from the text that traces carry.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::analysis {

using Shape = std::vector<int64_t>;

/// One input of an operator: a tensor's shape (empty for scalars and all that is not a tensor), or a list of tensors.
struct InputShape {
  Shape dims;
  std::vector<Shape> list;
  bool is_list = false;
};

/// Reads "[[8, 512], [], [[4], [4]]]"; no value when the text is not of this form.
std::optional<std::vector<InputShape>> parse_shapes(std::string_view text);

/// As torch's table prints them: "[[8, 512], [], []]", lists of tensors as "[]".
std::string torch_shapes(std::string_view text);

/// The items of a JSON array of strings, as "Input type" and "Concrete Inputs" are; empty if it is not one.
std::vector<std::string> parse_string_array(std::string_view text);

/// Bytes of an element: "float" 4, "c10::BFloat16" 2, ...
int dtype_bytes(std::string_view dtype);
bool is_half(std::string_view dtype);    // 16-bit floats
bool is_float8(std::string_view dtype);  // 8-bit floats of any kind

/// The product of the dimensions; 1 for a scalar. Stops at the largest (smallest) number there is.
int64_t element_count(const Shape& shape);

}  // namespace warplens::analysis
