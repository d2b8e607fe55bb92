// Textures and surfaces, lane by lane. Of textures with several levels, requests that give the level run.
#include "warplens/simt/texture/texture.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {
namespace {

// Where instructions have things.
constexpr int kSecondTargetAt = 64, kMaskAt = 72, kLevelAt = 87, kShapeAt = 61, kUniformAt = 40, kOffsetAt = 40,
              kBankAt = 54, kScalarsAt = 60;
constexpr uint32_t kFirstGroupAt = 4;  // of Op::mode, behind the mask of components

bool is_surface(Opcode opcode) {
  return opcode == Opcode::kSuld || opcode == Opcode::kSuldBound || opcode == Opcode::kSust ||
         opcode == Opcode::kSustBound;
}

/// The register or constant that holds the object's number.
bool prepare_object(Decoder& d, Op& op, int bound_at) {
  const Word& w = op.word;
  if (bound_at >= 0) op.c = d.source(w.bits(bound_at, 8));
  else if (w.form() == 7) op.c = d.uniform(w.bits(kUniformAt, 6));
  else if (w.form() == 5) op.c = d.constant(w.bits(kBankAt, 5), 4 * w.bits(kOffsetAt, 14));
  else return false;
  return true;
}

const Texture* object_of(Warp& w, const Op& op, uint32_t lane) {
  const TextureTable* table = w.block->run->launch->textures;
  const uint32_t number = w.in(op.c)[lane];
  const Texture* found = table != nullptr ? table->find(number) : nullptr;
  if (found == nullptr) {
    w.stopped_lane = lane;
    w.block->fail(Stop::Kind::kIllegalAddress,
                  fmt::format("{} of object {}, which is not a texture or surface, or was destroyed",
                              is_surface(op.opcode) ? "an access" : "a fetch", number));
  }
  return found;
}

/// All of the image counts as read or written where a texel of it is: caches keep textures by tiles.
void note(Warp& w, const Image& image, uint64_t at, uint32_t bytes, bool store) {
  const Run& run = *w.block->run;
  if (run.find(image.at, 1, &w.block->allocation) != nullptr) note_copy(w, at, bytes, store);
}

/// The components that the mask names go to the target's pair, then to the second one's.
void put(Warp& w, const Op& op, uint32_t lane, const Texel& texel) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < texel.size(); ++k) {
    if ((op.mode >> k & 1) == 0) continue;
    uint32_t* row = w.row(count < 2 ? op.target + count : op.d.row + count - 2);
    row[lane] = texel[k];
    ++count;
  }
}

using Coordinates = std::array<uint32_t, 5>;  // the level may be the last of them

Coordinates coordinates(Warp& w, const Op& op, uint32_t lane) {
  Coordinates out;
  for (uint32_t k = 0; k < out.size(); ++k) {
    const uint32_t first = op.mode >> kFirstGroupAt;  // 0: all are in one group
    const bool second = first != 0 && k >= first;
    out[k] = w.in(second ? op.b : op.a)[(second ? k - first : k) * kLanes + lane];
  }
  return out;
}

/// Calls `sampled(texture, coordinates, lane)` for each lane, and puts what it gives.
template <typename Sample>
void each_lane(Warp& w, const Op& op, uint32_t on, const Sample& sampled) {
  std::array<Texel, kLanes> texels;
  for (const uint32_t lane : set_bits(on)) {
    const Texture* texture = object_of(w, op, lane);
    if (texture == nullptr) return;
    texels[lane] = sampled(*texture, coordinates(w, op, lane), lane);
    if (w.block->stop.kind != Stop::Kind::kNone) return;
    note(w, texture->image, texture->image.at, texture->image.format.bytes(), false);
  }
  for (const uint32_t lane : set_bits(on)) put(w, op, lane, texels[lane]);
}

TextureShape shape_of(const Op& op) { return static_cast<TextureShape>(op.word.bits(kShapeAt, 3)); }
bool is_layered(TextureShape shape) { return shape >= TextureShape::kLayered1D; }

/// Coordinates of a shape, the layer's number among them.
uint32_t coordinates_of(TextureShape shape) {
  switch (shape) {
    case TextureShape::k1D: return 1;
    case TextureShape::k2D:
    case TextureShape::kLayered1D: return 2;
    case TextureShape::kLayeredCube: return 4;
    default: return 3;
  }
}

/// How a request chooses a level.
enum class Level : uint8_t { kUnknown, kLargest, kGiven };
Level level_choice(const Op& op) {
  constexpr uint32_t kLargest = 1, kGiven = 3;
  constexpr int kGivenFrom100 = 59;  // a bit beside the field
  const uint32_t field = op.word.bits(kLevelAt, 2);
  if (op.word.bit(kGivenFrom100) ? field == kLargest : field == kGiven) return Level::kGiven;
  return field == kLargest ? Level::kLargest : Level::kUnknown;
}

