#include "warplens/collect/counters/snapshot.h"

#include <algorithm>
#include <utility>

#include "warplens/collect/counters/driver.h"

namespace warplens::cupti {
namespace {

constexpr size_t kBlockUnit = size_t{16} << 20;
constexpr size_t kAlignment = 512;
constexpr size_t kPiece = size_t{1} << 20;  // of the cache flusher's copies
constexpr int kL2Bytes = 38;                // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

uint64_t SnapshotRoom::take(size_t bytes) {
  const Driver& cuda = driver();
  for (Block& block : blocks_) {
    if (block.taken || block.bytes < bytes || block.bytes > 2 * bytes + kBlockUnit) continue;
    block.taken = true;
    return block.address;
  }
  const size_t wanted = rounded_up(bytes, kBlockUnit);
  size_t free_bytes = 0, all_bytes = 0;
  if (cuda.cuMemGetInfo_v2(&free_bytes, &all_bytes) != 0 || wanted > free_bytes / 2) return 0;
  DevicePointer address = 0;
  if (cuda.cuMemAlloc_v2(&address, wanted) != 0) return 0;
  blocks_.push_back({address, wanted, true});
  bytes_ += wanted;
  return address;
}

void SnapshotRoom::give_back(uint64_t address) {
  for (Block& block : blocks_) {
    if (block.address == address) block.taken = false;
  }
}

void SnapshotRoom::release() {
  for (const Block& block : blocks_) {
    if (block.taken || driver().cuMemFree_v2(block.address) != 0) continue;
    bytes_ -= block.bytes;
  }
  blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return !block.taken; }),
                blocks_.end());
}

Snapshot::Snapshot(Snapshot&& other) noexcept
    : room_(other.room_), regions_(std::move(other.regions_)), copy_(std::exchange(other.copy_, 0)) {}

Snapshot::~Snapshot() {
  if (copy_ != 0) room_->give_back(copy_);
}

bool Snapshot::save(SnapshotRoom* room, std::vector<Region> regions) {
  size_t bytes = 0;
  for (const Region& region : regions) bytes += rounded_up(region.bytes, kAlignment);
  regions_ = std::move(regions);
  room_ = room;
  if (bytes == 0) return true;
  copy_ = room->take(bytes);
  if (copy_ == 0) return false;
  uint64_t at = copy_;
  for (const Region& region : regions_) {
    if (driver().cuMemcpyDtoDAsync_v2(at, region.address, region.bytes, nullptr) != 0) return false;
    at += rounded_up(region.bytes, kAlignment);
  }
  return driver().cuCtxSynchronize() == 0;
}

bool Snapshot::restore() const {
  uint64_t at = copy_;
  for (const Region& region : regions_) {
    if (driver().cuMemcpyDtoDAsync_v2(region.address, at, region.bytes, nullptr) != 0) return false;
    at += rounded_up(region.bytes, kAlignment);
  }
  return true;
}

bool CacheFlusher::flush() {
  const Driver& cuda = driver();
  if (scratch_ == 0) {
    int device = 0, l2 = 0;
    if (cuda.cuCtxGetDevice(&device) != 0 || cuda.cuDeviceGetAttribute(&l2, kL2Bytes, device) != 0) return false;
    bytes_ = rounded_up(2 * static_cast<size_t>(std::max(l2, 1)), kPiece) + kPiece;
    DevicePointer address = 0;
    if (cuda.cuMemAlloc_v2(&address, bytes_) != 0) return false;
    scratch_ = address;
  }
  for (size_t at = kPiece; at < bytes_; at += kPiece) {
    if (cuda.cuMemcpyDtoDAsync_v2(scratch_, scratch_ + at, kPiece, nullptr) != 0) return false;
  }
  return cuda.cuCtxSynchronize() == 0;
}

void CacheFlusher::release() {
  if (scratch_ != 0) driver().cuMemFree_v2(scratch_);
  scratch_ = 0;
}

}  // namespace warplens::cupti
