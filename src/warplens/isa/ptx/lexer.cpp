#include "warplens/isa/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

#include "warplens/base/text.h"

namespace warplens::ptx {
namespace {

constexpr size_t kLongestWord = size_t{64} << 10;  // compilers' own reach some KiB
constexpr uint8_t kStart = 1, kInside = 2, kDigit = 4, kHex = 8;

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kStart | kInside;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kStart | kInside;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kInside | kDigit | kHex;
  for (int c : {'_', '$'}) classes[c] = kStart | kInside;
  for (int c = 'a'; c <= 'f'; ++c) classes[c] |= kHex;
  for (int c = 'A'; c <= 'F'; ++c) classes[c] |= kHex;
  return classes;
}();

bool is(char c, uint8_t what) { return (kClasses[static_cast<uint8_t>(c)] & what) != 0; }

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '\n') {
      ++line_;
      line_begin_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && source_.substr(at_, 2) == "//") {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (c == '/' && source_.substr(at_, 2) == "/*") {
      const size_t end = std::min(source_.find("*/", at_ + 2), source_.size());
      for (; at_ < end; ++at_) {
        if (source_[at_] == '\n') {
          ++line_;
          line_begin_ = at_ + 1;
        }
      }
      at_ = std::min(end + 2, source_.size());
    } else {
      return;
    }
  }
}

void Lexer::finish(TokenKind kind, size_t begin) {
  token_.kind = kind;
  token_.text = source_.substr(begin, at_ - begin);
}

void Lexer::bad(const char* what) {
  token_.kind = TokenKind::kBad;
  token_.text = what;
}

void Lexer::advance() {
  skip_blanks();
  token_.position = {line_, static_cast<uint32_t>(at_ - line_begin_ + 1)};
  if (at_ >= source_.size()) {
    token_.kind = TokenKind::kEnd;
    token_.text = {};
    return;
  }
  const char c = source_[at_];
  const char next = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
  const size_t begin = at_;
  if (is(c, kStart) || (c == '%' && is(next, kInside))) {
    do ++at_;
    while (at_ < source_.size() && is(source_[at_], kInside));
    if (at_ - begin > kLongestWord) bad("a name of more than 64 KiB");
    else finish(TokenKind::kWord, begin);
  } else if (is(c, kDigit) || (c == '.' && is(next, kDigit))) {
    take_number();
  } else if (c == '.' && is(next, kStart)) {
    ++at_;
    while (at_ < source_.size() && (is(source_[at_], kInside) || source_.substr(at_, 2) == "::")) {
      at_ += source_[at_] == ':' ? 2 : 1;
    }
    finish(TokenKind::kDirective, begin + 1);
  } else if (c == '"') {
    take_string();
  } else {
    take_punctuation();
  }
}

void Lexer::extend_mnemonic() {
  const size_t begin = token_.text.data() - source_.data();
  while (at_ + 1 < source_.size() && source_[at_] == '.' && is(source_[at_ + 1], kInside)) {
    ++at_;
    while (at_ < source_.size()) {
      if (is(source_[at_], kInside)) {
        ++at_;
      } else if (source_.substr(at_, 2) == "::" && at_ + 2 < source_.size() && is(source_[at_ + 2], kInside)) {
        at_ += 2;
      } else {
        break;
      }
    }
  }
  token_.text = source_.substr(begin, at_ - begin);
}

