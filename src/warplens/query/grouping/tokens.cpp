#include "warplens/query/grouping/tokens.h"

#include <cctype>

#include "warplens/base/letter_case.h"

namespace warplens::query {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Behind spaces and comments.
size_t skip_space(std::string_view sql, size_t at) {
  while (at < sql.size()) {
    const std::string_view rest = sql.substr(at);
    if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
      ++at;
    } else if (rest.starts_with("--")) {
      const size_t end = sql.find('\n', at);
      at = end == std::string_view::npos ? sql.size() : end;
    } else if (rest.starts_with("/*")) {
      const size_t end = sql.find("*/", at + 2);
      at = end == std::string_view::npos ? sql.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

/// The text between quotes, doubled ones made single; `at` stands on the first and moves behind the last.
std::optional<std::string> quoted(std::string_view sql, size_t& at) {
  const char quote = sql[at];
  std::string out;
  for (++at; at < sql.size(); ++at) {
    if (sql[at] == quote) {
      if (at + 1 == sql.size() || sql[at + 1] != quote) return ++at, out;
      ++at;
    }
    out += sql[at];
  }
  return std::nullopt;
}

size_t end_of_number(std::string_view sql, size_t at) {
  while (at < sql.size() && (is_digit(sql[at]) || sql[at] == '.')) ++at;
  if (at < sql.size() && (sql[at] == 'e' || sql[at] == 'E')) {
    size_t digits = at + 1;
    if (digits < sql.size() && (sql[digits] == '+' || sql[digits] == '-')) ++digits;
    if (digits < sql.size() && is_digit(sql[digits]))
      for (at = digits; at < sql.size() && is_digit(sql[at]);) ++at;
  }
  return at;
}

size_t symbol_bytes(std::string_view rest) {
  for (const std::string_view two : {"<=", ">=", "<>", "!=", "==", "||"}) {
    if (rest.starts_with(two)) return 2;
  }
  return std::string_view("()*,;+-/%<>=.").find(rest[0]) != std::string_view::npos ? 1 : 0;
}

}  // namespace

std::optional<std::vector<Token>> tokens_of(std::string_view sql) {
  std::vector<Token> out;
  for (size_t at = skip_space(sql, 0); at < sql.size(); at = skip_space(sql, at)) {
    Token token{Token::Kind::kSymbol, {}, at, at};
    if (is_letter(sql[at])) {
      token.kind = Token::Kind::kWord;
      for (; at < sql.size() && (is_letter(sql[at]) || is_digit(sql[at])); ++at) token.text += lower(sql[at]);
      if (at < sql.size() && sql[at] == '\'') return std::nullopt;  // a blob
    } else if (sql[at] == '\'' || sql[at] == '"') {
      token.kind = sql[at] == '"' ? Token::Kind::kQuoted : Token::Kind::kText;
      auto text = quoted(sql, at);
      if (!text) return std::nullopt;
      token.text = std::move(*text);
    } else if (is_digit(sql[at])) {
      token.kind = Token::Kind::kNumber;
      const size_t end = end_of_number(sql, at);
      if (end < sql.size() && is_letter(sql[end])) return std::nullopt;
      token.text = std::string(sql.substr(at, end - at));
      at = end;
    } else {
      const size_t bytes = symbol_bytes(sql.substr(at));
      if (bytes == 0) return std::nullopt;
      token.text = std::string(sql.substr(at, bytes));
      at += bytes;
    }
    token.end = at;
    out.push_back(std::move(token));
  }
  return out;
}

}  // namespace warplens::query
