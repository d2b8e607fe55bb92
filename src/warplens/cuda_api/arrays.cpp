#include "warplens/cuda_api/arrays.h"

#include <algorithm>
#include <array>

namespace warplens::cuda_api {

Array* find_array(Runtime& runtime, void* handle) {
  const auto found = runtime.arrays.find(static_cast<Array*>(handle));
  return found != runtime.arrays.end() ? found->first : nullptr;
}

ArrayPlace place_in(const Array& array, size_t x_bytes, size_t y, size_t z) {
  const simt::Image& image = array.image;
  auto* at = reinterpret_cast<char*>(image.at) + z * image.plane_bytes + y * image.row_bytes + x_bytes;
  return {{at, image.row_bytes}, image.plane_bytes, image.format.bytes()};
}

bool holds(const Array& array, size_t x_bytes, size_t y, size_t z, size_t width_bytes, size_t rows, size_t planes) {
  const simt::Image& image = array.image;
  const auto within = [](size_t first, size_t count, size_t size) { return first <= size && count <= size - first; };
  return within(x_bytes, width_bytes, image.row_bytes) && within(y, rows, image.height) &&
         within(z, planes, image.planes);
}

bool format_of(const ChannelDescription& channels, simt::TexelFormat* format) {
  const std::array<int, 4> bits{channels.x, channels.y, channels.z, channels.w};
  const auto count = static_cast<size_t>(std::ranges::find(bits, 0) - bits.begin());
  const bool even =
      std::all_of(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(count), [&](int b) { return b == bits[0]; });
  const bool known = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
  constexpr int kLastKind = 2;
  if (!even || !known || count == 3 || channels.kind < 0 || channels.kind > kLastKind) return false;
  format->kind = static_cast<simt::TexelFormat::Kind>(channels.kind);
  format->components = static_cast<uint8_t>(count);
  format->bits = static_cast<uint8_t>(bits[0]);
  return format->kind != simt::TexelFormat::Kind::kFloat || format->bits != 8;
}

}  // namespace warplens::cuda_api
