#include "warplens/query/grouping/plan.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/query/grouping/tokens.h"

namespace warplens::query {
namespace {

using Kind = Token::Kind;
using std::string_view_literals::operator""sv;

constexpr std::array kScalars = {"round"sv,  "abs"sv,    "coalesce"sv, "ifnull"sv, "nullif"sv, "iif"sv,    "cast"sv,
                                 "printf"sv, "format"sv, "substr"sv,   "upper"sv,  "lower"sv,  "length"sv, "replace"sv};
constexpr std::array kKeywords = {"as"sv,      "case"sv,  "when"sv,  "then"sv,  "else"sv,    "end"sv,    "and"sv,
                                  "or"sv,      "not"sv,   "null"sv,  "is"sv,    "in"sv,      "like"sv,   "glob"sv,
                                  "between"sv, "asc"sv,   "desc"sv,  "order"sv, "by"sv,      "having"sv, "limit"sv,
                                  "offset"sv,  "nulls"sv, "first"sv, "last"sv,  "integer"sv, "real"sv,   "text"sv};
constexpr std::array<std::pair<std::string_view, Aggregate>, 6> kAggregates = {{{"count", Aggregate::kCount},
                                                                                {"sum", Aggregate::kSum},
                                                                                {"total", Aggregate::kTotal},
                                                                                {"min", Aggregate::kMin},
                                                                                {"max", Aggregate::kMax},
                                                                                {"avg", Aggregate::kMean}}};

template <typename List>
bool has(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Planner {
 public:
  Planner(std::string_view sql, std::vector<Token> tokens, const Catalog& catalog)
      : sql_(sql), tokens_(std::move(tokens)), catalog_(catalog) {}

  std::optional<GroupingPlan> plan() {
    if (!tokens_.empty() && tokens_.back().text == ";" && tokens_.back().kind == Kind::kSymbol) tokens_.pop_back();
    if (!is_word(0, "select")) return std::nullopt;
    const size_t from = find_clause(1, {"from"});
    if (from + 1 >= tokens_.size() || !take_table(from + 1)) return std::nullopt;
    size_t at = from + 2;
    if (is_word(at, "where") && !take_conditions(++at)) return std::nullopt;
    collect_aliases(1, from);
    const bool groups = is_word(at, "group") && is_word(at + 1, "by");
    if (groups && !take_keys(at += 2, from)) return std::nullopt;
    const bool rest_known =
        at == tokens_.size() || is_word(at, "having") || is_word(at, "order") || is_word(at, "limit");
    if (!rest_known || !rewrite(1, from)) return std::nullopt;
    plan_.outer = "select" + outer_ + " from " + kGroupedTable;
    outer_.clear();
    if (!rewrite(at, tokens_.size()) || (!groups && plan_.calls.empty())) return std::nullopt;
    plan_.outer += outer_;
    return std::move(plan_);
  }

 private:
  bool is_word(size_t at, std::string_view word) const {
    return at < tokens_.size() && tokens_[at].kind == Kind::kWord && tokens_[at].text == word;
  }
  bool is_symbol(size_t at, std::string_view symbol) const {
    return at < tokens_.size() && tokens_[at].kind == Kind::kSymbol && tokens_[at].text == symbol;
  }
  bool is_name(size_t at) const {
    return at < tokens_.size() && (tokens_[at].kind == Kind::kWord || tokens_[at].kind == Kind::kQuoted);
  }

  size_t find_clause(size_t at, std::initializer_list<std::string_view> words) const {
    for (int depth = 0; at < tokens_.size(); ++at) {
      if (is_symbol(at, "(")) ++depth;
      else if (is_symbol(at, ")")) --depth;
      else if (depth == 0 && tokens_[at].kind == Kind::kWord && has(words, tokens_[at].text)) break;
    }
    return at;
  }

  bool take_table(size_t at) {
    if (!is_name(at)) return false;
    plan_.table = catalog_.find(tokens_[at].text);
    return plan_.table != nullptr && plan_.table->origin != Origin::kView;
  }

  std::optional<size_t> column(size_t at) const {
    if (!is_name(at)) return std::nullopt;
    const auto& columns = plan_.table->columns;
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const ColumnSource& c) { return c.name == tokens_[at].text; });
    if (found == columns.end()) return std::nullopt;
    return static_cast<size_t>(found - columns.begin());
  }

  /// `column op value [and ...]`; `at` moves behind them.
  bool take_conditions(size_t& at) {
    do {
      const std::optional<size_t> of = column(at);
      if (!of) return false;
      Condition condition{*of, Comparison::kIsNull};
      if (is_word(++at, "is")) {
        const bool negated = is_word(++at, "not");
        if (negated) condition.comparison = Comparison::kIsNotNull, ++at;
        if (!is_word(at++, "null")) return false;
      } else if (is_word(at, "between")) {
        condition.comparison = Comparison::kGreaterOrEqual;
        if (!take_value(++at, condition) || !is_word(at, "and")) return false;
        plan_.conditions.push_back(condition);
        condition = {*of, Comparison::kLessOrEqual};
        if (!take_value(++at, condition)) return false;
      } else if (!take_comparison(at, condition) || !take_value(++at, condition)) {
        return false;
      }
      plan_.conditions.push_back(condition);
    } while (is_word(at, "and") && ++at > 0);
    return true;
  }

  bool take_comparison(size_t at, Condition& condition) const {
    constexpr std::pair<std::string_view, Comparison> kKnown[] = {
        {"=", Comparison::kEqual},        {"==", Comparison::kEqual},  {"<", Comparison::kLess},
        {"<=", Comparison::kLessOrEqual}, {">", Comparison::kGreater}, {">=", Comparison::kGreaterOrEqual}};
    for (const auto& [symbol, comparison] : kKnown) {
      if (is_symbol(at, symbol)) return condition.comparison = comparison, true;
    }
    return false;
  }

