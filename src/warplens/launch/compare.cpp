#include "warplens/launch/compare.h"

#include <cmath>
#include <limits>

#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

double error_of(double got, double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;  // infinities of one sign too
  const double error = std::fabs(got - want);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

std::string count_text(const char* what, uint64_t got, uint64_t want) {
  return got == want ? "" : fmt::format("; {} {} where {} should be", got, what, want);
}

}  // namespace

Comparison compare(DType dtype, std::span<const uint8_t> got, std::span<const uint8_t> want, double rtol, double atol) {
  Comparison result{.dtype = dtype, .rtol = rtol, .atol = atol, .shape_differs = got.size() != want.size()};
  const size_t size = info(dtype).size_bytes;
  result.count = got.size() / size;
  if (result.shape_differs) return result;
  for (uint64_t i = 0; i < result.count; ++i) {
    const double g = load(dtype, got.data() + i * size), w = load(dtype, want.data() + i * size);
    result.nan_got += std::isnan(g);
    result.nan_want += std::isnan(w);
    result.inf_got += std::isinf(g);
    result.inf_want += std::isinf(w);
    const double error = error_of(g, w);
    if (error > result.largest_error) {
      result.largest_error = error;
      result.at = i;
      result.got = g;
      result.want = w;
    }
    if (error == 0 || (std::isfinite(w) && error <= atol + rtol * std::fabs(w))) continue;
    if (result.wrong++ == 0) result.first_wrong = i;
  }
  return result;
}

std::string index_text(uint64_t index, const std::vector<uint64_t>& shape) {
  if (shape.size() < 2) return fmt::format("[{}]", index);
  std::string text = "]";
  for (size_t d = shape.size(); d-- > 0;) {
    const uint64_t size = std::max<uint64_t>(shape[d], 1);
    text = fmt::format("{}{}", index % size, text);
    text.insert(0, d == 0 ? "[" : ",");
    index /= size;
  }
  return text;
}

std::string Comparison::text() const {
  if (shape_differs) return fmt::format("{} against {}: not the same number of elements", name, against);
  const std::string where = fmt::format("{}{}: {} for {}", name, index_text(at, shape), got, want);
  const std::string nonfinite = count_text("NaN", nan_got, nan_want) + count_text("infinities", inf_got, inf_want);
  if (ok()) {
    if (largest_error == 0) return fmt::format("{} against {}: all {} elements equal", name, against, count);
    return fmt::format("{} against {}: fine; the largest error is {:.3g} (of {} elements), at {}", name, against,
                       largest_error, count, where);
  }
  return fmt::format(
      "{} against {}: {} of {} elements are wrong (rtol {:g}, atol {:g}); the worst is {} (error {:.3g}); the first is "
      "{}{}{}",
      name, against, wrong, count, rtol, atol, where, largest_error, name, index_text(first_wrong, shape), nonfinite);
}

Summary summarize(DType dtype, std::span<const uint8_t> bytes) {
  Summary result{.min = std::numeric_limits<double>::infinity(), .max = -std::numeric_limits<double>::infinity()};
  const size_t size = info(dtype).size_bytes;
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    const double v = load(dtype, bytes.data() + i);
    if (!std::isfinite(v)) {
      std::isnan(v) ? ++result.nan : ++result.inf;
      continue;
    }
    result.sum += v;
    result.sum_squares += v * v;
    result.min = std::min(result.min, v);
    result.max = std::max(result.max, v);
  }
  return result;
}

}  // namespace warplens::launch
