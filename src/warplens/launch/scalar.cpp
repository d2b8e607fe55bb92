#include "warplens/launch/scalar.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/launch/dtype.h"

namespace warplens::launch {
namespace {

Result<DType> dtype_named(const std::string& name) {
  if (const std::optional<DType> dtype = find_dtype(name)) return *dtype;
  return invalid_input(fmt::format("no dtype '{}'; there are {}", name, dtype_names()));
}

std::vector<uint8_t> low_bytes(uint64_t bits, size_t count) {
  std::vector<uint8_t> bytes(count);
  std::memcpy(bytes.data(), &bits, count);
  return bytes;
}

/// `magnitude` with its sign, when it is in the range of the integer type.
Result<std::vector<uint8_t>> integer_bytes(const DTypeInfo& type, bool negative, uint64_t magnitude,
                                           std::string_view written) {
  const uint32_t bits = type.size_bytes * 8;
  const uint64_t most = type.is_signed ? (uint64_t{1} << (bits - 1)) - 1 + (negative ? 1 : 0)
                        : negative     ? 0
                                       : ~uint64_t{0} >> (64 - bits);
  if (magnitude > most) return invalid_input(fmt::format("{} does not fit {}", written, type.name));
  return low_bytes(negative ? ~magnitude + 1 : magnitude, type.size_bytes);
}

std::vector<uint8_t> float_bytes(DType dtype, double value) {
  std::vector<uint8_t> bytes(info(dtype).size_bytes);
  store(dtype, value, bytes.data());
  return bytes;
}

}  // namespace

Result<std::vector<uint8_t>> scalar_bytes(const std::string& name, const json::Value& value) {
  WL_ASSIGN(const DType dtype, dtype_named(name));
  const DTypeInfo& type = info(dtype);
  if (const std::string* text = value.string(); text != nullptr && type.is_float)
    return scalar_bytes(name, *text);  // "nan", "inf"
  const std::optional<double> number = value.number();
  if (!number) return invalid_input(fmt::format("{}: must be a number", name));
  if (type.is_float) return float_bytes(dtype, *number);
  if (const uint64_t* large = std::get_if<uint64_t>(&value.data))
    return integer_bytes(type, false, *large, fmt::format("{}", *large));
  const std::optional<int64_t> whole = value.integer();
  if (!whole) return invalid_input(fmt::format("{}: must be a whole number, not {}", name, *number));
  const uint64_t bits = static_cast<uint64_t>(*whole);
  return integer_bytes(type, *whole < 0, *whole < 0 ? ~bits + 1 : bits, fmt::format("{}", *whole));
}

Result<std::vector<uint8_t>> scalar_bytes(const std::string& name, std::string_view text) {
  WL_ASSIGN(const DType dtype, dtype_named(name));
  const DTypeInfo& type = info(dtype);
  if (type.is_float) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      return invalid_input(fmt::format("'{}' is not a number", text));
    return float_bytes(dtype, value);
  }
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hex ? 16 : 10);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return invalid_input(fmt::format("'{}' is not a whole number{}", text,
                                     error == std::errc::result_out_of_range ? " of 64 bits" : ""));
  return integer_bytes(type, negative, magnitude, text);
}

Result<std::vector<uint8_t>> parse_hex(std::string_view text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + std::min(i + 2, text.size()), byte, 16);
    if (error != std::errc() || end != text.data() + i + 2)
      return invalid_input(fmt::format("bytes: '{}' is not pairs of hexadecimal digits", text));
    bytes.push_back(byte);
  }
  if (bytes.empty()) return invalid_input("bytes: is empty");
  return bytes;
}

}  // namespace warplens::launch
