// Strings of one worker. They are interned once for the worker's life, and numbered afresh for each chunk of text, in
// the order in which the chunk uses them. So the profile's numbering depends neither on chunks nor on workers.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "warplens/trace/profile/strings.h"

namespace warplens::kineto {

/// The texts of an interner, with the merger's data about them.
struct TextPool {
  std::vector<std::unique_ptr<char[]>> blocks;
  std::vector<StringId> merged;  // by text number: its id in the profile, kEmpty if not merged yet; the merger's alone
};

struct UsedText {
  uint32_t number;  // in the pool
  std::string_view text;
};

class Interner {
 public:
  Interner();
  void start_chunk();
  /// The chunk's number for `text`; kEmpty for the empty text.
  StringId intern(std::string_view text);
  /// Texts the chunk has used, where entry i has the number i + 1.
  std::vector<UsedText>& used() { return used_; }
  const std::shared_ptr<TextPool>& pool() const { return pool_; }
  /// Texts that were not UTF-8 and have had the wrong bytes replaced.
  int64_t repaired() const { return repaired_; }

 private:
  struct Slot {
    uint32_t hash = 0, number_plus_1 = 0;
  };
  struct Text {
    std::string_view text;
    uint32_t chunk = 0, number_in_chunk = 0;
  };
  void reset();
  void grow();
  uint32_t add(std::string_view text);
  StringId use(uint32_t number);
  std::string_view keep(std::string_view text);

  std::shared_ptr<TextPool> pool_;
  std::vector<Slot> slots_;
  std::vector<Text> texts_;
  std::vector<UsedText> used_;
  char* free_ = nullptr;
  size_t free_bytes_ = 0, kept_bytes_ = 0;
  uint32_t chunk_ = 0;
  int64_t repaired_ = 0;
};

}  // namespace warplens::kineto
