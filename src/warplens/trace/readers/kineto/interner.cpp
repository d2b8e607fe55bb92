#include "warplens/trace/readers/kineto/interner.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"

namespace warplens::kineto {
namespace {

constexpr size_t kFirstSlots = 64;  // they double when half are taken
constexpr size_t kFirstBlockBytes = size_t{4} << 10, kMostBlockBytes = size_t{256} << 10;  // blocks double
constexpr size_t kMaxPoolBytes = size_t{64}
                                 << 20;  // beyond it the worker starts over, for traces whose texts never repeat

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t load(const char* p, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, p, bytes);
  return value;
}

/// In the manner of wyhash: 16 bytes a multiplication.
uint32_t hash_of(std::string_view text) {
  const char* p = text.data();
  size_t left = text.size();
  uint64_t hash = 0x9E3779B97F4A7C15u ^ left;
  for (; left > 16; p += 16, left -= 16) hash = mix(load(p, 8) ^ 0xA0761D6478BD642Fu, load(p + 8, 8) ^ hash);
  const uint64_t low = left >= 8 ? load(p, 8) : load(p, left);
  const uint64_t high = left >= 8 ? load(p + left - 8, 8) : 0;
  hash = mix(low ^ 0xE7037ED1A0B428DBu, high ^ hash);
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

}  // namespace

Interner::Interner() { reset(); }

void Interner::reset() {
  pool_ = std::make_shared<TextPool>();
  slots_.assign(kFirstSlots, {});
  texts_.clear();
  free_bytes_ = kept_bytes_ = 0;
}

void Interner::start_chunk() {
  if (kept_bytes_ > kMaxPoolBytes) reset();
  used_.clear();
  ++chunk_;
}

StringId Interner::intern(std::string_view text) {
  if (text.empty()) return StringId::kEmpty;
  const uint32_t hash = hash_of(text);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot].number_plus_1 != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].hash == hash && texts_[slots_[slot].number_plus_1 - 1].text == text)
      return use(slots_[slot].number_plus_1 - 1);
  }
  if (!is_utf8(text)) {
    ++repaired_;
    return intern(repair_utf8(text));
  }
  const uint32_t number = add(text);
  slots_[slot] = {hash, number + 1};
  if (texts_.size() * 2 > slots_.size()) grow();
  return use(number);
}

StringId Interner::use(uint32_t number) {
  Text& text = texts_[number];
  if (text.chunk != chunk_) {
    used_.push_back({number, text.text});
    text.chunk = chunk_;
    text.number_in_chunk = static_cast<uint32_t>(used_.size());
  }
  return StringId{text.number_in_chunk};
}

uint32_t Interner::add(std::string_view text) {
  texts_.push_back({keep(text)});
  return static_cast<uint32_t>(texts_.size() - 1);
}

void Interner::grow() {
  std::vector<Slot> bigger(slots_.size() * 2);
  for (const Slot& old : slots_) {
    if (old.number_plus_1 == 0) continue;
    size_t slot = old.hash & (bigger.size() - 1);
    while (bigger[slot].number_plus_1 != 0) slot = (slot + 1) & (bigger.size() - 1);
    bigger[slot] = old;
  }
  slots_.swap(bigger);
}

std::string_view Interner::keep(std::string_view text) {
  if (text.size() > free_bytes_) {
    const size_t block =
        std::max(std::min(kFirstBlockBytes << std::min<size_t>(pool_->blocks.size(), 6), kMostBlockBytes), text.size());
    pool_->blocks.push_back(std::make_unique_for_overwrite<char[]>(block));
    free_ = pool_->blocks.back().get();
    free_bytes_ = block;
    kept_bytes_ += block;
  }
  std::memcpy(free_, text.data(), text.size());
  const std::string_view kept(free_, text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return kept;
}

}  // namespace warplens::kineto
