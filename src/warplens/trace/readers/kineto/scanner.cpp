#include "warplens/trace/readers/kineto/scanner.h"

#include <algorithm>

#include "warplens/base/utf8.h"

namespace warplens::kineto {
namespace {

constexpr int kMaxDepth = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool ends_value(char c) { return c == ',' || c == '}' || c == ']' || is_space(c) || c == '\0'; }

bool is_event_key(std::string_view key) {
  for (const std::string_view known :
       {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "s", "tts", "cname"}) {
    if (key == known) return true;
  }
  return false;
}

bool opens_event(const char* brace, const char* end) {
  const char* p = brace + 1;
  while (p < end && is_space(*p)) ++p;
  if (p >= end || *p != '"') return false;
  const char* key = ++p;
  while (p < end && p - key < 8 && *p != '"') ++p;
  if (p >= end || *p != '"' || !is_event_key({key, static_cast<size_t>(p - key)})) return false;
  for (++p; p < end && is_space(*p);) ++p;
  return p < end && *p == ':';
}

/// The last character before `p` that is no space; '\0' at the beginning.
const char* previous(const char* begin, const char* p) {
  while (p > begin && is_space(p[-1])) --p;
  return p > begin ? p - 1 : nullptr;
}

uint32_t hex4(std::string_view text) {
  uint32_t value = 0;
  for (const char c : text.substr(0, 4))
    value = value << 4 | static_cast<uint32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  return value;
}

/// true, false, null, and the NaN and Infinity of some writers, with or without a sign.
Scan scan_word(const char* p, Value& out) {
  const char* const begin = p;
  p += *p == '-';
  const char* const first = p;
  while ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') ++p;
  const std::string_view word(first, static_cast<size_t>(p - first));
  const auto words = {"null", "true", "false", "NaN", "nan", "Infinity", "inf"};
  if (*p != '\0' && std::none_of(words.begin(), words.end(), [&](std::string_view w) { return w == word; }))
    return {begin, false};
  out.kind = ValueKind::kWord;
  out.escaped = false;
  out.text = {begin, static_cast<size_t>(p - begin)};
  return {p, ends_value(*p) && *p != '\0'};
}

#ifdef __SSE2__
constexpr size_t kStep = 16;

/// Which of the next kStep bytes are quotes, backslashes, brackets, braces or control characters, as bits.
unsigned find_structure(const char* p) {
  const __m128i b = load16(p);
  const __m128i folded = _mm_or_si128(b, _mm_set1_epi8(0x20));  // [ ] become { }
  const __m128i brackets = _mm_or_si128(equal16(folded, '{'), equal16(folded, '}'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(b, _mm_set1_epi8(0x1F)), b);
  const __m128i other = _mm_or_si128(_mm_or_si128(equal16(b, '"'), equal16(b, '\\')), control);
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(brackets, other)));
}
#else
constexpr size_t kStep = 1;

unsigned find_structure(const char* p) {
  const char c = *p;
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || (c | 0x20) == '{' || (c | 0x20) == '}';
}
#endif

/// scan_nested for values with escapes in their strings, character by character from the beginning.
Scan scan_nested_slowly(const char* p, Value& out) {
  const char* const begin = p;
  uint64_t objects = 0;
  int depth = 0;
  for (;; ++p) {
    if (*p == '"') {
      Value inner;
      const Scan string = scan_string(p + 1, inner);
      if (!string.ok) return string;
      p = string.at - 1;
    } else if (*p == '[' || *p == '{') {
      if (++depth > kMaxDepth) return {p, false};
      objects = objects << 1 | (*p == '{');
    } else if (*p == ']' || *p == '}') {
      if ((objects & 1) != (*p == '}')) return {p, false};
      objects >>= 1;
      if (--depth == 0) break;
    } else if (*p == '\\' || (static_cast<unsigned char>(*p) < 0x20 && !is_space(*p))) {
      return {p, false};
    }
  }
  out.text = {begin, static_cast<size_t>(p + 1 - begin)};
  return {p + 1, true};
}

}  // namespace

