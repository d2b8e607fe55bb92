// Changes JSON so that much of it still parses: numbers become other numbers, texts other texts, lines move.
#pragma once
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "mutate.h"

namespace fuzz {

inline constexpr auto kJsonNumbers = std::to_array<std::string_view>({"0",
                                                                      "1",
                                                                      "-1",
                                                                      "2",
                                                                      "3",
                                                                      "7",
                                                                      "32",
                                                                      "255",
                                                                      "256",
                                                                      "1024",
                                                                      "65536",
                                                                      "2147483647",
                                                                      "2147483648",
                                                                      "-2147483649",
                                                                      "4294967295",
                                                                      "4294967296",
                                                                      "9223372036854775807",
                                                                      "9223372036854775808",
                                                                      "-9223372036854775808",
                                                                      "18446744073709551615",
                                                                      "18446744073709551616",
                                                                      "0.5",
                                                                      "-0.0",
                                                                      "1e-9",
                                                                      "1e18",
                                                                      "1e300",
                                                                      "1e999",
                                                                      "0.001"});

class JsonMutator {
 public:
  JsonMutator(std::string_view text, unsigned seed) : text_(text), random_(seed) {}

  std::string mutated() {
    for (uint32_t changes = 1 + pick(4); changes > 0; --changes) {
      if (pick(4)) replace_token();
      else change_lines();
    }
    return text_;
  }

 private:
  struct Token {
    size_t at, size;
    bool number;
  };

  size_t pick(size_t below) { return below ? random_() % below : 0; }

  std::vector<Token> tokens() const {
    std::vector<Token> out;
    for (size_t at = 0; at < text_.size();) {
      size_t end = at + 1;
      if (text_[at] == '"') {
        while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        end = std::min(end + 1, text_.size());
        out.push_back({at, end - at, false});
      } else if (text_[at] == '-' || std::isdigit(static_cast<unsigned char>(text_[at]))) {
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '.')) ++end;
        out.push_back({at, end - at, true});
      }
      at = end;
    }
    return out;
  }

  void replace_token() {
    const std::vector<Token> all = tokens();
    if (all.empty()) return;
    const Token old = all[pick(all.size())];
    for (int tries = 0; tries < 30; ++tries) {
      const Token by = all[pick(all.size())];
      if (by.number != old.number && pick(20)) continue;
      const bool fresh = old.number && pick(2);
      const std::string_view number = kJsonNumbers[pick(kJsonNumbers.size())];
      text_.replace(old.at, old.size, fresh ? std::string(number) : text_.substr(by.at, by.size));
      return;
    }
  }

  /// Events stand on lines of their own, mostly.
  void change_lines() {
    std::vector<size_t> starts = {0};
    for (size_t at = 0; (at = text_.find('\n', at)) != std::string::npos;) starts.push_back(++at);
    starts.push_back(text_.size());
    const size_t from = pick(starts.size() - 1), to = pick(starts.size() - 1);
    const size_t end = std::min(from + 1 + pick(20), starts.size() - 1);
    const std::string lines = text_.substr(starts[from], starts[end] - starts[from]);
    if (pick(3)) text_.insert(starts[to], lines);
    else text_.erase(starts[from], lines.size());
  }

  std::string text_;
  std::mt19937 random_;
};

}  // namespace fuzz

// libFuzzer's entry points, for the one source file of a target.

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzz::mutate<fuzz::JsonMutator>(data, size, most, seed);
}
