#include "warplens/run/sass/counting/undo.h"

#include <cstring>

namespace warplens::simt::sass_machine {

void Undo::keep(uint64_t begin, uint64_t size) {
  Saved& saved = saved_.emplace_back();
  saved.begin = begin;
  saved.size = size;
  std::memcpy(saved.bytes, reinterpret_cast<const void*>(begin), size);
}

void Undo::restore() const {
  for (const Saved& saved : saved_) std::memcpy(reinterpret_cast<void*>(saved.begin), saved.bytes, saved.size);
}

}  // namespace warplens::simt::sass_machine
