#include "warplens/trace/readers/kineto/pipeline.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/threads.h"

namespace warplens::kineto {
void Pipeline::run() {
  read_head();
  if (input_ended_) return;
  parallel_for(threads_, threads_, [this](size_t) { work(); });
}

void Pipeline::read_head() {
  const auto text = std::make_unique_for_overwrite<char[]>(block_bytes_);
  while (!document_.in_events() && !input_ended_) {
    const size_t n = input_.read(text.get(), block_bytes_);
    input_ended_ = n < block_bytes_;
    document_.feed({text.get(), n});
  }
  if (!input_ended_) carry_ = document_.take_rest();
  offset_ = document_.offset();
}

void Pipeline::work() {
  ChunkParser parser;
  for (Block block; next(block);) {
    block.chunk = parser.parse(block.text, block.offset, block.stop);
    deliver(std::move(block));
  }
}

bool Pipeline::next(Block& block) {
  const std::lock_guard reading(reading_);
  {
    std::unique_lock merging(merging_);
    merged_some_.wait(merging, [&] { return blocks_ < merged_ + 4 * threads_; });
    block = Block();
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (input_ended_ && carry_.empty()) return false;
  fill(block);
  return true;
}

void Pipeline::fill(Block& block) {
  size_t size = carry_.size();
  const char* end = nullptr;
  for (size_t wanted = block_bytes_; end == nullptr; wanted *= 2) {  // an event may be longer than a block
    const size_t capacity = size + wanted + kTextPadding;
    if (block.capacity < capacity) {
      auto bigger = std::make_unique_for_overwrite<char[]>(capacity);
      if (size > carry_.size()) std::memcpy(bigger.get(), block.buffer.get(), size);
      block.buffer = std::move(bigger);
      block.capacity = capacity;
    }
    if (size == carry_.size()) std::memcpy(block.buffer.get(), carry_.data(), carry_.size());
    const size_t n = input_ended_ ? 0 : input_.read(block.buffer.get() + size, wanted);
    input_ended_ = n < wanted;
    size += n;
    const char* const begin = block.buffer.get();
    end = input_ended_ ? begin + size : find_last_boundary(begin, begin + size);
  }
  char* const begin = block.buffer.get();
  block.text = {begin, static_cast<size_t>(end - begin)};
  carry_.assign(end, static_cast<size_t>(begin + size - end));
  std::memset(begin + block.text.size(), 0, kTextPadding);
  block.offset = offset_;
  block.number = blocks_++;
  offset_ += block.text.size();
}

void Pipeline::deliver(Block block) {
  std::unique_lock merging(merging_);
  waiting_.emplace(block.number, std::move(block));
  if (merger_at_work_) return;
  merger_at_work_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == merged_) {
    Block next = std::move(waiting_.extract(waiting_.begin()).mapped());
    merging.unlock();
    if (document_.between_events()) {
      document_.take(*next.chunk, next.stop, next.text);
    } else {
      document_.feed(next.text);
    }
    next.chunk.reset();
    merging.lock();
    spare_.push_back(std::move(next));
    ++merged_;
    merged_some_.notify_all();
  }
  merger_at_work_ = false;
}

}  // namespace warplens::kineto
