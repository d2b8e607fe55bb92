// Fat binaries: read or refused, each image unpacked or refused.
#include <cstdint>

#include "warplens/isa/fatbin/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto images = warplens::fatbin::images_of_file({reinterpret_cast<const char*>(data), size});
  if (!images.ok()) return 0;
  for (const warplens::fatbin::Image& image : *images) {
    if (image.unpacked_bytes < 1 << 24) (void)warplens::fatbin::unpack(image).ok();
  }
  return 0;
}