/// Stops the run where the level follows from gradients or the coordinates of neighbouring lanes: not emulated.
bool has_level(Warp& w, const Op& op, const Texture& texture, Level choice) {
  if (texture.smaller.empty() || choice != Level::kUnknown) return true;
  w.block->fail(Stop::Kind::kUnsupported,
                described(op) + " of a texture with several levels: give the level (tex2DLod)");
  return false;
}

float given_level(Warp& w, const Op& op, uint32_t lane, const Coordinates& c) {
  const bool split = op.mode >> kFirstGroupAt != 0;  // it is the last of the coordinates
  return std::bit_cast<float>(split ? c[coordinates_of(shape_of(op))] : w.in(op.b)[lane]);
}

/// The gradients of each axis stand together: by x, then by y.
float level_by_gradients(Warp& w, const Op& op, uint32_t lane, const Texture& texture, uint32_t axes) {
  std::array<float, 2> x_step{}, y_step{};
  for (size_t axis = 0; axis < axes; ++axis) {
    x_step[axis] = std::bit_cast<float>(w.in(op.b)[2 * axis * kLanes + lane]);
    y_step[axis] = std::bit_cast<float>(w.in(op.b)[(2 * axis + 1) * kLanes + lane]);
  }
  return level_of(texture, x_step, y_step);
}

/// Fetches with gradients have the layer behind the coordinates.
template <bool kGradients>
void sample_lanes(Warp& w, const Op& op, uint32_t on) {
  const TextureShape shape = shape_of(op);
  const bool layered = is_layered(shape);
  const size_t first = layered && !kGradients ? 1 : 0, layer = kGradients ? coordinates_of(shape) - 1 : 0;
  const bool cube = shape == TextureShape::kCube || shape == TextureShape::kLayeredCube;
  const bool third = cube || shape == TextureShape::k3D,
             flat = shape == TextureShape::k1D || shape == TextureShape::kLayered1D;
  const bool steps = kGradients && !third;  // which choose a level
  const Level choice = steps ? Level::kGiven : kGradients ? Level::kUnknown : level_choice(op);
  each_lane(w, op, on, [&](const Texture& texture, const Coordinates& c, uint32_t lane) -> Texel {
    if (!has_level(w, op, texture, choice)) return {};
    const auto at = [&](size_t k) { return std::bit_cast<float>(c[first + k]); };
    float level = 0;
    if (steps) level = texture.smaller.empty() ? 0 : level_by_gradients(w, op, lane, texture, flat ? 1 : 2);
    else if (choice == Level::kGiven) level = given_level(w, op, lane, c);
    return sample(texture, shape, {at(0), at(1), third ? at(2) : 0}, layered ? c[layer] : 0, level);
  });
}

void fetch_lanes(Warp& w, const Op& op, uint32_t on) {
  const TextureShape shape = shape_of(op);
  const bool flat = shape == TextureShape::k1D || shape == TextureShape::kLayered1D;
  const Level choice = level_choice(op) == Level::kLargest ? Level::kLargest : Level::kUnknown;
  each_lane(w, op, on, [&](const Texture& texture, const Coordinates& c, uint32_t) -> Texel {
    if (!has_level(w, op, texture, choice)) return {};
    if (shape == TextureShape::k1D && !texture.image.is_linear_memory) return {};  // an array's: 0 on an H200
    const size_t first = is_layered(shape) ? 1 : 0;
    const auto at = [&](size_t k) { return static_cast<int32_t>(c[first + k]); };
    const int32_t z = shape == TextureShape::k3D ? at(2) : first != 0 ? static_cast<int32_t>(c[0]) : 0;
    return fetch(texture, {at(0), flat ? 0 : at(1), z});
  });
}

void gather_lanes(Warp& w, const Op& op, uint32_t on) {
  const uint32_t component = op.word.bits(kLevelAt, 2);
  each_lane(w, op, on, [&](const Texture& texture, const Coordinates& c, uint32_t) -> Texel {
    if (!has_level(w, op, texture, Level::kUnknown)) return {};
    return gather(texture, {std::bit_cast<float>(c[0]), std::bit_cast<float>(c[1]), 0}, component);
  });
}

/// Before compute capability 9.0, coordinates may come from two groups of registers (.SCR); the first has half of them.
void split_coordinates(Op& op) {
  const bool gathers = op.opcode == Opcode::kTld4;
  const uint32_t levels = !gathers && level_choice(op) == Level::kGiven ? 1 : 0;
  op.mode |= (coordinates_of(shape_of(op)) + levels + 1) / 2 << kFirstGroupAt;
}

bool prepare_texture(Decoder& d, Op& op, Handler run, bool bound) {
  const Word& w = op.word;
  op.a = d.source(w.bits(24, 8));
  op.d = d.source(w.bits(kSecondTargetAt, 8));
  op.d.row = d.destination(w.bits(kSecondTargetAt, 8));
  op.b = d.source(w.bits(32, 8));
  op.mode = w.bits(kMaskAt, 4);
  op.run = run;
  if (!bound && d.program().architecture < 90 && w.bit(kScalarsAt)) split_coordinates(op);
  return prepare_object(d, op, bound ? 32 : -1);
}
template <Handler kRun, bool kBound>
bool prepare(Decoder& d, Op& op) {
  return prepare_texture(d, op, kRun, kBound);
}