void Lexer::take_number() {
  const size_t begin = at_;
  const bool bits = source_[at_] == '0' && at_ + 1 < source_.size() && is(source_[at_ + 1], kStart);
  const auto in_exponent = [&] {
    return !bits && (source_[at_] == '+' || source_[at_] == '-') && (source_[at_ - 1] | 0x20) == 'e';
  };
  while (at_ < source_.size() && (is(source_[at_], kInside) || source_[at_] == '.' || in_exponent())) ++at_;
  finish(TokenKind::kInteger, begin);
  std::string_view digits = token_.text;
  token_.immediate = Immediate::kInteger;
  const char prefix = digits.size() > 1 && digits[0] == '0' ? static_cast<char>(digits[1] | 0x20) : '\0';
  int base = 10;
  if (prefix == 'f' || prefix == 'd') {
    const size_t wanted = prefix == 'f' ? 8 : 16;
    token_.kind = TokenKind::kFloat;
    token_.immediate = prefix == 'f' ? Immediate::kFloat32 : Immediate::kFloat64;
    if (digits.size() != wanted + 2) {
      return bad(prefix == 'f' ? "0f takes 8 hexadecimal digits" : "0d takes 16 hexadecimal digits");
    }
    digits.remove_prefix(2);
    base = 16;
  } else if (prefix == 'x' || prefix == 'b') {
    digits.remove_prefix(2);
    base = prefix == 'x' ? 16 : 2;
  } else if (digits.find_first_of(".eE") != std::string_view::npos) {
    const auto value = parse_double(digits);
    if (!value) return bad("this is not a number");
    token_.kind = TokenKind::kFloat;
    token_.immediate = Immediate::kFloat64;
    token_.value = std::bit_cast<uint64_t>(*value);
    return;
  } else if (is(prefix, kDigit)) {
    digits.remove_prefix(1);
    base = 8;
  }
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u') && token_.kind == TokenKind::kInteger) {
    digits.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token_.value, base);
  if (error == std::errc::result_out_of_range) return bad("the number does not fit 64 bits");
  if (error != std::errc() || end != digits.data() + digits.size()) bad("this is not a number");
}

void Lexer::take_string() {
  const size_t begin = ++at_;
  while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n') at_ += source_[at_] == '\\' ? 2 : 1;
  at_ = std::min(at_, source_.size());
  if (at_ >= source_.size() || source_[at_] != '"') return bad("the string has no end");
  finish(TokenKind::kString, begin);
  ++at_;
}

void Lexer::take_punctuation() {
  const std::string_view two = source_.substr(at_, 2);
  const size_t begin = at_;
  const bool pair = two == "<<" || two == ">>" || two == "&&" || two == "||" || two == "==" || two == "!=" ||
                    two == "<=" || two == ">=";
  at_ += pair ? 2 : 1;
  finish(TokenKind::kPunctuation, begin);
}

std::string_view Lexer::raw_block() {
  const size_t begin = token_.text.data() + token_.text.size() - source_.data();  // after the opening brace
  int depth = 1;
  size_t end = begin;
  for (; end < source_.size(); ++end) {
    if (source_.substr(end, 2) == "//") end = std::min(source_.find('\n', end), source_.size() - 1);
    depth += source_[end] == '{' ? 1 : source_[end] == '}' ? -1 : 0;
    if (depth == 0) break;
    if (source_[end] == '\n') {
      ++line_;
      line_begin_ = end + 1;
    }
  }
  at_ = end;
  advance();
  return source_.substr(begin, end - begin);
}

std::string describe(std::string_view source_name, std::string_view source, Position position,
                     std::string_view message) {
  size_t begin = 0;
  for (uint32_t line = 1; line < position.line; ++line) {
    const size_t newline = source.find('\n', begin);
    if (newline == std::string_view::npos) break;
    begin = newline + 1;
  }
  std::string_view line = source.substr(begin, std::min(source.find('\n', begin), source.size()) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  size_t column = std::min<size_t>(position.column > 0 ? position.column - 1 : 0, line.size());
  constexpr size_t kWidest = 160;  // of a line that is shown
  const size_t cut = column > kWidest - 20 ? column - 60 : 0;
  line = line.substr(cut, kWidest);
  std::string caret;
  for (char c : line.substr(0, column - cut)) caret += c == '\t' ? '\t' : ' ';
  return fmt::format("{}:{}:{}: error: {}\n{}\n{}^", source_name, position.line, position.column, message, line, caret);
}

}  // namespace warplens::ptx
