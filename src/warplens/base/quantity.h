// Amounts as people write them on the command line and in files: one grammar for all.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

#include "warplens/base/status.h"

namespace warplens {

/// "5%", "5 %" or "5" as a fraction: 0.05. Errors: no number, a negative one.
Result<double> parse_percent(std::string_view text);

/// "20ms", "1.5 s", "300us", "2min" in nanoseconds. Errors: no unit (only 0 needs none), not a number, negative, more
/// than 292 years.
Result<int64_t> parse_time_ns(std::string_view text);

/// "4096" (bytes), "48KiB", "1.5 MiB", "2GiB". Errors: no number, a negative one, another unit.
Result<int64_t> parse_bytes(std::string_view text);

/// "3" or "3-5": first and last.
Result<std::pair<int64_t, int64_t>> parse_numbers(std::string_view text);

/// "10ms-12ms" in nanoseconds; the first must come before the second.
Result<std::pair<int64_t, int64_t>> parse_times_ns(std::string_view text);

}  // namespace warplens
