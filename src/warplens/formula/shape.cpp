#include <algorithm>
#include <limits>

#include "warplens/base/text.h"
#include "warplens/formula/graph.h"

namespace warplens::formula {
namespace {

/// "1024" or "2^10".
std::optional<int64_t> parse_extent(std::string_view text) {
  const size_t power = text.find('^');
  if (power == std::string_view::npos) return parse_int(text);
  const auto base = parse_int(text.substr(0, power)), exponent = parse_int(text.substr(power + 1));
  if (!base || !exponent || *base < 1 || *exponent < 0) return std::nullopt;
  int64_t value = 1;
  for (int64_t i = 0; i < *exponent; ++i) {
    if (__builtin_mul_overflow(value, *base, &value)) return std::nullopt;
  }
  return value;
}

}  // namespace

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  const auto from_end = [](const Shape& s, size_t i) { return i < s.size() ? s[s.size() - 1 - i] : 1; };
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = from_end(a, i), y = from_end(b, i);
    if (x != y && x != 1 && y != 1)
      return invalid_input(fmt::format("shapes {} and {} do not broadcast: {} and {} along axis -{}", to_text(a),
                                       to_text(b), x, y, i + 1));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

int64_t element_count(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

std::string to_text(const Shape& shape) {
  std::vector<std::string> parts;
  for (const int64_t extent : shape) parts.push_back(fmt::format("{}", extent));
  return parts.empty() ? "1" : join(parts, "x");
}

Result<Shape> parse_shape(std::string_view text) {
  const std::string commas = replace_all(std::string(text), "x", ",");
  Shape out;
  int64_t count = 1;
  for (const std::string_view part : split(commas, ',')) {
    const auto extent = parse_extent(trim(part));
    if (!extent || *extent < 1 || __builtin_mul_overflow(count, *extent, &count))
      return usage_error(fmt::format("'{}' is not a shape; 4096x1024 or 2^26 is one", text));
    out.push_back(*extent);
  }
  if (count > int64_t{1} << 40) return usage_error(fmt::format("'{}' has more elements than any device holds", text));
  return out;
}

}  // namespace warplens::formula
