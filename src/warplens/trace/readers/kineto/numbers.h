// Numbers of a trace, exactly.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "warplens/trace/readers/kineto/scanner.h"
#include "warplens/trace/readers/latest_time.h"

namespace warplens::kineto {

/// Microseconds as decimal text (digits, fraction, exponent) to nanoseconds, rounded to the nearest; no value when
/// `text` is not a number or out of range. Never passes through a double.
std::optional<int64_t> parse_time_ns(std::string_view text);

/// No value also for a time beyond `kLatestNs`.
inline std::optional<int64_t> parse_time_ns(const Value& value) {
  const bool is_exact = value.exact && value.fraction_digits == 3;  // as kineto writes them
  const std::optional<int64_t> out = is_exact ? value.digits : parse_time_ns(value.text);
  return out && is_time(*out) ? out : std::nullopt;
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
