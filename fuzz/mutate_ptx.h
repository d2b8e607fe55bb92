// Changes PTX so that much of it still parses: words become other words of their kind, lines are moved and repeated.
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

/// A replacement for a word: a register, a part of a mnemonic with its dot, a number, or a name.
enum class WordKind : uint8_t { kRegister, kModifier, kNumber, kName };

struct Word {
  size_t at, size;
  WordKind kind;
};

inline constexpr auto kNumbers = std::to_array<std::string_view>({"0",
                                                                  "1",
                                                                  "-1",
                                                                  "2",
                                                                  "4",
                                                                  "8",
                                                                  "16",
                                                                  "31",
                                                                  "32",
                                                                  "33",
                                                                  "63",
                                                                  "64",
                                                                  "127",
                                                                  "128",
                                                                  "255",
                                                                  "256",
                                                                  "1024",
                                                                  "4096",
                                                                  "65535",
                                                                  "0x7fffffff",
                                                                  "0x80000000",
                                                                  "0xffffffff",
                                                                  "-2147483648",
                                                                  "0x7fffffffffffffff",
                                                                  "0x8000000000000000",
                                                                  "0xffffffffffffffff",
                                                                  "0f00000000",
                                                                  "0f80000000",
                                                                  "0f00000001",
                                                                  "0f3f800000",
                                                                  "0f7f7fffff",
                                                                  "0f7f800000",
                                                                  "0f7fffffff",
                                                                  "0d7ff0000000000000",
                                                                  "0d7ff8000000000000",
                                                                  "0d43e0000000000000",
                                                                  "1.5"});

inline constexpr auto kModifiers =
    std::to_array<std::string_view>({".u8",      ".s8",       ".b8",    ".u16",      ".s16",     ".b16",
                                     ".u32",     ".s32",      ".b32",   ".u64",      ".s64",     ".b64",
                                     ".b128",    ".f16",      ".bf16",  ".f16x2",    ".bf16x2",  ".tf32",
                                     ".f32",     ".f64",      ".pred",  ".v2",       ".v4",      ".v8",
                                     ".global",  ".shared",   ".local", ".param",    ".const",   ".shared::cluster",
                                     ".sync",    ".aligned",  ".rn",    ".rz",       ".rm",      ".rp",
                                     ".rna",     ".rni",      ".rzi",   ".ftz",      ".sat",     ".relu",
                                     ".approx",  ".lo",       ".hi",    ".wide",     ".cc",      ".eq",
                                     ".ne",      ".lt",       ".gt",    ".leu",      ".nan",     ".and",
                                     ".or",      ".xor",      ".add",   ".min",      ".max",     ".inc",
                                     ".dec",     ".cas",      ".exch",  ".volatile", ".relaxed", ".acquire",
                                     ".release", ".acq_rel",  ".cta",   ".cluster",  ".gpu",     ".sys",
                                     ".up",      ".down",     ".bfly",  ".idx",      ".all",     ".any",
                                     ".ballot",  ".x1",       ".x2",    ".x4",       ".trans",   ".m8n8",
                                     ".m16n8k8", ".m16n8k16", ".row",   ".col",      ".e4m3",    ".e5m2",
                                     ".e4m3x2",  ".noftz",    ".uni",   ".noinc",    ".to",      ".cg",
                                     ".ca",      ".nc"});

inline constexpr auto kStatements = std::to_array<std::string_view>({"ret;",
                                                                     "exit;",
                                                                     "trap;",
                                                                     "bar.sync 0;",
                                                                     "barrier.sync 1, 64;",
                                                                     "bar.arrive 0, 64;",
                                                                     "membar.gl;",
                                                                     "fence.acq_rel.gpu;",
                                                                     "cp.async.wait_all;",
                                                                     "cp.async.commit_group;",
                                                                     "wgmma.wait_group.sync.aligned 0;",
                                                                     "barrier.cluster.arrive;",
                                                                     "barrier.cluster.wait;",
                                                                     "bar.warp.sync 0xffffffff;",
                                                                     "bar.warp.sync 3;",
                                                                     "nanosleep.u32 100;",
                                                                     "activemask.b32 %r1;",
                                                                     "elect.sync _|%p1, 0xffffffff;",
                                                                     "mov.u32 %r1, %tid.x;",
                                                                     "mov.u32 %r2, %ctaid.x;",
                                                                     "mov.u64 %rd1, %clock64;",
                                                                     "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;",
                                                                     "vote.sync.ballot.b32 %r1, %p1, -1;",
                                                                     "@%p1 ret;",
                                                                     "@!%p1 exit;"});

