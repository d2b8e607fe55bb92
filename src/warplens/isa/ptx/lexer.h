// PTX text to tokens, one at a time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "warplens/isa/ptx/module.h"

namespace warplens::ptx {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,       // identifiers: %r1, $L__BB0_2, add, _
  kDirective,  // .reg: text without the dot
  kInteger,    // value
  kFloat,      // value: bits as `immediate` says
  kString,     // text without the quotes, escapes left as they are
  kPunctuation,
  kBad,  // text describes the error
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Immediate immediate = Immediate::kInteger;
  Position position;
  std::string_view text;
  uint64_t value = 0;

  bool is(std::string_view punctuation) const { return kind == TokenKind::kPunctuation && text == punctuation; }
  bool is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text.size() == 1 && text[0] == punctuation;
  }
  bool is_directive(std::string_view name) const { return kind == TokenKind::kDirective && text == name; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) { advance(); }
  const Token& token() const { return token_; }
  void advance();
  /// True when a dot follows the current token without a space, as in %tid.x.
  bool dot_follows() const { return at_ < source_.size() && source_[at_] == '.'; }
  /// Makes the current word a whole mnemonic: takes the dotted suffixes that follow it.
  void extend_mnemonic();
  /// Everything up to the brace that closes one already open, comments included; the current token is then that brace.
  std::string_view raw_block();
  std::string_view source() const { return source_; }

 private:
  void skip_blanks();
  void take_number();
  void take_string();
  void take_punctuation();
  void finish(TokenKind kind, size_t begin);
  void bad(const char* what);

  std::string_view source_;
  size_t at_ = 0, line_begin_ = 0;
  uint32_t line_ = 1;
  Token token_;
};

/// "name:line:column: error: message", the line of the source and a caret under the column.
std::string describe(std::string_view source_name, std::string_view source, Position position,
                     std::string_view message);

}  // namespace warplens::ptx
