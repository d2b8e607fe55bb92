#include "warplens/base/glob.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace warplens {
namespace {

/// The places at which `piece`, with ? for any character, ends in a text that is read from its beginning. Shift-And: 64
/// characters of the piece at a time.
class PieceSearch {
 public:
  explicit PieceSearch(std::string_view piece)
      : piece_(piece), words_((piece.size() + 63) / 64), found_(words_), masks_(words_ << 8) {
    for (size_t i = 0; i < piece.size(); ++i) {
      const uint64_t bit = uint64_t{1} << i % 64;
      for (size_t c = 0; c < 256; ++c) {
        if (piece[i] == '?' || piece[i] == static_cast<char>(c)) masks_[c * words_ + i / 64] |= bit;
      }
    }
  }
  /// True if the piece ends with the character `next`.
  bool ends_with(char next) {
    const uint64_t* mask = &masks_[static_cast<unsigned char>(next) * words_];
    uint64_t carry = 1;
    for (size_t word = 0; word < words_; ++word) {
      const uint64_t shifted = found_[word] << 1 | carry;
      carry = found_[word] >> 63;
      found_[word] = shifted & mask[word];
    }
    return found_[words_ - 1] >> (piece_.size() - 1) % 64 & 1;
  }

 private:
  std::string_view piece_;
  size_t words_;
  std::vector<uint64_t> found_, masks_;  // of the piece's beginnings that end here; of each character's places
};

/// Where the first match of `piece` in `text` ends; npos: nowhere.
size_t end_of_first(std::string_view text, std::string_view piece) {
  if (piece.find('?') == std::string_view::npos) {
    const void* found = ::memmem(text.data(), text.size(), piece.data(), piece.size());
    if (found == nullptr) return std::string_view::npos;
    return static_cast<size_t>(static_cast<const char*>(found) - text.data()) + piece.size();
  }
  PieceSearch search(piece);
  for (size_t at = 0; at < text.size(); ++at) {
    if (search.ends_with(text[at])) return at + 1;
  }
  return std::string_view::npos;
}

/// True if `text` is `piece`, with ? for any character.
bool is_piece(std::string_view text, std::string_view piece) {
  if (text.size() != piece.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (piece[i] != '?' && piece[i] != text[i]) return false;
  }
  return true;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  const size_t first = pattern.find('*');
  if (first == std::string_view::npos) return is_piece(text, pattern);
  const std::string_view head = pattern.substr(0, first), tail = pattern.substr(pattern.rfind('*') + 1);
  if (text.size() < head.size() + tail.size() || !is_piece(text.substr(0, head.size()), head) ||
      !is_piece(text.substr(text.size() - tail.size()), tail))
    return false;
  text = text.substr(head.size(), text.size() - head.size() - tail.size());
  pattern = pattern.substr(first + 1, pattern.size() - tail.size() - first - 1);
  while (!pattern.empty()) {  // pieces, each with a * behind it
    const std::string_view piece = pattern.substr(0, pattern.find('*'));
    const size_t end = end_of_first(text, piece);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end);
    pattern.remove_prefix(piece.size() + 1);
  }
  return true;
}

}  // namespace warplens
