#include "warplens/base/json_fault.h"

#include <fmt/format.h>

#include <algorithm>

namespace warplens::json {
namespace {

constexpr size_t kDeepest = 1024;  // simdjson's limit

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::optional<Fault> run() {
    while (!fault_) {
      skip_spaces();
      if (at_ == text_.size()) {
        if (want_ != Want::kNext || !open_.empty()) fail(name_of(want_));
        break;
      }
      step(text_[at_]);
    }
    return fault_;
  }

 private:
  enum class Want { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kNext };

  std::string name_of(Want want) const {
    switch (want) {
      case Want::kValue: return "a value";
      case Want::kValueOrEnd: return "a value or ']'";
      case Want::kKey: return "a name in double quotes";
      case Want::kKeyOrEnd: return "a name in double quotes or '}'";
      case Want::kColon: return "a ':'";
      case Want::kNext: break;
    }
    return open_.empty() ? "nothing more" : open_.back() == '{' ? "a ',' or '}'" : "a ',' or ']'";
  }

  void fail(std::string wanted) { fault_ = Fault{at_, std::move(wanted)}; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  void step(char c) {
    if ((want_ == Want::kValueOrEnd && c == ']') || (want_ == Want::kKeyOrEnd && c == '}')) return close();
    if (want_ == Want::kNext) return next(c);
    if (want_ == Want::kColon) {
      if (c != ':') return fail(name_of(want_));
      ++at_;
      want_ = Want::kValue;
      return;
    }
    const bool key = want_ == Want::kKey || want_ == Want::kKeyOrEnd;
    if (key && c != '"') return fail(name_of(want_));
    if (key) {
      string();
      want_ = Want::kColon;
      return;
    }
    value(c);
  }

  void next(char c) {
    if (open_.empty()) return fail(name_of(want_));
    if (c == ',') {
      ++at_;
      want_ = open_.back() == '{' ? Want::kKey : Want::kValue;
    } else if (c == (open_.back() == '{' ? '}' : ']')) {
      close();
    } else {
      fail(name_of(want_));
    }
  }

  void close() {
    open_.pop_back();
    ++at_;
    want_ = Want::kNext;
  }

  void value(char c) {
    if (c == '{' || c == '[') {
      if (open_.size() == kDeepest) return fail("an end of the nesting, which is too deep");
      open_.push_back(c);
      ++at_;
      want_ = c == '{' ? Want::kKeyOrEnd : Want::kValueOrEnd;
      return;
    }
    if (c == '"') {
      string();
    } else if (c == '-' || is_digit(c)) {
      number();
    } else if (!word("true") && !word("false") && !word("null")) {
      return fail(name_of(want_));
    }
    want_ = Want::kNext;
  }

  bool word(std::string_view name) {
    if (!text_.substr(at_).starts_with(name)) return false;
    at_ += name.size();
    return true;
  }

  void string() {
    const size_t begin = at_++;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20)
        return fail("no line break or control character inside quotes");
      if (text_[at_] == '\\' && !escape())
        return fail("an escape of JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX");
    }
    if (at_ == text_.size()) {
      at_ = begin;
      return fail("a closing quote for this one");
    }
    ++at_;
  }

  /// Leaves `at_` on the last character of the escape.
  bool escape() {
    ++at_;
    if (peek() != 'u')
      return at_ < text_.size() && std::string_view("\"\\/bfnrt").find(peek()) != std::string_view::npos;
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
    if (digits.size() < 4 || !std::all_of(digits.begin(), digits.end(), is_hex)) return false;
    at_ += 4;
    return true;
  }

  void digits() {
    if (!is_digit(peek())) return fail("a digit");
    while (is_digit(peek())) ++at_;
  }

  void number() {
    if (peek() == '-') ++at_;
    if (peek() == '0') ++at_;
    else digits();
    if (!fault_ && peek() == '.') {
      ++at_;
      digits();
    }
    if (!fault_ && (peek() == 'e' || peek() == 'E')) {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  Want want_ = Want::kValue;
  std::string open_;  // the brackets that are open
  std::optional<Fault> fault_;
};

}  // namespace

std::optional<Fault> find_fault(std::string_view text) { return Checker(text).run(); }

std::string line_and_column(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, offset - start + 1);
}

}  // namespace warplens::json