/// What a surface does with coordinates outside it.
enum class Outside : uint8_t { kIgnore = 0, kNearest = 1, kTrap = 2 };
enum SurfaceShape : uint32_t { kFlat = 0, kFlatArray = 2, kPlane = 3, kPlaneArray = 4, kVolume = 5 };

/// The bytes at x (in bytes), y and z; nullptr: outside, and nothing is there.
uint8_t* surface_bytes(Warp& w, const Op& op, const Image& image, uint32_t lane) {
  const Coordinates c = coordinates(w, op, lane);
  const auto shape = op.word.bits(kShapeAt, 3);
  const auto outside = static_cast<Outside>(op.word.bits(59, 2));
  const bool rows = shape == kPlane || shape == kPlaneArray || shape == kVolume;
  std::array<int64_t, 3> at{static_cast<int32_t>(c[0]), rows ? static_cast<int32_t>(c[1]) : 0, 0};
  if (shape == kFlatArray) at[2] = static_cast<int32_t>(c[1]);
  if (shape == kPlaneArray || shape == kVolume) at[2] = static_cast<int32_t>(c[2]);
  const std::array<int64_t, 3> last{int64_t{image.width} * image.format.bytes() - op.size_bytes, image.height - 1,
                                    image.planes - 1};
  for (size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] >= 0 && at[axis] <= last[axis]) continue;
    if (outside == Outside::kNearest) {
      at[axis] = std::clamp<int64_t>(at[axis], 0, std::max<int64_t>(last[axis], 0));
      continue;
    }
    if (outside == Outside::kTrap) {
      w.stopped_lane = lane;
      w.block->fail(Stop::Kind::kIllegalAddress,
                    fmt::format("an access outside a surface, at byte {} of row {}, plane {}", at[0], at[1], at[2]));
    }
    return nullptr;
  }
  return reinterpret_cast<uint8_t*>(image.at + static_cast<uint64_t>(at[2]) * image.plane_bytes +
                                    static_cast<uint64_t>(at[1]) * image.row_bytes + static_cast<uint64_t>(at[0]));
}

template <bool kStore>
void surface_lanes(Warp& w, const Op& op, uint32_t on) {
  std::array<uint8_t*, kLanes> bytes{};
  for (const uint32_t lane : set_bits(on)) {
    const Texture* surface = object_of(w, op, lane);
    if (surface == nullptr) return;
    bytes[lane] = surface_bytes(w, op, surface->image, lane);
    if (w.block->stop.kind != Stop::Kind::kNone) return;
    if (bytes[lane] != nullptr) note(w, surface->image, reinterpret_cast<uint64_t>(bytes[lane]), op.size_bytes, kStore);
  }
  const uint32_t words = (op.size_bytes + 3u) / 4;
  for (const uint32_t lane : set_bits(on)) {
    std::array<uint32_t, 4> value{};
    if (kStore) {
      for (uint32_t k = 0; k < words; ++k) value[k] = w.in(op.b)[k * kLanes + lane];
      if (bytes[lane] != nullptr) std::memcpy(bytes[lane], value.data(), op.size_bytes);
      continue;
    }
    if (bytes[lane] != nullptr) std::memcpy(value.data(), bytes[lane], op.size_bytes);
    if (op.sign_extend)
      value[0] =
          static_cast<uint32_t>(op.size_bytes == 1 ? static_cast<int8_t>(value[0]) : static_cast<int16_t>(value[0]));
    for (uint32_t k = 0; k < words; ++k) w.row(op.target + k)[lane] = value[k];
  }
}

template <bool kStore, bool kBound>
bool prepare_surface(Decoder& d, Op& op) {
  constexpr std::array<uint8_t, 7> kSizes{1, 1, 2, 2, 4, 8, 16};
  const uint32_t size = op.word.bits(73, 3);
  if (size >= kSizes.size()) return false;
  op.size_bytes = kSizes[size];
  op.sign_extend = size == 1 || size == 3;
  op.a = d.source(op.word.bits(24, 8));
  op.b = d.source(op.word.bits(32, 8));
  op.run = surface_lanes<kStore>;
  return prepare_object(d, op, kBound ? 64 : -1);
}

}  // namespace

const Row kTextureRows[] = {
    {Opcode::kTex, prepare<sample_lanes<false>, false>}, {Opcode::kTexBound, prepare<sample_lanes<false>, true>},
    {Opcode::kTxd, prepare<sample_lanes<true>, false>},  {Opcode::kTld, prepare<fetch_lanes, false>},
    {Opcode::kTldBound, prepare<fetch_lanes, true>},     {Opcode::kTld4, prepare<gather_lanes, false>},
    {Opcode::kTld4Bound, prepare<gather_lanes, true>},   {Opcode::kSuld, prepare_surface<false, false>},
    {Opcode::kSuldBound, prepare_surface<false, true>},  {Opcode::kSust, prepare_surface<true, false>},
    {Opcode::kSustBound, prepare_surface<true, true>},   {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
