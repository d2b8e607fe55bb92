#include "warplens/trace/readers/kineto/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace warplens::kineto {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// digits * 10^exponent, rounded half away from zero; no value when it does not fit.
std::optional<int64_t> scaled(uint64_t digits, int exponent, bool negative) {
  constexpr uint64_t kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  for (; exponent > 0 && digits != 0; --exponent) {
    if (digits > kMax / 10) return std::nullopt;
    digits *= 10;
  }
  if (exponent < -19) digits = 0;
  if (exponent < 0 && digits != 0) {
    uint64_t divisor = 1;
    for (; exponent < 0; ++exponent) divisor *= 10;
    digits = digits / divisor + (digits % divisor >= divisor - digits % divisor);
  }
  if (digits > kMax) return std::nullopt;
  return negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
}

/// `text` * 10^shift as an integer.
std::optional<int64_t> parse_scaled(std::string_view text, int shift) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  uint64_t digits = 0;
  int exponent = shift, seen = 0;
  bool point = false;
  for (; p < end && (is_digit(*p) || (*p == '.' && !point)); ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    ++seen;
    if (digits < 1'000'000'000'000'000'000) {  // a further digit still fits
      digits = digits * 10 + static_cast<uint64_t>(*p - '0');
      exponent -= point;
    } else {
      exponent += !point;
    }
  }
  if (seen == 0) return std::nullopt;
  if (p < end && (*p | 0x20) == 'e') {
    int power = 0;
    if (++p < end && *p == '+') ++p;
    const auto [stop, error] = std::from_chars(p, end, power);
    if (error != std::errc() || std::abs(power) > 1000) return std::nullopt;
    p = stop;
    exponent += power;
  }
  if (p != end) return std::nullopt;
  return scaled(digits, exponent, negative);
}

}  // namespace

std::optional<int64_t> parse_time_ns(std::string_view text) { return parse_scaled(text, 3); }

std::optional<int64_t> parse_any_integer(const Value& value) {
  if (value.kind != ValueKind::kNumber && value.kind != ValueKind::kString) return std::nullopt;
  int64_t number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error == std::errc() && stop == end && !value.text.empty()) return number;
  if (value.text.starts_with("0x")) {
    uint64_t bits = 0;
    const auto [hex_stop, hex_error] = std::from_chars(value.text.data() + 2, end, bits, 16);
    if (hex_error == std::errc() && hex_stop == end) return static_cast<int64_t>(bits);
    return std::nullopt;
  }
  uint64_t bits = 0;  // addresses above 2^63
  const auto [big_stop, big_error] = std::from_chars(value.text.data(), end, bits);
  if (big_error == std::errc() && big_stop == end) return static_cast<int64_t>(bits);
  return parse_scaled(value.text, 0);
}

std::optional<double> parse_real(const Value& value) {
  if (value.kind != ValueKind::kNumber && value.kind != ValueKind::kString) return std::nullopt;
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool parse_extent(const Value& value, int32_t out[3]) {
  out[0] = out[1] = out[2] = 1;
  if (value.kind != ValueKind::kArray) return false;
  const char* p = value.text.data() + 1;
  const char* const end = value.text.data() + value.text.size();
  for (int i = 0; i < 3; ++i) {
    while (p < end && (is_space(*p) || *p == ',')) ++p;
    const auto [stop, error] = std::from_chars(p, end, out[i]);
    if (error != std::errc()) return i > 0 && *p == ']';
    p = stop;
  }
  return true;
}

}  // namespace warplens::kineto
