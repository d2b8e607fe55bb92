#include "warplens/counters/ncu/units.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"

namespace warplens::counters::ncu {
namespace {

constexpr std::string_view kPrefixes = "KMGT";
constexpr std::string_view kCounted[] = {"byte", "inst", "sector", "request", "cycle", "warp", "thread", "block", "hz"};

/// Of times in nanoseconds; 0 where `text` is none.
double nanoseconds(std::string_view text) {
  if (text == "ns" || text == "nsecond") return 1;
  if (text == "us" || text == "usecond") return 1e3;
  if (text == "ms" || text == "msecond") return 1e6;
  return text == "s" || text == "second" ? 1e9 : 0;
}

Unit part_of(std::string_view text) {
  if (const double ns = nanoseconds(text); ns > 0) return {ns, "ns"};
  if (text.empty() || kPrefixes.find(text.front()) == std::string_view::npos) return {1, std::string(text)};
  const std::string_view rest = text.substr(1);
  if (!rest.empty() && std::ranges::find(kCounted, rest) == std::end(kCounted)) return {1, std::string(text)};
  return {std::pow(1000.0, static_cast<double>(kPrefixes.find(text.front()) + 1)), std::string(rest)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The separators of a number: points, commas, and other groupings of thousands (spaces of any kind, apostrophes).
struct Separators {
  size_t points = 0, commas = 0;
  bool grouped = false;
  char last = 0;
  size_t behind_last = 0;
};

Separators separators_of(std::string_view cell) {
  Separators out;
  bool between = false;  // another character came after a digit
  for (const char c : cell) {
    if (c == '.' || c == ',') {
      (c == '.' ? out.points : out.commas)++;
      out.last = c;
      out.behind_last = 0;
    } else if (is_digit(c)) {
      out.grouped |= between;
      ++out.behind_last;
    } else if (c == 'e' || c == 'E' || c == '(') {
      break;
    } else {
      between = out.behind_last > 0;
    }
  }
  return out;
}

}  // namespace

Unit unit_of(std::string_view text) {
  const size_t slash = text.find('/');
  Unit out = part_of(text.substr(0, slash));
  if (slash == std::string_view::npos) return out;
  const Unit below = part_of(text.substr(slash + 1));
  if (below.base == "ns") return {out.factor / below.factor * 1e9, out.base + "/s"};
  return {out.factor / below.factor, out.base + "/" + below.base};
}

NumberStyle style_of(const std::vector<std::string_view>& cells) {
  int64_t point = 0, comma = 0;  // votes for the decimal separator
  for (const std::string_view cell : cells) {
    const Separators s = separators_of(cell);
    if (s.last == 0) continue;
    int64_t& mine = s.last == '.' ? point : comma;
    int64_t& other = s.last == '.' ? comma : point;
    const size_t of_last = s.last == '.' ? s.points : s.commas;
    if ((s.points > 0 && s.commas > 0) || s.grouped) ++mine;  // the last of two kinds
    else if (of_last > 1) ++other;                            // thousands alone come more than once
    else if (s.behind_last != 3) ++mine;
  }
  return {comma > point ? ',' : '.'};
}

std::optional<double> number_of(std::string_view cell, NumberStyle style) {
  cell = trim(cell);
  if (const size_t instances = cell.find(" ("); instances != std::string_view::npos) cell = cell.substr(0, instances);
  if (cell.empty() ||
      !(is_digit(cell.front()) || cell.front() == '-' || cell.front() == '+' || cell.front() == style.decimal))
    return std::nullopt;
  std::string plain;
  for (const char c : cell) {
    if (c == style.decimal) plain += '.';
    else if (is_digit(c) || c == '-' || c == '+' || c == 'e' || c == 'E') plain += c;
    else if (c != '.' && c != ',' && c != '\'' && c != ' ' && (static_cast<unsigned char>(c) < 0x80))
      return std::nullopt;
  }
  const std::optional<double> value = parse_double(plain);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace warplens::counters::ncu
