// Fat binaries: read or refused, each image unpacked or refused.
#include "mutate.h"
#include "warplens/isa/fatbin/fatbin.h"

namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr size_t kContainerHeader = 16, kImageHeader = 64;

/// One container of images whose sizes fit, so that what was changed in them is read.
void repair(uint8_t* data, size_t size) {
  if (size < kContainerHeader + kImageHeader) return;
  const auto put = [&](size_t at, auto value) { std::memcpy(data + at, &value, sizeof value); };
  put(0, kMagic);
  put(6, uint16_t{kContainerHeader});
  put(8, uint64_t{size - kContainerHeader});
  for (size_t at = kContainerHeader; at < size;) {
    const size_t rest = size - at - kImageHeader;
    uint64_t payload = 0;
    std::memcpy(&payload, data + at + 8, sizeof payload);
    payload = std::min<uint64_t>(payload % (1 << 16), rest);
    if (rest - payload < kImageHeader) payload = rest;  // no other image fits behind it
    put(at + 4, uint32_t{kImageHeader});
    put(at + 8, payload);
    at += kImageHeader + payload;
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  const size_t changed = LLVMFuzzerMutate(data, size, most);
  if (seed % 4 != 0) repair(data, changed);
  return changed;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto images = warplens::fatbin::images_of_file({reinterpret_cast<const char*>(data), size});
  if (!images.ok()) return 0;
  for (const warplens::fatbin::Image& image : *images) {
    if (image.unpacked_bytes < 1 << 18) (void)warplens::fatbin::unpack(image).ok();
  }
  return 0;
}
