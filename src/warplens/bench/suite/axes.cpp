#include "warplens/bench/suite/axes.h"

#include <algorithm>
#include <cctype>

#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

constexpr size_t kMostPoints = 10000, kMostValues = 1000;

class WholeNumberParser {
 public:
  WholeNumberParser(std::string_view text, const Point& point) : text_(text), point_(point) {}

  Result<int64_t> parse() {
    const int64_t value = sum();
    skip();
    if (error_.empty() && at_ < text_.size()) error_ = fmt::format("unexpected '{}'", text_.substr(at_));
    if (!error_.empty()) return usage_error(fmt::format("'{}': {}", text_, error_));
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  int64_t fail(const std::string& what) {
    if (error_.empty()) error_ = what;
    return 0;
  }
  template <typename Operation>
  int64_t checked(Operation operation, int64_t a, int64_t b) {
    int64_t out = 0;
    return operation(a, b, &out) ? fail("too large a number") : out;
  }

  int64_t sum() {
    int64_t value = product();
    while (error_.empty()) {
      if (eat("+"))
        value = checked([](auto a, auto b, auto* o) { return __builtin_add_overflow(a, b, o); }, value, product());
      else if (eat("-"))
        value = checked([](auto a, auto b, auto* o) { return __builtin_sub_overflow(a, b, o); }, value, product());
      else break;
    }
    return value;
  }

  int64_t product() {
    int64_t value = power();
    while (error_.empty()) {
      if (eat("*")) {
        value = checked([](auto a, auto b, auto* o) { return __builtin_mul_overflow(a, b, o); }, value, power());
      } else if (const bool up = eat("/^"); up || eat("/")) {
        const int64_t by = power();
        if (by <= 0) return fail("division by a number that is not positive");
        value = value / by + (up && value % by != 0);
      } else if (eat("%")) {
        const int64_t by = power();
        if (by <= 0) return fail("remainder of a number that is not positive");
        value %= by;
      } else {
        break;
      }
    }
    return value;
  }

  int64_t power() {
    const int64_t base = primary();
    if (!error_.empty() || !eat("^")) return base;
    const int64_t exponent = power();
    int64_t value = 1;
    if (exponent < 0 || exponent > 63) return fail("an exponent outside 0..63");
    for (int64_t i = 0; i < exponent && error_.empty(); ++i)
      value = checked([](auto a, auto b, auto* o) { return __builtin_mul_overflow(a, b, o); }, value, base);
    return value;
  }

  int64_t primary() {
    if (++depth_ > 100) return fail("nested too deeply");
    if (eat("(")) {
      const int64_t value = sum();
      if (!eat(")")) fail("expected )");
      --depth_;
      return value;
    }
    skip();
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    --depth_;
    if (const auto number = parse_int(word)) return *number;
    for (const auto& [name, value] : point_) {
      if (name == word) {
        if (const auto number = whole_number(value, {}); number.ok()) return *number;
        return fail(fmt::format("{} is '{}', no number", name, value));
      }
    }
    return fail(word.empty() ? "expected a number or an axis" : fmt::format("no axis '{}'", word));
  }

  std::string_view text_;
  const Point& point_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

/// "2^10:2^20:*4"
Result<std::vector<std::string>> range(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3 || parts[2].size() < 2 || (parts[2][0] != '*' && parts[2][0] != '+'))
    return usage_error(fmt::format("range '{}': write FROM:TO:*FACTOR or FROM:TO:+STEP", text));
  WL_ASSIGN(const int64_t from, whole_number(parts[0], {}));
  WL_ASSIGN(const int64_t to, whole_number(parts[1], {}));
  WL_ASSIGN(const int64_t step, whole_number(parts[2].substr(1), {}));
  const bool factor = parts[2][0] == '*';
  if (step < (factor ? 2 : 1) || (factor && from < 1))
    return usage_error(fmt::format("range '{}' does not grow", text));
  std::vector<std::string> out;
  for (int64_t value = from; value <= to && out.size() <= kMostValues;) {
    out.push_back(fmt::format("{}", value));
    if (factor ? __builtin_mul_overflow(value, step, &value) : __builtin_add_overflow(value, step, &value)) break;
  }
  if (out.empty() || out.size() > kMostValues)
    return usage_error(fmt::format("range '{}' has {} values", text, out.empty() ? "no" : "too many"));
  return out;
}

}  // namespace

Result<int64_t> whole_number(std::string_view expression, const Point& point) {
  return WholeNumberParser(expression, point).parse();
}

Result<Axis> parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return usage_error(fmt::format("--axis {}: NAME=VALUE,VALUE or NAME=FROM:TO:*FACTOR is wanted", text));
  if (text.find('=', equals + 1) != std::string::npos)
    return usage_error(fmt::format("--axis {}: one axis at a time; give --axis again for the next", text));
  Axis axis{text.substr(0, equals), {}};
  for (const std::string_view part : split(std::string_view(text).substr(equals + 1), ',')) {
    if (part.find(':') == std::string_view::npos) {
      axis.values.emplace_back(trim(part));
      continue;
    }
    Result<std::vector<std::string>> values = range(part);
    if (!values.ok()) return values.status().in("--axis " + text);
    axis.values.insert(axis.values.end(), values->begin(), values->end());
  }
  return axis;
}

Result<std::vector<Point>> points_of(const std::vector<Axis>& axes) {
  std::vector<Point> points = {{}};
  for (const Axis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().emplace_back(axis.name, value);
      }
    }
    points = std::move(longer);
    if (points.size() > kMostPoints) return usage_error(fmt::format("the axes make more than {} points", kMostPoints));
  }
  return points;
}

Result<std::string> filled_in(const std::string& text, const Point& point) {
  for (const auto& [name, value] : point) {
    if (contains(text, "$" + name) || contains(text, "$(" + name))
      return usage_error(
          fmt::format("'{}': an axis is written in braces, as in ${{{}}} or ${{{}/2}}", text, name, name));
  }
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find("${", at);
    out += text.substr(at, open - at);
    if (open == std::string::npos) break;
    const size_t close = text.find('}', open);
    if (close == std::string::npos) return usage_error(fmt::format("'{}': ${{ without }}", text));
    const std::string inside = text.substr(open + 2, close - open - 2);
    const auto same = [&](const auto& axis) { return axis.first == inside; };
    if (const auto found = std::find_if(point.begin(), point.end(), same); found != point.end()) {
      const Result<int64_t> number = whole_number(found->second, {});
      out += number.ok() ? fmt::format("{}", *number) : found->second;
    } else {
      WL_ASSIGN(const int64_t number, whole_number(inside, point));
      out += fmt::format("{}", number);
    }
    at = close + 1;
  }
  return out;
}

}  // namespace warplens::bench
