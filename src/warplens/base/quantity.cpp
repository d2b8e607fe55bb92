#include "warplens/base/quantity.h"

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "warplens/base/text.h"

namespace warplens {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 6e10}};
constexpr Unit kSizes[] = {{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
constexpr double kMost = 9.2e18;  // what an int64_t holds

struct Amount {
  double number = 0;
  std::string_view unit;
};

/// A number that is not negative, and what follows it.
std::optional<Amount> amount_of(std::string_view text) {
  text = trim(text);
  const size_t end = text.find_last_of("0123456789.");
  if (end == std::string_view::npos) return std::nullopt;
  const std::optional<double> number = parse_double(text.substr(0, end + 1));
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return Amount{*number, trim(text.substr(end + 1))};
}

std::optional<int64_t> scaled(const Amount& amount, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (amount.unit == unit.name && amount.number * unit.factor < kMost)
      return std::llround(amount.number * unit.factor);
  }
  return std::nullopt;
}

}  // namespace

Result<double> parse_percent(std::string_view text) {
  const std::optional<Amount> amount = amount_of(text);
  if (amount && (amount->unit.empty() || amount->unit == "%")) return amount->number / 100;
  return usage_error("give a percentage, 0 or more: 5% or 5");
}

Result<int64_t> parse_time_ns(std::string_view text) {
  const std::optional<Amount> amount = amount_of(text);
  if (amount && amount->unit.empty()) {
    if (amount->number == 0) return 0;
    return usage_error(fmt::format("a time needs its unit: {0}ns, {0}us, {0}ms or {0}s", trim(text)));
  }
  if (const auto ns = amount ? scaled(*amount, kTimes) : std::nullopt) return *ns;
  return usage_error("give a time with its unit: 800ns, 300us, 12.5ms, 2s or 1min");
}

Result<int64_t> parse_bytes(std::string_view text) {
  std::optional<Amount> amount = amount_of(text);
  if (amount && amount->unit.empty()) amount->unit = "B";
  const auto bytes = amount ? scaled(*amount, kSizes) : std::nullopt;
  if (bytes && (amount->unit != "B" || amount->number == std::floor(amount->number))) return *bytes;
  return usage_error("give bytes, or a size with its unit: 49152, 48KiB or 1.5MiB");
}

Result<std::pair<int64_t, int64_t>> parse_numbers(std::string_view text) {
  text = trim(text);
  const size_t dash = text.find('-', 1);
  const std::optional<int64_t> first = parse_int(trim(text.substr(0, dash)));
  const std::optional<int64_t> last = dash == std::string_view::npos ? first : parse_int(trim(text.substr(dash + 1)));
  if (!first || !last) return usage_error("give a number, or first-last: 3 or 3-5");
  if (*first > *last) return usage_error(fmt::format("the first must not pass the last: {}-{}", *last, *first));
  return std::pair{*first, *last};
}

Result<std::pair<int64_t, int64_t>> parse_times_ns(std::string_view text) {
  const std::vector<std::string_view> ends = split(text, '-');
  if (ends.size() != 2) return usage_error("give two times with their units: 10ms-12.5ms");
  WL_ASSIGN(const int64_t from_ns, parse_time_ns(ends[0]));
  WL_ASSIGN(const int64_t to_ns, parse_time_ns(ends[1]));
  if (from_ns >= to_ns) return usage_error("the first time must come before the second");
  return std::pair{from_ns, to_ns};
}

}  // namespace warplens
