// SQL as a row of tokens: as much of its grammar as is needed to know a plain group-by.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::query {

struct Token {
  enum class Kind : uint8_t { kWord, kQuoted, kNumber, kText, kSymbol } kind;
  std::string text;   // words in lower case; quoted names and texts without their quotes
  size_t begin, end;  // bytes of the statement
};

/// No value if the text has anything else: parameters, blobs, brackets, an unterminated quote.
std::optional<std::vector<Token>> tokens_of(std::string_view sql);

}  // namespace warplens::query
