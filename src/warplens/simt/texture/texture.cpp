#include "warplens/simt/texture/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "warplens/simt/lanes/half.h"

namespace warplens::simt {
namespace {

using Values = std::array<float, 4>;

uint32_t component_bits(const uint8_t* texel, const TexelFormat& format, uint32_t k) {
  uint32_t raw = 0;
  std::memcpy(&raw, texel + k * format.bits / 8, format.bits / 8);
  return raw;
}

int32_t signed_value(uint32_t raw, uint32_t bits) { return static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits); }

/// A component as the kernel gets it.
uint32_t converted(uint32_t raw, const TexelFormat& f, bool normalised_values) {
  if (f.kind == TexelFormat::Kind::kFloat) return f.bits == 16 ? std::bit_cast<uint32_t>(from_half(raw, false)) : raw;
  const bool is_signed = f.kind == TexelFormat::Kind::kSigned;
  if (!normalised_values || f.bits == 32) return is_signed ? static_cast<uint32_t>(signed_value(raw, f.bits)) : raw;
  const double most = is_signed ? std::exp2(f.bits - 1) - 1 : std::exp2(f.bits) - 1;
  const double value = is_signed ? std::max(signed_value(raw, f.bits) / most, -1.0) : raw / most;
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

/// Whether a component is an sRGB byte. Alpha is none, and of two components the second.
bool is_srgb(const Texture& texture, size_t component) {
  return texture.from_srgb && component < (texture.image.format.components == 4 ? 3u : 1u);
}
float intensity_of(uint32_t byte) {
  static constexpr std::array<uint16_t, 256> kIntensities{
#include "warplens/simt/texture/srgb.def"
  };
  constexpr float kUnit = 0x1p-14f;
  return kUnit * static_cast<float>(kIntensities[byte & 0xff]);
}

Texel texel_at(const Image& image, bool normalised_values, uint32_t x, uint32_t y, uint32_t plane) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(image.at + plane * image.plane_bytes + y * image.row_bytes +
                                                       uint64_t{x} * image.format.bytes());
  Texel out{};
  for (uint32_t k = 0; k < image.format.components; ++k)
    out[k] = converted(component_bits(bytes, image.format, k), image.format, normalised_values);
  return out;  // what the format lacks is 0 on an H100, alpha too
}

bool holds_integers(const TexelFormat& format) { return format.kind != TexelFormat::Kind::kFloat; }
double most_of(const TexelFormat& format, int bits) {
  return std::exp2(format.kind == TexelFormat::Kind::kSigned ? bits - 1 : bits) - 1;
}

/// The border's colour as the texture's format keeps it.
Texel border_of(const Texture& texture) {
  const TexelFormat& f = texture.image.format;
  const bool rounds = texture.normalised_values && holds_integers(f) && f.bits < 32;
  const bool is_signed = f.kind == TexelFormat::Kind::kSigned;
  const double most = most_of(f, f.bits);
  Values out{};
  for (uint32_t k = 0; k < f.components; ++k) {
    const float scaled = std::clamp(texture.border[k], is_signed ? -1.0f : 0.0f, 1.0f) * static_cast<float>(most);
    out[k] = rounds ? static_cast<float>(std::max(std::ceil(scaled - 0.5), -most) / most + 0.0) : texture.border[k];
  }
  return std::bit_cast<Texel>(out);
}

/// The texel that stands in for the one at `i` of `size`; negative: the border's colour.
int64_t resolve(int64_t i, int64_t size, TexelAddress beyond, bool normalised) {
  if (i >= 0 && i < size) return i;
  if (beyond == TexelAddress::kBorder) return -1;
  if (!normalised || beyond == TexelAddress::kClamp) return std::clamp<int64_t>(i, 0, size - 1);
  const int64_t period = beyond == TexelAddress::kMirror ? 2 * size : size;
  const int64_t within = ((i % period) + period) % period;
  return within < size ? within : period - 1 - within;
}

constexpr int kSteps = 256;  // of weights, which have 8 bits behind the point

/// Where a coordinate lies: the texel before it, and the weight of the next one in 256ths.
struct Tap {
  int64_t first = 0;
  int weight = 0;
};

Tap tap(float x, uint32_t size, bool normalised, bool linear) {
  const double texels = normalised ? static_cast<double>(x) * size : static_cast<double>(x);
  constexpr double kFar = 1e9;  // beyond any image; NaN goes to the first texel
  const double bounded = std::isnan(texels) ? 0 : std::clamp(texels, -kFar, kFar);
  if (!linear) return {static_cast<int64_t>(std::floor(bounded)), 0};
  const auto place = static_cast<int64_t>(std::floor((bounded - 0.5) * kSteps + 0.5));
  return {place >> 8, static_cast<int>(place & (kSteps - 1))};
}

/// A texture's level as a request sees it.
struct View {
  const Texture& texture;
  const Image& image;
  bool normalised;
};

/// The place of a texel that stands in for the one at `i`; nothing: the border's colour does.
std::optional<std::array<uint32_t, 3>> place_of(const View& view, const std::array<int64_t, 3>& i, bool volume,
                                                uint32_t plane) {
  const Image& image = view.image;
  const int64_t x = resolve(i[0], image.width, view.texture.beyond[0], view.normalised);
  const int64_t y = resolve(i[1], image.height, view.texture.beyond[1], view.normalised);
  const int64_t z = volume ? resolve(i[2], image.planes, view.texture.beyond[2], view.normalised) : plane;
  if (x < 0 || y < 0 || z < 0) return std::nullopt;
  return std::array{static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

Texel at_tap(const View& view, const std::array<int64_t, 3>& i, bool volume, uint32_t plane) {
  const auto place = place_of(view, i, volume, plane);
  if (!place) return border_of(view.texture);
  const auto at = [&](bool normalised_values) {
    return texel_at(view.image, normalised_values, (*place)[0], (*place)[1], (*place)[2]);
  };
  Texel out = at(view.texture.normalised_values);
  if (!view.texture.from_srgb) return out;
  const Texel bytes = at(false);
  for (size_t k = 0; k < out.size(); ++k)
    if (is_srgb(view.texture, k)) out[k] = std::bit_cast<uint32_t>(intensity_of(bytes[k]));
  return out;
}

/// Of the neighbours of the taps, `whole` 256ths in all. Depth, width and height split them one after another and
/// round, as an H100 does: halves go up, but those of the height go to the neighbour that is second in the width, too.
std::array<int, 8> corner_weights(int whole, const std::array<Tap, 3>& taps, uint32_t axes) {
  std::array<int, 8> out{whole};
  for (const uint32_t axis : {2u, 0u, 1u}) {
    if (axis >= axes) continue;
    for (uint32_t corner = 0; corner < out.size(); ++corner) {
      if ((corner >> axis & 1) != 0) continue;
      const int half = kSteps / 2 - (axis == 1 && (corner & 1) == 0 ? 1 : 0);
      const int second = (out[corner] * taps[axis].weight + half) / kSteps;
      out[corner | 1u << axis] = second;
      out[corner] -= second;
    }
  }
  return out;
}

bool gives_floats(const Texture& texture) {
  return texture.image.format.kind == TexelFormat::Kind::kFloat || texture.normalised_values;
}

/// A texel as filters mix it: floats, or integers where the format has them.
std::array<double, 4> unmixed(const View& view, const std::array<int64_t, 3>& i, bool volume, uint32_t plane) {
  const TexelFormat& format = view.image.format;
  const auto place = place_of(view, i, volume, plane);
  std::array<double, 4> out{};
  if (!place) {
    const auto border = std::bit_cast<Values>(border_of(view.texture));
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = holds_integers(format) && !is_srgb(view.texture, k)
                   ? std::round(double{border[k]} * most_of(format, format.bits))
                   : border[k];
    return out;
  }
  const Texel texel = texel_at(view.image, false, (*place)[0], (*place)[1], (*place)[2]);
  for (size_t k = 0; k < out.size(); ++k) {
    if (is_srgb(view.texture, k)) out[k] = intensity_of(texel[k]);
    else if (!holds_integers(format)) out[k] = std::bit_cast<float>(texel[k]);
    else if (format.kind == TexelFormat::Kind::kSigned) out[k] = static_cast<int32_t>(texel[k]);
    else out[k] = texel[k];
  }
  return out;
}

/// From the sum of texels that were multiplied by their weights. Integers leave a filter with 16 bits.
float filtered(double sum, const TexelFormat& format) {
  const double mean = sum / kSteps;
  if (holds_integers(format)) {
    constexpr int kBits = 16;
    const double most = most_of(format, kBits), value = std::floor(mean * (most / most_of(format, format.bits)) + 0.5);
    return static_cast<float>(std::max(value, -most) / most);
  }
  const auto value = static_cast<float>(mean);
  return format.bits == 16 ? from_half(to_half(value, false), false) : value;
}

using Sums = std::array<double, 4>;

/// Adds the taps' neighbours in `axes` dimensions, weighted by how near they are, `whole` 256ths in all.
void add_neighbours(const View& view, int whole, std::array<Tap, 3> taps, uint32_t axes, bool volume, uint32_t plane,
                    Sums* sum) {
  const std::array<uint32_t, 3> sizes{view.image.width, view.image.height, view.image.planes};
  for (uint32_t axis = 0; axis < axes; ++axis) {  // neighbours that are one texel are not weighed
    const auto at = [&](int64_t i) { return resolve(i, sizes[axis], view.texture.beyond[axis], view.normalised); };
    const bool wraps = view.normalised && view.texture.beyond[axis] == TexelAddress::kWrap;  // these are weighed
    if (!wraps && at(taps[axis].first) == at(taps[axis].first + 1)) taps[axis].weight = 0;
  }
  const std::array<int, 8> weights = corner_weights(whole, taps, axes);
  for (uint32_t corner = 0; corner < 1u << axes; ++corner) {
    if (weights[corner] == 0) continue;
    std::array<int64_t, 3> i{};
    for (uint32_t axis = 0; axis < axes; ++axis) i[axis] = taps[axis].first + (corner >> axis & 1);
    const std::array<double, 4> value = unmixed(view, i, volume, plane);
    for (size_t k = 0; k < sum->size(); ++k) (*sum)[k] += weights[corner] * value[k];
  }
}

/// The face of a cube that a direction meets, and where on it.
uint32_t cube_face(std::array<float, 3>* at) {
  const auto [x, y, z] = *at;
  const float ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  uint32_t face = 0;
  float s = 0, t = 0, major = 1;
  if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, major = ax, s = x >= 0 ? -z : z, t = -y;
  else if (ay >= az) face = y >= 0 ? 2 : 3, major = ay, s = x, t = y >= 0 ? z : -z;
  else face = z >= 0 ? 4 : 5, major = az, s = z >= 0 ? x : -x, t = -y;
  *at = {(s / major + 1) / 2, (t / major + 1) / 2, 0};
  return face;
}

bool is_cube(TextureShape shape) { return shape == TextureShape::kCube || shape == TextureShape::kLayeredCube; }

/// Where a request looks.
struct Spot {
  TextureShape shape;
  std::array<float, 3> at;
  uint32_t layer;
};

/// Of one level: the nearest texel, or with `sum`, adds `whole` 256ths of what the filter finds.
Texel look(const Texture& texture, const Image& image, Spot spot, int whole, Sums* sum) {
  constexpr uint32_t kFaces = 6;
  const bool volume = spot.shape == TextureShape::k3D;
  const bool flat = spot.shape == TextureShape::k1D || spot.shape == TextureShape::kLayered1D;
  const uint32_t axes = flat ? 1 : volume ? 3 : 2;
  View view{texture, image, texture.normalised};
  if (is_cube(spot.shape)) {
    spot.layer = (spot.shape == TextureShape::kCube ? 0 : kFaces * spot.layer) + cube_face(&spot.at);
    view.normalised = true;
  }
  const uint32_t plane = std::min(spot.layer, image.planes - 1);
  const auto tap_of = [&](size_t axis, uint32_t size) {
    return tap(spot.at[axis], size, view.normalised, texture.linear);
  };
  const std::array<Tap, 3> taps{tap_of(0, image.width), tap_of(1, image.height),
                                volume ? tap_of(2, image.planes) : Tap{}};
  if (sum == nullptr)
    return at_tap(view, {taps[0].first, flat ? 0 : taps[1].first, volume ? taps[2].first : 0}, volume, plane);
  add_neighbours(view, whole, taps, axes, volume, plane, sum);
  return {};
}

/// The larger of the levels that a request mixes, and the weight of the next one.
Tap level_tap(float level, size_t most, bool mixes) {
  const double last = static_cast<double>(most), bounded = level > 0 ? std::min<double>(level, last) : 0;
  if (!mixes) return {static_cast<int64_t>(std::floor(bounded + 0.5)), 0};
  const auto place = static_cast<int64_t>(std::floor(bounded * kSteps));
  return {place >> 8, static_cast<int>(place & (kSteps - 1))};
}

}  // namespace

Texel sample(const Texture& texture, TextureShape shape, std::array<float, 3> at, uint32_t layer, float level) {
  if (texture.image.is_linear_memory) return {};  // as on an H100
  const auto image = [&](size_t k) -> const Image& { return k == 0 ? texture.image : texture.smaller[k - 1]; };
  const float wanted = std::min(std::max(level + texture.level_bias, texture.least_level), texture.most_level);
  const Tap place = level_tap(wanted, texture.smaller.size(), texture.mixes_levels);
  const auto first = static_cast<size_t>(place.first);
  const Spot spot{shape, at, layer};
  const bool mixes = texture.linear || place.weight != 0;
  if (!mixes || !gives_floats(texture)) return look(texture, image(first), spot, kSteps, nullptr);
  Sums sum{};
  look(texture, image(first), spot, kSteps - place.weight, &sum);
  if (place.weight != 0) look(texture, image(first + 1), spot, place.weight, &sum);
  Values out{};
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = is_srgb(texture, k) ? static_cast<float>(sum[k] / kSteps) : filtered(sum[k], texture.image.format);
  return std::bit_cast<Texel>(out);
}

float level_of(const Texture& texture, std::array<float, 2> x_step, std::array<float, 2> y_step) {
  // An H200 finds lengths and the longer axis of the footprint so: 512 answers are within a 256th of a level.
  constexpr double kOfShorter = 11.0 / 32, kOfDiagonal = 11.0 / 16;
  const auto length = [&](double x, double y) {
    const double a = std::abs(x) * texture.image.width, b = std::abs(y) * texture.image.height;
    return std::max(a, b) + kOfShorter * std::min(a, b);
  };
  const double sides = std::max(length(x_step[0], x_step[1]), length(y_step[0], y_step[1]));
  const double diagonals = std::max(length(x_step[0] + y_step[0], x_step[1] + y_step[1]),
                                    length(x_step[0] - y_step[0], x_step[1] - y_step[1]));
  return static_cast<float>(std::log2(std::max(sides, kOfDiagonal * diagonals)));
}

Texel fetch(const Texture& texture, std::array<int32_t, 3> at) {
  const Image& image = texture.image;
  const auto inside = [](int32_t i, uint32_t size) { return i >= 0 && static_cast<uint32_t>(i) < size; };
  if (!inside(at[0], image.width) || !inside(at[1], image.height) || !inside(at[2], image.planes)) return {};
  return texel_at(image, texture.normalised_values, static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1]),
                  static_cast<uint32_t>(at[2]));
}

Texel gather(const Texture& texture, std::array<float, 3> at, uint32_t component) {
  if (texture.image.is_linear_memory) return {};
  const View view{texture, texture.image, texture.normalised};
  const auto tap_of = [&](size_t axis, uint32_t size) { return tap(at[axis], size, texture.normalised, true); };
  const Tap x = tap_of(0, view.image.width), y = tap_of(1, view.image.height);
  constexpr std::array<std::array<int, 2>, 4> kOrder{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  Texel out{};
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = at_tap(view, {x.first + kOrder[k][0], y.first + kOrder[k][1], 0}, false, 0)[component & 3];
  return out;
}

uint32_t TextureTable::add(const Texture& texture) {
  entries_.push_back({texture, true});
  return kFirst + static_cast<uint32_t>(entries_.size()) - 1;
}

bool TextureTable::remove(uint32_t number) {
  if (find(number) == nullptr) return false;
  entries_[number - kFirst].live = false;
  return true;
}

const Texture* TextureTable::find(uint32_t number) const {
  const bool known = number >= kFirst && number - kFirst < entries_.size();
  return known && entries_[number - kFirst].live ? &entries_[number - kFirst].texture : nullptr;
}

}  // namespace warplens::simt
