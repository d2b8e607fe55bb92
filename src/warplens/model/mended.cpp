#include "warplens/model/mended.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "warplens/model/work_fields.h"

namespace warplens::model {
namespace {

/// Counts as numbers, in the order of their fields.
class Numbers {
 public:
  template <typename T>
  void operator()(const char*, T& value) {
    if constexpr (std::is_arithmetic_v<T>) all.push_back(static_cast<double>(value));
    else fields(*this, value);
  }
  std::vector<double> all;
};

/// The other way round.
class Setter {
 public:
  explicit Setter(const std::vector<double>& values) : values_(values) {}
  template <typename T>
  void operator()(const char*, T& value) {
    if constexpr (std::is_arithmetic_v<T>) value = static_cast<T>(values_[next_++]);
    else fields(*this, value);
  }

 private:
  const std::vector<double>& values_;
  size_t next_ = 0;
};

std::vector<double> numbers_of(Work work) {
  Numbers numbers;
  fields(numbers, work);
  return numbers.all;
}

double change_of_both(double first, double second) {
  if (first * second < 0) return first + second;
  return std::abs(first) > std::abs(second) ? first : second;
}

}  // namespace

Work with_both(const Work& now, const Work& first, const Work& second) {
  std::vector<double> values = numbers_of(now);
  const std::vector<double> a = numbers_of(first), b = numbers_of(second);
  for (size_t k = 0; k < values.size(); ++k) values[k] += change_of_both(a[k] - values[k], b[k] - values[k]);
  Work out = now;
  Setter setter(values);
  fields(setter, out);
  return out;
}

}  // namespace warplens::model
