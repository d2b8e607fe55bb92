#include "warplens/trace/profile/strings.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "warplens/base/printable.h"

namespace warplens {
namespace {

constexpr size_t kFirstBlockBytes = size_t{4} << 10,
                 kMostBlockBytes = size_t{1} << 20;  // blocks double, so small profiles are small

/// Only printable ASCII; without an early end, so that many bytes are looked at together.
bool is_plain(std::string_view text) {
  bool other = false;
  for (const char c : text) other |= c < 0x20 || c == 0x7f;  // bytes of 0x80 and above are negative
  return !other;
}

}  // namespace

Strings::Strings() {
  rehash(1024);
  intern("");
}

size_t Strings::slot_of(std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>{}(text)&mask;
  while (slots_[slot] != 0 && texts_[slots_[slot] - 1] != text) slot = (slot + 1) & mask;
  return slot;
}

void Strings::rehash(size_t slots) {
  slots_.assign(slots, 0);
  for (size_t id = 0; id < texts_.size(); ++id) slots_[slot_of(texts_[id])] = static_cast<uint32_t>(id + 1);
}

std::string_view Strings::keep(std::string_view text) {
  if (text.size() > free_bytes_) {
    const size_t block =
        std::max(std::min(kFirstBlockBytes << std::min<size_t>(arena_.size(), 8), kMostBlockBytes), text.size());
    arena_.push_back(std::make_unique_for_overwrite<char[]>(block));
    free_ = arena_.back().get();
    free_bytes_ = block;
  }
  if (!text.empty()) std::memcpy(free_, text.data(), text.size());
  const std::string_view kept(free_, text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return kept;
}

StringId Strings::intern(std::string_view text) {
  const size_t slot = slot_of(text);
  if (slots_[slot] != 0) return StringId{slots_[slot] - 1};
  texts_.push_back(keep(text));
  slots_[slot] = static_cast<uint32_t>(texts_.size());
  if (texts_.size() * 2 > slots_.size()) rehash(slots_.size() * 2);
  return StringId{static_cast<uint32_t>(texts_.size() - 1)};
}

StringId Strings::find(std::string_view text) const {
  const uint32_t found = slots_[slot_of(text)];
  return found == 0 ? StringId::kEmpty : StringId{found - 1};
}

size_t Strings::make_printable() {
  bool changed = false;
  size_t shortened = 0;
  for (std::string_view& text : texts_) {
    const bool is_json = text.starts_with('[') || text.starts_with('{'),
               too_long = text.size() > kLongestName && !is_json;
    if (is_plain(text) && !too_long) continue;
    shortened += too_long;
    std::string shown(too_long ? text.substr(0, kLongestName) : text);
    if (is_json) {  // line breaks are blanks there
      std::ranges::replace_if(shown, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    }
    shown = printable(shown);
    if (shown == text) continue;
    text = keep(shown);
    changed = true;
  }
  if (changed) rehash(slots_.size());
  return shortened;
}

void Strings::adopt(const std::vector<std::string_view>& texts) {
  texts_.insert(texts_.end(), texts.begin(), texts.end());
  size_t slots = slots_.size();
  while (texts_.size() * 2 > slots) slots *= 2;
  rehash(slots);
}

}  // namespace warplens
