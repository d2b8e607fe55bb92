#include "warplens/collect/buffers.h"

#include <sys/mman.h>

#include <algorithm>

namespace warplens::collect {
namespace {

constexpr size_t kAtOnce = 2;

}  // namespace

BufferPool::BufferPool(size_t limit_bytes) : limit_(std::max(kAtOnce, limit_bytes / kBufferBytes)) {
  all_.reserve(limit_);
  free_.reserve(limit_);
  filled_.reserve(limit_);
  for (size_t i = 0; i < kAtOnce; ++i) {
    if (uint8_t* buffer = allocate()) free_.push_back(buffer);
  }
}

BufferPool::~BufferPool() {
  for (uint8_t* buffer : all_) ::munmap(buffer, kBufferBytes);
}

uint8_t* BufferPool::allocate() {
  void* memory =
      ::mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  all_.push_back(static_cast<uint8_t*>(memory));
  return all_.back();
}

void BufferPool::populate() {
  while (all_.size() < limit_) {
    uint8_t* buffer = allocate();
    if (buffer == nullptr) return;
    give_back(buffer);
  }
}

uint8_t* BufferPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  uint8_t* buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void BufferPool::give_back(uint8_t* buffer) {
  const std::lock_guard lock(mutex_);
  free_.push_back(buffer);
}

void BufferPool::fill(FilledBuffer buffer) {
  const std::lock_guard lock(mutex_);
  if (first_filled_ == filled_.size()) {
    filled_.clear();
    first_filled_ = 0;
  }
  filled_.push_back(buffer);
}

bool BufferPool::next_filled(FilledBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  if (first_filled_ == filled_.size()) return false;
  buffer = filled_[first_filled_++];
  return true;
}

}  // namespace warplens::collect