inline bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == ':';
}

inline std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> out;
  for (size_t at = 0; at < text.size();) {
    const char first = text[at];
    size_t end = at + 1;
    while (end < text.size() && part_of_name(text[end])) ++end;
    if (first == '%') out.push_back({at, end - at, WordKind::kRegister});
    else if (first == '.') out.push_back({at, end - at, WordKind::kModifier});
    else if (std::isdigit(static_cast<unsigned char>(first))) out.push_back({at, end - at, WordKind::kNumber});
    else if (part_of_name(first)) out.push_back({at, end - at, WordKind::kName});
    else end = at + 1;
    at = end;
  }
  return out;
}

class PtxMutator {
 public:
  PtxMutator(std::string_view text, unsigned seed) : text_(text), random_(seed) {}

  std::string mutated() {
    for (uint32_t changes = 1 + pick(4); changes > 0; --changes) {
      const uint32_t choice = pick(10);
      if (choice < 6) replace_word();
      else change_lines(choice - 6);
    }
    return text_;
  }

  /// One to four lines of `other` put into the text.
  std::string crossed(std::string_view other) {
    const std::vector<Word> lines = lines_of(other), here = lines_of(text_);
    if (lines.empty() || here.empty()) return text_;
    const size_t first = pick(lines.size()), last = std::min(lines.size() - 1, first + pick(4));
    const size_t from = lines[first].at, to = lines[last].at + lines[last].size;
    text_.insert(here[pick(here.size())].at, std::string(other.substr(from, to - from)));
    return text_;
  }

 private:
  uint32_t pick(size_t below) { return below ? static_cast<uint32_t>(random_() % below) : 0; }

  static std::vector<Word> lines_of(std::string_view text) {
    std::vector<Word> out;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      out.push_back({at, end - at, WordKind::kName});
      at = end;
    }
    return out;
  }

  void replace_word() {
    const std::vector<Word> words = words_of(text_);
    if (words.empty()) return;
    const Word& old = words[pick(words.size())];
    std::string by;
    if (old.kind == WordKind::kNumber && pick(2)) by = kNumbers[pick(kNumbers.size())];
    else if (old.kind == WordKind::kModifier && pick(2)) by = kModifiers[pick(kModifiers.size())];
    for (int tries = 0; by.empty() && tries < 30; ++tries) {
      const Word& other = words[pick(words.size())];
      if (other.kind == old.kind) by = text_.substr(other.at, other.size);
    }
    if (old.kind == WordKind::kModifier && pick(8) == 0) by.clear();
    text_.replace(old.at, old.size, by);
  }

  void change_lines(uint32_t how) {
    const std::vector<Word> lines = lines_of(text_);
    if (lines.empty()) return;
    const Word from = lines[pick(lines.size())], to = lines[pick(lines.size())];
    const std::string line = text_.substr(from.at, from.size);
    if (how == 0) text_.insert(to.at, line);
    else if (how == 1) text_.erase(from.at, from.size);
    else if (how == 2) text_.insert(to.at, std::string(kStatements[pick(kStatements.size())]) + "\n");
    else text_.replace(to.at, to.size, line);
  }

  std::string text_;
  std::mt19937 random_;
};

}  // namespace fuzz

// libFuzzer's entry points, for the one source file of a target.

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzz::mutate<fuzz::PtxMutator>(data, size, most, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t most, unsigned seed) {
  return fuzz::put(fuzz::PtxMutator(fuzz::text_of(a, a_size), seed).crossed(fuzz::text_of(b, b_size)), out, most);
}
