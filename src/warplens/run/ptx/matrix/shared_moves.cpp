// ldmatrix, stmatrix, movmatrix.
#include <array>
#include <cstring>

#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/requests/count.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr int kRows = 8, kRowBytes = 16;

/// Rows of 16 bytes are a group of their own for each 8x8 matrix: measured on an H200.
void count_matrices(Warp& w, const Op& op, const uint32_t* addresses, int matrices) {
  if (w.rows == nullptr) return;
  std::array<Address, kLanes> wide;
  for (uint32_t i = 0; i < kLanes; ++i) wide[i] = addresses[i];
  InstructionCounts& row = w.rows[op.row];
  ++row.requests;
  ++row.shared_requests;
  row.bytes += static_cast<uint64_t>(matrices * kRows * kRowBytes);
  for (int i = 0; i < matrices; ++i) {
    uint32_t banks = 0;  // groups of four
    for (int lane = kRows * i; lane < kRows * (i + 1); ++lane) banks |= 1u << (addresses[lane] / kRowBytes % kRows);
    const Wavefronts passes =
        banks == 0xff ? Wavefronts{1, 1} : count_wavefronts(wide.data(), 0xffu << (kRows * i), kRowBytes);
    row.wavefronts += passes.actual;
    row.ideal_wavefronts += passes.ideal;
  }
}

/// The 16 bytes of row `row` of matrix `matrix`, or nullptr after a fault.
uint8_t* row_of(Warp& w, const Op& op, int matrix, int row, bool write) {
  const auto lane = static_cast<uint32_t>(matrix * kRows + row);
  const uint32_t address = w.lanes<uint32_t>(op.a)[lane];
  if (address % kRowBytes == 0 && uint64_t{address} + kRowBytes <= w.shared_bytes) return w.shared + address;
  if (address % kRowBytes != 0) {
    raise_misaligned(w, op, lane, address, kRowBytes);
    return nullptr;
  }
  uint8_t* bytes = resolve_shared(w, address, kRowBytes);
  if (bytes == nullptr) raise_address(w, op, lane, address, kRowBytes, "shared", write);
  return bytes;
}

/// Shows a row to the checks, as an access of the lane that gives its address. False when it may not be made.
/// `stored`: what is written, nullptr for a read.
bool check_row(Warp& w, const Op& op, uint32_t lane, const void* stored) {
  Touch t;
  t.space = ptx::Space::kShared;
  t.size_bytes = t.alignment = kRowBytes;
  t.lane = lane;
  t.at = w.lanes<uint32_t>(op.a)[lane];
  t.reads = stored == nullptr;
  t.writes = !t.reads;
  const uint8_t* there = t.writes ? resolve_shared(w, t.at, kRowBytes) : nullptr;
  t.same_value = there != nullptr && std::memcmp(there, stored, kRowBytes) == 0;
  return w.cta->cluster->grid->checker->touch(w, op, t);
}

bool check_reads(Warp& w, const Op& op, int matrices) {
  bool sound = true;
  for (uint32_t lane = 0; lane < static_cast<uint32_t>(matrices * kRows); ++lane)
    sound &= check_row(w, op, lane, nullptr);
  return sound;
}

using Tile = std::array<std::array<uint16_t, kRows>, kRows>;

// Lane 4r + c holds elements 2c and 2c + 1 of row r; transposed, of column r.
void to_lanes(const Tile& tile, bool transposed, uint32_t* lanes) {
  if (!transposed) return void(std::memcpy(lanes, tile.data(), sizeof tile));
  for (size_t c = 0; c < kRows / 2; ++c) {
    const auto &first = tile[2 * c], &second = tile[2 * c + 1];
    for (size_t r = 0; r < kRows; ++r) lanes[4 * r + c] = first[r] | static_cast<uint32_t>(second[r]) << 16;
  }
}

void from_lanes(Tile& tile, bool transposed, const uint32_t* lanes) {
  if (!transposed) return void(std::memcpy(tile.data(), lanes, sizeof tile));
  for (size_t c = 0; c < kRows / 2; ++c) {
    for (size_t r = 0; r < kRows; ++r) {
      tile[2 * c][r] = static_cast<uint16_t>(lanes[4 * r + c]);
      tile[2 * c + 1][r] = static_cast<uint16_t>(lanes[4 * r + c] >> 16);
    }
  }
}

}  // namespace

void run_ldmatrix(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.matrix];
  if (w.checks && !check_reads(w, op, info.count)) return;
  std::array<uint32_t, kLanes> addresses;
  std::memcpy(addresses.data(), w.lanes<uint32_t>(op.a), sizeof addresses);  // a destination may hold the address
  std::array<std::array<uint32_t, kLanes>, 4> loaded;
  for (int matrix = 0; matrix < info.count; ++matrix) {
    Tile tile;
    for (int row = 0; row < kRows; ++row) {
      const uint8_t* bytes = row_of(w, op, matrix, row, false);
      if (bytes == nullptr) return;
      std::memcpy(tile[static_cast<size_t>(row)].data(), bytes, kRowBytes);
    }
    to_lanes(tile, info.transposed, loaded[static_cast<size_t>(matrix)].data());
  }
  for (uint32_t i = 0; i < info.count; ++i) {
    std::memcpy(w.lanes<uint32_t>(w.program->slots[op.b + i]), loaded[i].data(), sizeof loaded[i]);
  }
  count_matrices(w, op, addresses.data(), info.count);
}

void run_stmatrix(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.matrix];
  for (int matrix = 0; matrix < info.count; ++matrix) {
    Tile tile;
    from_lanes(tile, info.transposed, w.lanes<uint32_t>(w.program->slots[op.b + static_cast<uint32_t>(matrix)]));
    for (int row = 0; row < kRows; ++row) {
      const auto& values = tile[static_cast<size_t>(row)];
      if (w.checks && !check_row(w, op, static_cast<uint32_t>(matrix * kRows + row), values.data())) continue;
      uint8_t* bytes = row_of(w, op, matrix, row, true);
      if (bytes == nullptr) return;
      std::memcpy(bytes, values.data(), kRowBytes);
    }
  }
  count_matrices(w, op, w.lanes<uint32_t>(op.a), info.count);
}

void run_movmatrix(Warp& w, const Op& op) {
  Tile tile;
  from_lanes(tile, false, w.lanes<uint32_t>(op.a));
  to_lanes(tile, true, w.lanes<uint32_t>(op.d));
}

}  // namespace warplens::simt::ptx_machine
