// Copies and reductions of boxes of tensors: UTMALDG, UTMASTG, UTMAREDG.
#include <bit>

#include "warplens/base/text.h"
#include "warplens/run/sass/memory/bulk.h"
#include "warplens/simt/asynchronous/tensor_box.h"

namespace warplens::simt::sass_machine {
namespace {

using simt::BoxPiece, simt::MbarrierOp, simt::AtomicOp, simt::TensorMap;

// mode bits: 0..3 the reduction
constexpr uint32_t kLoad = 16, kToMany = 32;

bool read_map(Warp& w, const Op& op, TensorMap* map) {
  const uint64_t address = uniform_address(w, op.a);
  if (address % simt::kMapAlignment != 0) return stop_misaligned(w, address, simt::kMapAlignment);
  const uint8_t* bytes = locate(w, address, simt::kTensorMapBytes);
  if (!bytes) return false;
  *map = simt::read_map(bytes);
  Status fits = simt::check(*map);
  const uint32_t rank = op.word.bits(79, 3);
  if (fits.ok() && map->rank != rank) fits = invalid_input("a tensor map of another rank than the instruction's");
  if (fits.ok() && simt::box_bytes(*map) > w.block->shared.size())
    fits = invalid_input("a tensor map whose box is larger than shared memory");
  if (!fits.ok()) w.block->fail(Stop::Kind::kInvalid, fits.message());
  return fits.ok();
}

std::array<int64_t, 5> start_of(Warp& w, const Op& op, const TensorMap& map) {
  std::array<int64_t, 5> out{};
  for (uint32_t i = 0; i <= map.rank; ++i)  // behind the address, and the mbarrier's of a load
    out[i] = static_cast<int32_t>(uniform_value(w, op.b, i + (op.mode & kLoad ? 2 : 1)));
  return out;
}

/// Counts rows of a box: a load asks for what lies outside too, a store gives only what lies inside.
class Sectors {
 public:
  Sectors(bool load, uint32_t row_pitch) : load_(load), row_pitch_(row_pitch) {}
  void add(const BoxPiece& piece) {
    if (!load_ && !piece.inside) return;
    if (piece.global != begin_ + run_ || piece.offset % row_pitch_ == 0) {
      end_run();
      begin_ = piece.global;
    }
    run_ += piece.bytes;
  }
  void end_run() {
    count_ += sectors_of_run(begin_, run_);
    bytes_ += run_;
    run_ = 0;
  }
  uint64_t count() const { return count_; }
  uint64_t bytes() const { return bytes_; }

 private:
  bool load_;
  uint32_t row_pitch_;
  uint64_t count_ = 0, bytes_ = 0, begin_ = 0, run_ = 0;  // sums; the neighbours seen last
};

uint8_t* shared_place(Warp& w, uint32_t address, const TensorMap& map, uint32_t size) {
  const uint32_t rank = address >> kRankShift;
  return cluster_bytes(w, in_block(simt::swizzled(address & kInBlock, map.swizzle), rank), size);
}

bool move(Warp& w, const Op& op, const TensorMap& map, const BoxPiece& piece, uint32_t shared) {
  const bool load = op.mode & kLoad;
  if (!piece.inside && !load) return true;
  uint8_t* here = shared_place(w, shared + piece.offset, map, piece.bytes);
  if (!here) return false;
  if (!piece.inside) {
    simt::fill_outside(map, here, piece.bytes);
    return true;
  }
  const auto what = static_cast<AtomicOp>(op.mode & 15);
  uint8_t* there =
      load ? global_bytes(w, piece.global, piece.bytes, false) : changed_bytes(w, piece.global, piece.bytes, what);
  if (!there) return false;
  if (load) simt::load_piece(map, here, there, piece.bytes);
  else simt::combine_bytes(there, here, piece.bytes, what, simt::reduction_type(map));
  return true;
}

bool move_box(Warp& w, const Op& op, const TensorMap& map, uint32_t shared, Sectors* sectors) {
  return simt::each_piece(map, start_of(w, op, map), shared % simt::kBoxUnitBytes == 0, [&](const BoxPiece& piece) {
    if (sectors) sectors->add(piece);
    return move(w, op, map, piece, shared);
  });
}

void tensor_copy(Warp& w, const Op& op, uint32_t on) {
  TensorMap map;
  if (!on || !read_map(w, op, &map)) return;
  if (const Status fits = simt::check_start(map, start_of(w, op, map)); !fits.ok())
    return w.block->fail(Stop::Kind::kInvalid, fits.message());
  const bool load = op.mode & kLoad;
  const uint32_t shared = uniform_value(w, op.b), barrier = uniform_value(w, op.b, 1);
  if (shared % simt::kBoxAlignment != 0) return static_cast<void>(stop_misaligned(w, shared, simt::kBoxAlignment));
  const uint32_t own = 1u << (rank_of(shared) & 31);
  const uint32_t receivers = op.mode & kToMany ? receivers_of(uniform_value(w, op.c)) : own;
  Sectors sectors(load, simt::row_pitch(map));
  for (uint32_t left = receivers; left; left &= left - 1) {
    const auto rank = static_cast<uint32_t>(std::countr_zero(left));
    if (!move_box(w, op, map, in_block(shared, rank), left == receivers ? &sectors : nullptr)) return;
    if (load &&
        !signal_mbarrier(w, in_block(barrier, rank), MbarrierOp::kComplete, static_cast<uint32_t>(simt::box_bytes(map)),
                         arrival_of_bulk(w, op, simt::box_bytes(map))))
      return;
  }
  sectors.end_run();
  count_bulk(w, sectors.count(), sectors.bytes(), static_cast<uint32_t>(std::popcount(receivers)));
}

bool prepare_tensor(Decoder& d, Op& op) {
  op.a = d.uniform(op.word.bits(24, 8));
  op.b = d.uniform(op.word.bits(32, 8));
  op.c = d.uniform_high(op.word);
  op.run = tensor_copy;
  constexpr uint32_t kBehind = 7;                                          // an address, an mbarrier, five coordinates
  return !op.word.bit(82) && d.are_uniform(op.word.bits(32, 8), kBehind);  // the bit: .IM2COL
}
bool prepare_tensor_store(Decoder& d, Op& op) {
  op.mode = kCopyMode;
  return prepare_tensor(d, op);
}
bool prepare_tensor_load(Decoder& d, Op& op) {
  op.mode = kLoad | (op.word.bit(75) ? kToMany : 0);
  return prepare_tensor(d, op) && (op.word.form() == 2 || op.word.form() == 1);
}
bool prepare_reduction(Decoder& d, Op& op) {
  op.mode = static_cast<uint32_t>(reduction_of(op.word));
  op.ordered = op.mode == static_cast<uint32_t>(AtomicOp::kAdd);  // the map knows whether of floats
  return prepare_tensor(d, op);
}

}  // namespace

const Row kTensorRows[] = {
    {Opcode::kUtmaldg, prepare_tensor_load},
    {Opcode::kUtmastg, prepare_tensor_store},
    {Opcode::kUtmaredg, prepare_reduction},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
