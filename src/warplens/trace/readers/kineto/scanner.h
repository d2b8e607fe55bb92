// Scanning JSON text: the steps of the event parser. Text is read in place; it must be followed by kTextPadding zero
// bytes, at which every scan stops.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace warplens::kineto {

inline constexpr size_t kTextPadding = 64;

enum class ValueKind : uint8_t { kNone, kString, kNumber, kWord, kArray, kObject };

/// A JSON value, unparsed. For strings, `text` is the part between the quotes.
struct Value {
  std::string_view text;
  ValueKind kind = ValueKind::kNone;
  bool escaped = false;         // a string with a backslash in it
  uint8_t fraction_digits = 0;  // of a number that is `digits` / 10^fraction_digits
  bool exact = false;           // whether a number is so, with at most 18 digits and no exponent
  int64_t digits = 0;

  explicit operator bool() const { return kind != ValueKind::kNone; }
  /// With the quotes of a string.
  std::string_view raw() const {
    return kind == ValueKind::kString ? std::string_view(text.data() - 1, text.size() + 2) : text;
  }
};

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

#ifdef __SSE2__
inline __m128i load16(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline __m128i equal16(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }
#endif

inline const char* skip_space(const char* p) {
  if (!is_space(*p)) return p;
  if (!is_space(*++p)) return p;
#ifdef __SSE2__
  for (;; p += 16) {
    const __m128i b = load16(p);
    const __m128i space =
        _mm_or_si128(_mm_or_si128(equal16(b, ' '), equal16(b, '\n')), _mm_or_si128(equal16(b, '\r'), equal16(b, '\t')));
    const unsigned other = ~static_cast<unsigned>(_mm_movemask_epi8(space)) & 0xFFFFu;
    if (other != 0) return p + __builtin_ctz(other);
  }
#else
  while (is_space(*p)) ++p;
  return p;
#endif
}

/// The first quote, backslash or control character at or after `p`.
inline const char* find_string_stop(const char* p) {
#ifdef __SSE2__
  for (;; p += 16) {
    const __m128i b = load16(p);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(b, _mm_set1_epi8(0x1F)), b);
    const __m128i stop = _mm_or_si128(_mm_or_si128(equal16(b, '"'), equal16(b, '\\')), control);
    const unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#else
  while (*p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
  return p;
#endif
}

/// A scan that failed: `at` is the character that does not belong there (the end of the text when it is cut off).
struct Scan {
  const char* at;  // after the scanned text, or at the failure
  bool ok;
};

/// `p` is after the opening quote.
inline Scan scan_string(const char* p, Value& out) {
  const char* const begin = p;
  out.kind = ValueKind::kString;
  out.escaped = false;
  for (;;) {
    p = find_string_stop(p);
    if (*p == '"') {
      out.text = {begin, static_cast<size_t>(p - begin)};
      return {p + 1, true};
    }
    if (*p != '\\') return {p, false};
    out.escaped = true;
    const char c = p[1];
    if (c == '\0' || std::strchr("\"\\/bfnrtu", c) == nullptr) return {p + 1, false};
    p += 2;
    if (c == 'u') {
      for (int i = 0; i < 4; ++i, ++p) {
        const bool hex = (*p >= '0' && *p <= '9') || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f');
        if (!hex) return {p, false};
      }
    }
  }
}

inline uint64_t load8(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

/// Equality of short texts, without the call that memcmp is.
inline bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const char *p = a.data(), *q = b.data();
  size_t left = b.size();
  for (; left >= 8; left -= 8, p += 8, q += 8) {
    if (load8(p) != load8(q)) return false;
  }
  for (; left > 0; --left, ++p, ++q) {
    if (*p != *q) return false;
  }
  return true;
}

/// The rest of an array or object whose first bracket is at `p`.
Scan scan_nested(const char* p, Value& out);
/// A number, or a word such as true or null.
Scan scan_number(const char* p, Value& out);

/// Any value; `p` is at its first character.
inline Scan scan_value(const char* p, Value& out) {
  if (*p == '"') return scan_string(p + 1, out);
  if (*p == '[' || *p == '{') return scan_nested(p, out);
  return scan_number(p, out);
}

/// The next likely begin of an event at or after `p`. It is an opening brace with a comma, bracket or brace before it
/// and one of the keys of events after it. `end` if there is none.
const char* find_event_start(const char* begin, const char* p, const char* end);
/// The last place in (begin, end) where one event ends and the next begins, after the comma; nullptr if there is
/// none.
const char* find_last_boundary(const char* begin, const char* end);

/// The text of a JSON string, with escapes replaced.
std::string unescape(std::string_view text);

}  // namespace warplens::kineto
