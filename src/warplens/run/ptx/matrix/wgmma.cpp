#include "warplens/run/ptx/matrix/wgmma.h"

#include <bit>
#include <cstring>
#include <vector>

#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/matrix/registers.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/simt/matrix/dot_functions.h"
#include "warplens/simt/matrix/fragments.h"
#include "warplens/simt/matrix/math.h"
#include "warplens/simt/matrix/shared_matrix.h"
#include "warplens/simt/matrix/sparsity.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

class Wgmma {
 public:
  Wgmma(Warp& w, const Op& op)
      : w_(w),
        op_(op),
        info_(w.program->matrices[op.matrix]),
        a_(matrix_scratch.a),
        b_(matrix_scratch.b),
        c_(matrix_scratch.c) {}

  void run() {
    const size_t n = info_.n, k = info_.k;
    if (w_.checks) note_registers();
    a_.resize(kRows * columns_of_a());
    b_.resize(n * k);
    c_.assign(kRows * n, 0);
    if (!read_a() || !read_b() || run_tiles()) return;
    read_d();
    MatrixProduct product{kRows, info_.n, info_.k, info_.a, info_.b, info_.d, a_.data(), b_.data(), c_.data()};
    product.saturate = info_.saturate;
    product.negate = (op_.mode & kNegate) != 0;
    const DotModel model = dot_model(w_.program->architecture, info_.a, true);
    if (info_.sparse)
      multiply_sparse(product, model, kept_places({info_.a, info_.k, info_.selector}, w_.lanes<uint32_t>(op_.e)));
    else if (info_.d == Type::kS32) multiply_integer(product);
    else multiply_float(product, model);
    write_d();
  }

 private:
  static constexpr int kRows = 16;       // of a warp
  static constexpr int kMostTiles = 32;  // of 8 columns
  static constexpr uint32_t kUnitBytes = 16;