Scan scan_nested(const char* p, Value& out) {
  const char* const begin = p;
  uint64_t objects = 0;  // one bit a level: 1 for an object
  int depth = 0;
  bool in_string = false;
  out.kind = *p == '[' ? ValueKind::kArray : ValueKind::kObject;
  out.escaped = false;
  for (;; p += kStep) {
    for (unsigned mask = find_structure(p); mask != 0; mask &= mask - 1) {
      const char* const at = p + __builtin_ctz(mask);
      const char c = *at;
      if (c == '"') {
        in_string = !in_string;
      } else if (in_string) {
        if (c == '\\') return scan_nested_slowly(begin, out);
        if (static_cast<unsigned char>(c) < 0x20) return {at, false};
      } else if (c == '[' || c == '{') {
        if (++depth > kMaxDepth) return {at, false};
        objects = objects << 1 | (c == '{');
      } else if (c == ']' || c == '}') {
        if ((objects & 1) != (c == '}')) return {at, false};
        objects >>= 1;
        if (--depth == 0) {
          out.text = {begin, static_cast<size_t>(at + 1 - begin)};
          return {at + 1, true};
        }
      } else if (!is_space(c)) {
        return {at, false};  // a backslash or control character, or the end of the text
      }
    }
  }
}

Scan scan_number(const char* p, Value& out) {
  const char* const begin = p;
  const bool negative = *p == '-';
  p += negative;
  const char* const first = p;
  uint64_t digits = 0;
  for (; is_digit(*p); ++p) digits = digits * 10 + static_cast<uint64_t>(*p - '0');
  if (p == first) return scan_word(begin, out);
  const char* const point = p;
  if (*p == '.') {
    for (++p; is_digit(*p); ++p) digits = digits * 10 + static_cast<uint64_t>(*p - '0');
  }
  out.kind = ValueKind::kNumber;
  out.escaped = false;
  out.fraction_digits = static_cast<uint8_t>(p == point ? 0 : p - point - 1);
  out.exact = p - first <= 18;
  out.digits = !out.exact ? 0 : negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
  if ((*p | 0x20) == 'e') {
    out.exact = false;
    if (*++p == '+' || *p == '-') ++p;
    const char* const power = p;
    while (is_digit(*p)) ++p;
    if (p == power) return {p, false};
  }
  out.text = {begin, static_cast<size_t>(p - begin)};
  return {p, ends_value(*p) && *p != '\0'};
}

const char* find_event_start(const char* begin, const char* p, const char* end) {
  while (p < end && (p = static_cast<const char*>(std::memchr(p, '{', static_cast<size_t>(end - p)))) != nullptr) {
    const char* before = previous(begin, p);
    const bool after_event = before == nullptr || *before == ',' || *before == '[' || *before == '}';
    if (after_event && opens_event(p, end)) return p;
    ++p;
  }
  return end;
}

const char* find_last_boundary(const char* begin, const char* end) {
  for (const char* p = end; p > begin;) {
    p = static_cast<const char*>(::memrchr(begin, '{', static_cast<size_t>(p - begin)));
    if (p == nullptr) return nullptr;
    const char* comma = previous(begin, p);
    if (comma == nullptr || *comma != ',') continue;
    const char* brace = previous(begin, comma);
    if (brace != nullptr && *brace == '}' && opens_event(p, end)) return comma + 1;
  }
  return nullptr;
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    switch (c) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        uint32_t code = hex4(text.substr(i + 1));
        i += 4;
        const std::string_view low = text.substr(std::min(i + 1, text.size()));
        if (code >= 0xD800 && code < 0xDC00 && low.starts_with("\\u") && low.size() >= 6) {
          const uint32_t second = hex4(low.substr(2));
          if (second >= 0xDC00 && second < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
            i += 6;
          }
        }
        append_utf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
        break;
      }
      default: out += c;
    }
  }
  return out;
}

}  // namespace warplens::kineto
