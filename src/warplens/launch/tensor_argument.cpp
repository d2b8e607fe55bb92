#include "warplens/launch/tensor_argument.h"

#include <limits>

#include "warplens/base/text.h"
#include "warplens/launch/fields.h"

namespace warplens::launch {
namespace {

constexpr size_t kMostDimensions = 5;

/// A list of whole numbers from `low` on; `count` of them unless it is not there.
template <typename T>
Status parse_numbers(Fields& fields, std::string_view key, int64_t low, size_t count, std::vector<T>& out) {
  const json::Value* value = fields.take(key);
  if (value == nullptr) return {};
  const auto wrong = [&] {
    return invalid_input(
        fmt::format("{}: must be a list of {} whole numbers, each at least {}", fields.at(key), count, low));
  };
  if (value->array() == nullptr || value->array()->size() != count) return wrong();
  for (const json::Value& item : *value->array()) {
    const std::optional<int64_t> n = item.integer();
    if (!n || *n < low || !std::in_range<T>(*n)) return wrong();
    out.push_back(static_cast<T>(*n));
  }
  return {};
}

Status parse_dimensions(Fields& fields, TensorMapSpec& map) {
  const json::Value* value = fields.take("dimensions");
  const size_t rank = value != nullptr && value->array() != nullptr ? value->array()->size() : 0;
  if (rank < 1 || rank > kMostDimensions)
    return invalid_input(fields.at("dimensions") + ": must be a list of 1 to 5 whole numbers, the innermost first");
  WL_TRY(parse_numbers(fields, "dimensions", 1, rank, map.dimensions));
  WL_TRY(parse_numbers(fields, "strides_bytes", 0, rank - 1, map.strides_bytes));
  WL_TRY(parse_numbers(fields, "element_strides", 1, rank, map.element_strides));
  uint64_t stride = info(map.dtype).size_bytes;
  for (size_t i = 0; map.strides_bytes.size() < rank - 1; ++i) map.strides_bytes.push_back(stride *= map.dimensions[i]);
  map.element_strides.resize(rank, 1);
  return {};
}

Status parse_pixels(Fields& fields, TensorMapSpec& map) {
  const size_t rank = map.dimensions.size();
  if (rank < 3)
    return invalid_input(fields.at("dimensions") + ": im2col takes 3 to 5 dimensions: channels, width, ..., images");
  constexpr int64_t kLeast = std::numeric_limits<int16_t>::min();
  WL_TRY(parse_numbers(fields, "lower", kLeast, rank - 2, map.lower));
  WL_TRY(parse_numbers(fields, "upper", kLeast, rank - 2, map.upper));
  map.lower.resize(rank - 2);
  map.upper.resize(rank - 2);
  int64_t channels = 0, pixels = 0;
  WL_TRY(fields.integer("channels", 1, 256, channels));
  WL_TRY(fields.integer("pixels", 1, 1024, pixels));
  if (channels == 0 || pixels == 0)
    return invalid_input(fields.at("channels") + ": im2col needs 'channels' and 'pixels', the shape of one copy");
  map.channels = static_cast<uint32_t>(channels);
  map.pixels = static_cast<uint32_t>(pixels);
  return {};
}

}  // namespace

Result<TensorMapSpec> parse_tensor_map(const json::Value& value, const std::string& place) {
  WL_ASSIGN(Fields fields, Fields::of(value, place));
  TensorMapSpec map;
  std::string dtype;
  WL_TRY(fields.text("dtype", dtype));
  const std::optional<DType> known = find_dtype(dtype);
  if (!known)
    return invalid_input(fmt::format("{}: no dtype '{}'; there are {}", fields.at("dtype"), dtype, dtype_names()));
  map.dtype = *known;
  WL_TRY(parse_dimensions(fields, map));
  WL_TRY(fields.flag("im2col", map.im2col));
  if (map.im2col) WL_TRY(parse_pixels(fields, map));
  else WL_TRY(parse_numbers(fields, "box", 1, map.dimensions.size(), map.box));
  if (!map.im2col && map.box.empty())
    return invalid_input(fields.at("box") + ": is missing: the elements of one copy in each dimension");
  int64_t swizzle = 0;
  WL_TRY(fields.integer("swizzle", 0, 128, swizzle));
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return invalid_input(fields.at("swizzle") + ": is 0, 32, 64 or 128 bytes");
  map.swizzle_bytes = static_cast<uint32_t>(swizzle);
  WL_TRY(fields.flag("fill_nan", map.fill_nan));
  WL_TRY(fields.done());
  return map;
}

}  // namespace warplens::launch
