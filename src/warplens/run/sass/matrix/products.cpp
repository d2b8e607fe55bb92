#include "warplens/run/sass/matrix/products.h"

#include <map>
#include <optional>
#include <tuple>

#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/run.h"
#include "warplens/simt/matrix/fragments.h"
#include "warplens/simt/matrix/math.h"
#include "warplens/simt/matrix/sparsity.h"

namespace warplens::simt::sass_machine {
namespace {

using ptx::Type;

MatrixInfo shape(int m, int k) {
  MatrixInfo info;
  info.m = static_cast<uint16_t>(m);
  info.n = 8;
  info.k = static_cast<uint16_t>(k);
  return info;
}

/// Bit 72: sparse; 75 and 85: k; 76 and 78: signed A and B; 82: saturated; 83 and 84: A and B of four bits; 86: 16
/// rows.
std::optional<MatrixInfo> of_integers(const Word& w) {
  const bool small = w.bit(83), rows16 = w.bit(86);
  if (small != w.bit(84) || !w.bit(74) || w.bit(77) || w.bits(79, 3) != 0 || w.bit(87)) return {};
  const uint32_t k = w.bit(75) | w.bit(85) << 1;
  if (!rows16 && k != (small ? 2u : 0u)) return {};
  MatrixInfo info = rows16 ? shape(16, 16 << k) : shape(8, small ? 32 : 16);
  const auto type = [&](bool is_signed) {
    if (small) return is_signed ? Type::kS4 : Type::kU4;
    return is_signed ? Type::kS8 : Type::kU8;
  };
  info.a = type(w.bit(76));
  info.b = type(w.bit(78));
  info.c = info.d = Type::kS32;
  info.saturate = w.bit(82);
  info.sparse = w.bit(72);
  return info;
}

/// Bits 75 and 76: k of 16 rows; 78: AND in place of XOR.
std::optional<MatrixInfo> of_bits(const Word& w) {
  const bool both = w.bit(75) && w.bit(76);
  if (both || !w.bit(74) || !w.bit(80) || w.bits(72, 2) != 0 || w.bit(77) || w.bit(79) || w.bits(81, 7) != 0) return {};
  MatrixInfo info = w.bit(75) || w.bit(76) ? shape(16, w.bit(76) ? 256 : 128) : shape(8, 128);
  info.a = info.b = Type::kB1;
  info.c = info.d = Type::kS32;
  info.use_xor = !w.bit(78);
  return info;
}

/// Bit 73: sparse; 75 and 78: k; 76: f32 sums; 82: bf16; 83: tf32.
std::optional<MatrixInfo> of_sparse_floats(const Word& w) {
  const bool tf32 = w.bit(83), bf16 = w.bit(82), deep = w.bit(75);
  if (!w.bit(73) || w.bit(72) || w.bit(74) || w.bit(77) || w.bits(79, 3) != 0 || w.bits(84, 4) != 0 ||
      (tf32 ? bf16 || w.bit(78) : !deep))
    return {};
  MatrixInfo info = shape(16, tf32 ? (deep ? 16 : 8) : w.bit(78) ? 32 : 16);
  info.a = info.b = tf32 ? Type::kTf32 : bf16 ? Type::kBf16 : Type::kF16;
  info.c = info.d = w.bit(76) ? Type::kF32 : Type::kF16;
  info.sparse = true;
  return info;
}

/// Of eight bits. Bits 75 and 76: k; 77: f32 sums; 78 and 79: E5M2 in A and B; 80: sparse.
std::optional<MatrixInfo> of_bytes(const Word& w) {
  const bool sparse = w.bit(80);
  if (!w.bit(74) || w.bits(72, 2) != 0 || w.bits(81, 7) != 0 || (w.bit(75) && w.bit(76)) || (w.bit(76) && !sparse))
    return {};
  MatrixInfo info = shape(16, w.bit(76) ? 64 : w.bit(75) ? 32 : 16);
  info.a = w.bit(78) ? Type::kE5m2 : Type::kE4m3;
  info.b = w.bit(79) ? Type::kE5m2 : Type::kE4m3;
  info.c = info.d = w.bit(77) ? Type::kF32 : Type::kF16;
  info.sparse = sparse;
  return info;
}

std::optional<MatrixInfo> info_of(const Op& op) {
  std::optional<MatrixInfo> info;
  if (op.word.form() != 1) return info;
  switch (op.opcode) {
    case Opcode::kImma: info = of_integers(op.word); break;
    case Opcode::kBmma: info = of_bits(op.word); break;
    case Opcode::kHmma: info = of_sparse_floats(op.word); break;
    case Opcode::kQmma: info = of_bytes(op.word); break;
    default: break;
  }
  if (info && info->sparse) info->selector = static_cast<uint8_t>(op.word.bits(48, 2));
  return info;
}

/// Where elements lie in dense matrices, of each operand; kept by thread and shape.
struct Places {
  std::vector<uint16_t> of[3];
};
const Places& places_of(const MatrixInfo& info) {
  thread_local std::map<std::tuple<int, int, int, bool>, Places> kept;
  Places& places = kept[{info.m, info.k, ptx::bits(info.a), info.sparse}];
  for (int operand = 0; operand < 3 && places.of[operand].empty(); ++operand)
    places.of[operand] = dense_places(info, operand);
  return places;
}

uint32_t mask_of(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

void gather(const uint32_t* rows, int bits, const std::vector<uint16_t>& places, std::vector<uint32_t>* dense) {
  dense->assign(places.size(), 0);
  for (size_t k = 0; k < places.size(); ++k) {
    const size_t at = k / kLanes * static_cast<size_t>(bits), lane = k % kLanes;
    (*dense)[places[k]] = rows[at / 32 * kLanes + lane] >> at % 32 & mask_of(bits);
  }
}
void scatter(const std::vector<uint32_t>& dense, int bits, const std::vector<uint16_t>& places, uint32_t* rows) {
  for (size_t k = 0; k < places.size(); ++k) {
    const size_t at = k / kLanes * static_cast<size_t>(bits), lane = k % kLanes;
    uint32_t& word = rows[at / 32 * kLanes + lane];
    word = (word & ~(mask_of(bits) << at % 32)) | (dense[places[k]] & mask_of(bits)) << at % 32;
  }
}

void multiply(Warp& w, const Op& op, uint32_t) {
  const MatrixInfo info = *info_of(op);
  const Places& places = places_of(info);
  thread_local std::vector<uint32_t> a, b, c;
  gather(w.in(op.a), stored_bits(info, info.a), places.of[0], &a);
  gather(w.in(op.b), stored_bits(info, info.b), places.of[1], &b);
  gather(w.in(op.c), stored_bits(info, info.c), places.of[2], &c);
  MatrixProduct product{info.m, info.n, info.k, info.a, info.b, info.c, a.data(), b.data(), c.data()};
  product.saturate = info.saturate;
  product.use_xor = info.use_xor;
  const DotModel model = dot_model(w.block->run->program->architecture, info.a, false);
  if (info.sparse) multiply_sparse(product, model, kept_places({info.a, info.k, info.selector}, w.in(op.d)));
  else if (info.c == Type::kS32) multiply_integer(product);
  else multiply_float(product, model);
  scatter(c, stored_bits(info, info.c), places.of[2], w.row(op.target));
}

}  // namespace

bool prepare_product(Decoder& d, Op& op) {
  const Word& w = op.word;
  op.a = d.source(w.bits(24, 8));
  op.b = d.source(w.bits(32, 8));
  op.c = d.source(w.bits(64, 8));
  op.d = d.source(w.bits(40, 8));
  op.run = multiply;
  return info_of(op).has_value();
}

}  // namespace warplens::simt::sass_machine
