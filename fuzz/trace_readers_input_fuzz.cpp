// The decompressors: gzip and Zstandard, damaged or not; members of gzip with right checksums, and what follows them.
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <vector>

#include "mutate.h"
#include "warplens/trace/readers/input/byte_source.h"

namespace {

class Bytes final : public warplens::ByteSource {
 public:
  Bytes(const uint8_t* data, size_t size) : left_(reinterpret_cast<const char*>(data), size) {}
  size_t read(char* to, size_t size) override {
    const size_t n = left_.copy(to, size);
    left_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view left_;
};

constexpr uint8_t kHeader[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};  // of a member without a name
constexpr size_t kTrailer = 8, kMostInflated = 64 << 10;

/// Gives each member that inflates its checksum and size, so that the next one is read. A member's header may stand in
/// front of anything.
void repair(uint8_t* data, size_t size) {
  static std::vector<uint8_t> inflated(kMostInflated);
  for (size_t at = 0; size - at > sizeof kHeader + kTrailer;) {
    std::memcpy(data + at, kHeader, sizeof kHeader);
    inflate_state state;
    isal_inflate_init(&state);
    state.next_in = data + at + sizeof kHeader;
    state.avail_in = static_cast<uint32_t>(size - at - sizeof kHeader);
    state.next_out = inflated.data();
    state.avail_out = kMostInflated;
    if (isal_inflate(&state) != ISAL_DECOMP_OK || state.block_state != ISAL_BLOCK_FINISH) return;
    const size_t end = size - state.avail_in;
    if (state.avail_in < kTrailer) return;
    const uint32_t sums[] = {crc32_gzip_refl(0, inflated.data(), state.total_out), state.total_out};
    std::memcpy(data + end, sums, kTrailer);
    at = end + kTrailer;
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  const size_t changed = LLVMFuzzerMutate(data, size, most);
  if (seed % 2) repair(data, changed);
  return changed;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBytes = size_t{256} << 10;  // small inputs can stand for gigabytes
  char buffer[4096];
  for (const bool gzip : {true, false}) {
    auto below = std::make_unique<Bytes>(data, size);
    const auto source = gzip ? warplens::inflate_gzip(std::move(below)) : warplens::inflate_zstd(std::move(below));
    size_t total = 0;
    for (size_t n; total < kMostBytes && (n = source->read(buffer, sizeof buffer)) > 0;) total += n;
    if (source->read(buffer, 0) != 0) __builtin_trap();
  }
  return 0;
}
