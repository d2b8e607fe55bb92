// Scalars as kernels get them: little-endian bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/status.h"

namespace warplens::launch {

/// The number `value` as `dtype` (its name). Errors: no such dtype, not a number, an integer out of range.
Result<std::vector<uint8_t>> scalar_bytes(const std::string& dtype, const json::Value& value);

/// As above, from text: "42", "-1", "0x10", "1e-5", "nan", "inf".
Result<std::vector<uint8_t>> scalar_bytes(const std::string& dtype, std::string_view text);

/// "00ff10" -> three bytes.
Result<std::vector<uint8_t>> parse_hex(std::string_view text);

}  // namespace warplens::launch