  bool take_value(size_t& at, Condition& condition) const {
    const bool negative = is_symbol(at, "-");
    if (negative) ++at;
    if (at >= tokens_.size()) return false;
    const Token& token = tokens_[at++];
    if (token.kind == Kind::kText && !negative) {
      condition.kind = Value::Kind::kText, condition.text = token.text;
    } else if (token.kind != Kind::kNumber) {
      return false;
    } else if (const auto whole = parse_int(token.text)) {
      condition.kind = Value::Kind::kInteger, condition.integer = negative ? -*whole : *whole;
    } else if (const auto real = parse_double(token.text)) {
      condition.kind = Value::Kind::kReal, condition.real = negative ? -*real : *real;
    } else {
      return false;
    }
    return is_exact(plan_.table->columns[condition.column].type, condition.comparison, condition.kind);
  }

  void collect_aliases(size_t at, size_t end) {
    for (; at < end; ++at) {
      if (is_word(at, "as") && is_name(at + 1)) aliases_.push_back(tokens_[at + 1].text);
    }
  }

  /// The first token of select's item `number`, from 1, where that item is one token; else the end.
  size_t single_item(int64_t number, size_t from) const {
    size_t at = 1;
    for (int depth = 0; number > 1 && at < from; ++at) {
      if (is_symbol(at, "(")) ++depth;
      if (is_symbol(at, ")")) --depth;
      if (depth == 0 && is_symbol(at, ",")) --number;
    }
    return at + 1 == from || is_symbol(at + 1, ",") || is_word(at + 1, "as") ? at : tokens_.size();
  }

  bool take_keys(size_t& at, size_t from) {
    do {
      if (at >= tokens_.size()) return false;
      const std::optional<int64_t> number =
          tokens_[at].kind == Kind::kNumber ? parse_int(tokens_[at].text) : std::nullopt;
      const std::optional<size_t> of = number ? column(single_item(*number, from)) : column(at);
      if (!of || plan_.table->columns[*of].type == SqlType::kReal || has(aliases_, tokens_[at].text)) return false;
      plan_.keys.push_back(*of);
    } while (is_symbol(++at, ",") && ++at > 0);
    return true;
  }

  /// `name(column)` as a column of the grouped table; nothing where it is no call that is known.
  std::optional<std::string> aggregate_call(size_t at) {
    const auto known =
        std::find_if(kAggregates.begin(), kAggregates.end(), [&](const auto& a) { return is_word(at, a.first); });
    if (known == kAggregates.end() || !is_symbol(at + 3, ")")) return std::nullopt;
    AggregateCall call{known->second, kAllRows};
    if (!is_symbol(at + 2, "*")) {
      const std::optional<size_t> of = column(at + 2);
      if (!of || (call.aggregate != Aggregate::kCount && plan_.table->columns[*of].type == SqlType::kText))
        return std::nullopt;
      call.column = *of;
    } else if (call.aggregate != Aggregate::kCount) {
      return std::nullopt;
    }
    const auto seen = std::find(plan_.calls.begin(), plan_.calls.end(), call);
    const auto number = seen - plan_.calls.begin();
    if (seen == plan_.calls.end()) plan_.calls.push_back(call);
    return fmt::format("value{}", number);
  }

  /// The word at `at` as it stands in the outer statement; nothing where it means more than is known here.
  std::optional<std::string> name(size_t at) const {
    const std::string& text = tokens_[at].text;
    if (is_word(at - 1, "as")) return std::string(sql_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin));
    const std::optional<size_t> of = column(at);
    const auto key = of ? std::find(plan_.keys.begin(), plan_.keys.end(), *of) : plan_.keys.end();
    const bool alias = has(aliases_, text);
    if (alias && of) return std::nullopt;
    if (key != plan_.keys.end()) return fmt::format("key{}", key - plan_.keys.begin());
    if (of) return std::nullopt;  // a column that is neither a key nor inside an aggregate
    const bool known = tokens_[at].kind == Kind::kWord && (has(kKeywords, text) || has(kScalars, text));
    if (!alias && !known) return std::nullopt;
    return text == "having" ? "where"
                            : std::string(sql_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin));
  }

  bool rewrite(size_t at, size_t end) {
    for (; at < end; ++at) {
      const Token& token = tokens_[at];
      std::optional<std::string> text = std::string(sql_.substr(token.begin, token.end - token.begin));
      if (token.kind == Kind::kWord && is_symbol(at + 1, "(") && !has(kScalars, token.text) &&
          !has(kKeywords, token.text)) {
        text = aggregate_call(at);
        at += 3;
      } else if (is_name(at)) {
        text = name(at);
      } else if (token.kind == Kind::kSymbol && (token.text == "." || token.text == ";")) {
        text.reset();
      } else if (token.text == "*" && (at == 1 || is_symbol(at - 1, ","))) {
        text.reset();
      }
      if (!text) return false;
      outer_ += ' ' + *text;
    }
    return true;
  }

  std::string_view sql_;
  std::vector<Token> tokens_;
  const Catalog& catalog_;
  GroupingPlan plan_;
  std::vector<std::string> aliases_;
  std::string outer_;
};

}  // namespace

std::optional<GroupingPlan> plan_grouping(std::string_view sql, const Catalog& catalog) {
  std::optional<std::vector<Token>> tokens = tokens_of(sql);
  if (!tokens) return std::nullopt;
  return Planner(sql, std::move(*tokens), catalog).plan();
}

}  // namespace warplens::query
