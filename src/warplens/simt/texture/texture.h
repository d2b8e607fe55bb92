// Textures and surfaces: images in device memory, and how coordinates become values. Rules: CUDA programming guide,
// "Texture fetching".
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

struct TexelFormat {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat } kind = Kind::kFloat;
  uint8_t components = 1;  // 1, 2 or 4
  uint8_t bits = 32;       // of each: 8, 16 or 32
  uint32_t bytes() const { return uint32_t{components} * bits / 8; }
};

/// Rows of texels. A layer, a face of a cube and a plane of a volume are all planes.
struct Image {
  Address at = 0;
  uint32_t width = 0, height = 1, planes = 1;  // in texels; height 1: of one dimension
  uint64_t row_bytes = 0, plane_bytes = 0;
  TexelFormat format;
  bool is_linear_memory = false;  // only whole coordinates name its texels
};

enum class TexelAddress : uint8_t { kWrap = 0, kClamp = 1, kMirror = 2, kBorder = 3 };  // as CUDA numbers them

struct Texture {
  Image image;                 // of a mipmapped array, the largest level
  std::vector<Image> smaller;  // its other levels, each half as large as the one before
  bool mixes_levels = false;   // two of them, else the nearest
  bool from_srgb = false;      // bytes become linear intensities; alpha is linear already
  float level_bias = 0, least_level = 0, most_level = 0;
  std::array<TexelAddress, 3> beyond{TexelAddress::kClamp, TexelAddress::kClamp, TexelAddress::kClamp};
  bool linear = false;             // filtered, else the nearest texel
  bool normalised = false;         // coordinates go from 0 to 1
  bool normalised_values = false;  // integers come as floats of 0..1 or -1..1
  std::array<float, 4> border{};
};

/// An instruction's request.
enum class TextureShape : uint8_t {
  k1D = 0,
  k2D = 1,
  k3D = 2,
  kCube = 3,
  kLayered1D = 4,
  kLayered2D = 5,
  kLayeredCube = 7
};

using Texel = std::array<uint32_t, 4>;  // floats, or integers, as the format has them

/// A value at coordinates x, y, z as `shape` has them; `layer` of layered ones; `level` of those with several.
Texel sample(const Texture& texture, TextureShape shape, std::array<float, 3> at, uint32_t layer, float level = 0);

/// The level that a step of one pixel asks for: `x_step` and `y_step` are the changes of the coordinates.
float level_of(const Texture& texture, std::array<float, 2> x_step, std::array<float, 2> y_step);

/// The texel at whole coordinates; zeros outside.
Texel fetch(const Texture& texture, std::array<int32_t, 3> at);
/// One component of the four texels that filtering at (x, y) would mix: lower left, lower right, upper right, upper
/// left.
Texel gather(const Texture& texture, std::array<float, 3> at, uint32_t component);

/// The textures and surfaces that kernels know by number, which is the low word of a CUDA object.
class TextureTable {
 public:
  uint32_t add(const Texture& texture);
  bool remove(uint32_t number);
  /// nullptr: there is none, or it was destroyed.
  const Texture* find(uint32_t number) const;

 private:
  struct Entry {
    Texture texture;
    bool live = false;
  };
  std::deque<Entry> entries_;  // by number - kFirst
  static constexpr uint32_t kFirst = 1;
};

}  // namespace warplens::simt
