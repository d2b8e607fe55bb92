#include "warplens/program/analysis/operators/shapes.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "warplens/base/json.h"
#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

/// A reader of nested arrays of whole numbers.
class Reader {
 public:
  explicit Reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  std::optional<std::vector<InputShape>> inputs() {
    std::vector<InputShape> out;
    if (!eat('[')) return std::nullopt;
    if (eat(']')) return at_end() ? std::optional(out) : std::nullopt;
    do {
      if (!input(out.emplace_back())) return std::nullopt;
    } while (eat(','));
    return eat(']') && at_end() ? std::optional(out) : std::nullopt;
  }

 private:
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == end_;
  }
  bool eat(char c) {
    skip_space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool number(int64_t& value) {
    skip_space();
    const auto [after, error] = std::from_chars(at_, end_, value);
    at_ = after;
    return error == std::errc();
  }
  bool input(InputShape& out) {
    if (!eat('[')) return false;
    if (eat(']')) return true;
    do {
      if (eat('[')) {
        out.is_list = true;
        if (!rest_of_shape(out.list.emplace_back())) return false;
      } else if (!number(out.dims.emplace_back())) {
        return false;
      }
    } while (eat(','));
    return eat(']');
  }
  bool rest_of_shape(Shape& shape) {
    if (eat(']')) return true;
    do {
      if (!number(shape.emplace_back())) return false;
    } while (eat(','));
    return eat(']');
  }

  const char* at_;
  const char* end_;
};

}  // namespace

std::optional<std::vector<InputShape>> parse_shapes(std::string_view text) { return Reader(text).inputs(); }

std::string torch_shapes(std::string_view text) {
  const auto inputs = parse_shapes(text);
  if (!inputs) return "[]";
  std::string out = "[";
  for (const InputShape& input : *inputs) {
    if (out.size() > 1) out += ", ";
    out += fmt::format("[{}]", fmt::join(input.dims, ", "));
  }
  return out + "]";
}

std::vector<std::string> parse_string_array(std::string_view text) {
  std::vector<std::string> out;
  const Result<json::Value> value = json::parse(text);
  if (!value.ok() || !value->array()) return out;
  for (const json::Value& item : *value->array()) out.push_back(item.string() ? *item.string() : std::string());
  return out;
}

// Writers of traces other than torch spell the types in lower case.
bool is_half(std::string_view dtype) {
  return contains(dtype, "Half") || contains(dtype, "BFloat16") || contains(dtype, "half") ||
         contains(dtype, "bfloat16");
}

bool is_float8(std::string_view dtype) { return contains(dtype, "Float8") || contains(dtype, "float8"); }

int dtype_bytes(std::string_view dtype) {
  if (is_half(dtype) || contains(dtype, "short")) return 2;
  if (is_float8(dtype) || dtype == "bool" || contains(dtype, "char")) return 1;
  if (dtype == "double" || contains(dtype, "long") || contains(dtype, "complex<float>")) return 8;
  return 4;
}

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) {
    if (dim == 0) return 0;
    const bool negative = (count < 0) != (dim < 0);
    if (__builtin_mul_overflow(count, dim, &count))
      count = negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  return count;
}

}  // namespace warplens::analysis
