// Numbers of a trace, exactly.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "warplens/trace/readers/kineto/scanner.h"

namespace warplens::kineto {

/// Microseconds as decimal text (digits, fraction, exponent) to nanoseconds, rounded to the nearest; no value when
/// `text` is not a number or out of range. Never passes through a double.
std::optional<int64_t> parse_time_ns(std::string_view text);
inline std::optional<int64_t> parse_time_ns(const Value& value) {
  if (value.exact && value.fraction_digits == 3) return value.digits;  // as kineto writes them
  return parse_time_ns(value.text);
}

/// An integer from a number, from a string that holds one (also "0x..."), or from a fraction cut off; no value
/// otherwise.
std::optional<int64_t> parse_any_integer(const Value& value);
inline std::optional<int64_t> parse_integer(const Value& value) {
  if (value.exact && value.fraction_digits == 0) return value.digits;
  return parse_any_integer(value);
}
std::optional<double> parse_real(const Value& value);

/// The (up to three) integers of an array such as [97657, 1, 1]; missing ones are 1. False when it is not such array.
bool parse_extent(const Value& value, int32_t out[3]);

}  // namespace warplens::kineto