  /// D = A * B + D where D's registers are, when lanes can make it there.
  bool run_tiles() {
    if (info_.d != Type::kF32 || info_.sparse) return false;
    alignas(64) float sums[4 * kMostTiles][kLanes];
    TileProduct p{info_.k, info_.n / 8, 32 / ptx::bits(info_.a), info_.a, info_.b};
    p.model = dot_model(w_.program->architecture, info_.a, true);
    p.negate = (op_.mode & kNegate) != 0;
    p.dense_a = a_.data();
    p.dense_b = b_.data();
    p.c = sums;
    const auto count = static_cast<uint32_t>(4 * p.tiles);
    const bool adds = (w_.predicate(op_.c) & 1) != 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (adds) std::memcpy(sums[i], w_.lanes<float>(w_.program->slots[op_.d + i]), sizeof sums[i]);
      else std::memset(sums[i], 0, sizeof sums[i]);
    }
    if (!dot_functions().tiles(p)) return false;
    for (uint32_t i = 0; i < count; ++i)
      std::memcpy(w_.lanes<float>(w_.program->slots[op_.d + i]), sums[i], sizeof sums[i]);
    return true;
  }

  void note_registers() {
    ThreadChecker& checker = *w_.cta->cluster->grid->checker;
    const uint32_t* slots = w_.program->slots.data();
    if ((op_.mode & kAInRegisters) != 0)
      checker.matrix_registers(w_, op_, true, slots + op_.a,
                               columns_of_a() * static_cast<uint32_t>(ptx::bits(info_.a)) / 64);
    checker.matrix_registers(w_, op_, false, slots + op_.d,
                             info_.n / 2u * static_cast<uint32_t>(ptx::bits(info_.d)) / 32);
  }

  uint32_t columns_of_a() const { return info_.sparse ? info_.k / 2u : info_.k; }

  /// Reads elements `first` to `first + outers` of m or n, with `inners` of k; a unit of 16 bytes of shared memory
  /// holds neighbours. They go to to[outer * outer_pitch + inner * inner_pitch].
  bool read_tile(const SharedMatrix& matrix, uint32_t first, uint32_t outers, uint32_t inners, Type type,
                 bool transposed, uint32_t* to, uint32_t outer_pitch, uint32_t inner_pitch) {
    if (type == Type::kB1) return read_bits(matrix, first, outers, inners, to, outer_pitch, inner_pitch);
    const auto bytes = static_cast<uint32_t>(ptx::bits(type)) / 8, count = kUnitBytes / bytes;
    const uint32_t outer_step = transposed ? count : 1, inner_step = transposed ? 1 : count;
    const uint32_t pitch = transposed ? outer_pitch : inner_pitch;
    for (uint32_t outer = 0; outer < outers; outer += outer_step) {
      for (uint32_t inner = 0; inner < inners; inner += inner_step) {
        const uint8_t* unit = unit_at(matrix.offset(first + outer, inner, bytes, transposed));
        if (unit == nullptr) return false;
        uint32_t* target = to + outer * outer_pitch + inner * inner_pitch;
        if (bytes == 2) spread<uint16_t>(unit, target, pitch);
        else if (bytes == 1) spread<uint8_t>(unit, target, pitch);
        else spread<uint32_t>(unit, target, pitch);
      }
    }
    return true;
  }

  /// The same of single bits, eight a byte.
  bool read_bits(const SharedMatrix& matrix, uint32_t first, uint32_t outers, uint32_t inners, uint32_t* to,
                 uint32_t outer_pitch, uint32_t inner_pitch) {
    for (uint32_t outer = 0; outer < outers; ++outer) {
      for (uint32_t byte = 0; byte < inners / 8; byte += kUnitBytes) {
        const uint8_t* unit = unit_at(matrix.offset(first + outer, byte, 1, false));
        if (unit == nullptr) return false;
        for (uint32_t bit = 0; bit < kUnitBytes * 8; ++bit)
          to[outer * outer_pitch + (byte * 8 + bit) * inner_pitch] = unit[bit / 8] >> bit % 8 & 1;
      }
    }
    return true;
  }

  template <typename T>
  static void spread(const uint8_t* unit, uint32_t* to, uint32_t pitch) {
    T values[kUnitBytes / sizeof(T)];
    std::memcpy(values, unit, kUnitBytes);
    for (const T value : values) {
      *to = value;
      to += pitch;
    }
  }

  const uint8_t* unit_at(uint32_t offset) {
    const uint8_t* unit = resolve_shared(w_, offset, kUnitBytes);
    if (w_.checks && !check_unit(offset)) return nullptr;
    if (unit == nullptr) raise_address(w_, op_, 0, offset, kUnitBytes, "shared", false);
    return unit;
  }

  /// Shows 16 bytes, all of which the tile has, to the checks, as read by all lanes together when wgmma gets to it.
  bool check_unit(uint32_t offset) {
    ThreadChecker& checker = *w_.cta->cluster->grid->checker;
    Touch t;
    t.lanes = kFull;
    t.at = offset;
    t.space = ptx::Space::kShared;
    t.size_bytes = kUnitBytes;
    t.reads = true;
    t.agent = Agent::kMatrix;
    t.asynchronous_proxy = true;
    t.number = w_.checks->number;
    t.clock = checker.open_count(w_, Agent::kMatrix, 0);
    return checker.touch(w_, op_, t);
  }

  bool read_a() {
    if ((op_.mode & kAInRegisters) != 0) {
      read_a_registers();
      return true;
    }
    const auto matrix = SharedMatrix::of_wgmma(w_.lanes<uint64_t>(op_.a)[0]);
    return read_tile(matrix, w_.index % 4 * kRows, kRows, columns_of_a(), info_.a, (op_.mode & kTransposeA) != 0,
                     a_.data(), 1, kRows);
  }

  void read_a_registers() {
    const int bits = ptx::bits(info_.a), each = 32 / bits;
    MatrixInfo tile = info_;
    tile.m = kRows;
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
      for (int place = 0; place < kRows * static_cast<int>(columns_of_a()) / static_cast<int>(kLanes); ++place) {
        const Element e = element_of_a(tile, each, lane, place);
        const uint32_t word = w_.lanes<uint32_t>(w_.program->slots[op_.a + static_cast<uint32_t>(place / each)])[lane];
        const uint32_t value = bits == 32 ? word : (word >> (place % each * bits)) & ((1u << bits) - 1);
        a_[static_cast<size_t>(e.column * kRows + e.row)] = value;
      }
    }
  }

  bool read_b() {
    const auto matrix = SharedMatrix::of_wgmma(w_.lanes<uint64_t>(op_.b)[0]);
    return read_tile(matrix, 0, info_.n, info_.k, info_.b, (op_.mode & kTransposeB) != 0, b_.data(), info_.k, 1);
  }

  /// Calls f(word, shift, element of D) for each element that a lane holds.
  template <typename F>
  void walk_d(const F& f) {
    const int each = 32 / ptx::bits(info_.d);
    for (int place = 0; place < info_.n / 2; ++place) {
      uint32_t* words = w_.lanes<uint32_t>(w_.program->slots[op_.d + static_cast<uint32_t>(place / each)]);
      uint32_t* columns = c_.data() + (place / 4 * 8 + place % 2) * kRows + place % 4 / 2 * 8;
      const int shift = place % each * 16;
      for (int row = 0; row < 8; ++row) {
        for (int pair = 0; pair < 4; ++pair) f(words[row * 4 + pair], shift, columns[pair * 2 * kRows + row]);
      }
    }
  }

  void read_d() {
    if ((w_.predicate(op_.c) & 1) == 0) return;  // scale-d of zero: D starts from zeros
    if (ptx::bits(info_.d) == 32) walk_d([](uint32_t word, int, uint32_t& c) { c = word; });
    else walk_d([](uint32_t word, int shift, uint32_t& c) { c = word >> shift & 0xffff; });
  }
  void write_d() {
    if (ptx::bits(info_.d) == 32) walk_d([](uint32_t& word, int, uint32_t c) { word = c; });
    else walk_d([](uint32_t& word, int shift, uint32_t c) { word = (word & ~(0xffffu << shift)) | c << shift; });
  }

  Warp& w_;
  const Op& op_;
  const MatrixInfo& info_;
  std::vector<uint32_t>&a_, &b_, &c_;
};

}  // namespace

void run_wgmma(Warp& w, const Op& op) { Wgmma(w, op).run(); }

}  // namespace warplens::simt::ptx_machine
