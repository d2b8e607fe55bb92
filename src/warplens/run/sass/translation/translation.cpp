#include "warplens/run/sass/translation/translation.h"

#include <sys/mman.h>

#include <cstring>

#include "warplens/run/sass/translation/translator.h"
#include "warplens/simt/lane_isa.h"

namespace warplens::simt::sass_machine {

bool Translation::write(bool whole, Code* out) const {
  Translator translator(ops_, zero_row_, whole, schedules_);
  const std::vector<uint8_t> bytes = translator.translate();
  void* at = mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  std::memcpy(at, bytes.data(), bytes.size());
  if (mprotect(at, bytes.size(), PROT_READ | PROT_EXEC) != 0) {  // forbidden here
    munmap(at, bytes.size());
    return false;
  }
  out->memory = static_cast<uint8_t*>(at);
  out->size_bytes = bytes.size();
  out->entries = std::move(translator.entries);
  return true;
}

std::unique_ptr<Translation> Translation::make(const std::vector<Op>& ops, uint32_t zero_row,
                                               const std::vector<Schedule>* schedules) {
  if (simt::lane_isa() != "avx512") return nullptr;
  std::unique_ptr<Translation> out(new Translation(ops, zero_row, schedules));
  return out->write(true, &out->whole_) ? std::move(out) : nullptr;
}

Translation::~Translation() {
  for (const Code* code : {&whole_, &some_}) {
    if (code->memory) munmap(code->memory, code->size_bytes);
  }
}

Translation::Arrival Translation::run(Warp& w, int32_t left) const {
  using Enter = uint64_t (*)(Warp*, const void* at, Reach*, uint64_t left, const Stop::Kind*);
  const Code* code = &whole_;
  if (w.active != kAll) {
    if (!has_some_.load(std::memory_order_acquire)) {
      std::call_once(once_, [this] { has_some_.store(write(false, &some_), std::memory_order_release); });
    }
    if (!has_some_.load(std::memory_order_acquire)) return {.pc = w.pc, .left = left};
    code = &some_;
  }
  const auto enter = reinterpret_cast<Enter>(code->memory);
  const uint64_t out = enter(&w, code->memory + code->entries[w.pc], w.block->reach.data(), static_cast<uint32_t>(left),
                             &w.block->stop.kind);
  return {.pc = static_cast<uint32_t>(out), .left = static_cast<int32_t>(out >> 32)};
}

}  // namespace warplens::simt::sass_machine
