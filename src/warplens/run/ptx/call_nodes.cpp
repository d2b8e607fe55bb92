#include "warplens/run/ptx/call_nodes.h"

#include <algorithm>
#include <cstring>

namespace warplens::simt::ptx_machine {
namespace {

Frame new_frame(Warp& w, const FunctionCode& code) {
  const size_t bytes = (code.frame_bytes + 63) / 64 * 64;
  Frame frame(static_cast<uint8_t*>(std::aligned_alloc(64, bytes)));
  std::memset(frame.get(), 0, bytes);
  for (const auto& c : code.constants) {
    for (uint32_t i = 0; i < kLanes; ++i) std::memcpy(frame.get() + c.slot + i * c.bytes, &c.value, c.bytes);
  }
  uint8_t* const regs = w.regs;
  const uint32_t mask = w.mask;
  w.regs = frame.get();
  w.mask = kFull;
  for (const Op& op : code.prologue) op.run(w, op);
  w.regs = regs;
  w.mask = mask;
  return frame;
}

Frame take_frame(Warp& w, uint32_t function) {
  const FunctionCode& code = w.program->functions[function];
  auto& pool = w.worker->free_frames[function];
  Frame frame;
  if (!pool.empty()) {
    frame = std::move(pool.back());
    pool.pop_back();
  } else {
    frame = new_frame(w, code);
  }
  for (size_t i = 0; i < code.cleared.size(); ++i) std::memset(frame.get() + code.cleared[i], 0, code.cleared_bytes[i]);
  return frame;
}

}  // namespace

CallNode* add_node(Warp& w, CallNode* parent, uint32_t function, uint32_t lanes) {
  auto& pool = w.worker->free_nodes;
  std::unique_ptr<CallNode> node;
  if (pool.empty()) {
    node = std::make_unique<CallNode>();
  } else {
    node = std::move(pool.back());
    pool.pop_back();
  }
  node->parent = parent;
  node->function = function;
  node->resume = kNoBlock;
  node->call = 0;
  node->frame = take_frame(w, function);
  node->lanes = lanes;
  node->local_base = parent ? parent->local_top : 0;
  node->local_top = node->local_base + w.program->functions[function].local_bytes;
  node->tops.reset();
  node->depth = parent ? parent->depth + 1 : 0;
  w.nodes.push_back(std::move(node));
  return w.nodes.back().get();
}

void drop_node(Warp& w, CallNode* node) {
  w.worker->free_frames[node->function].push_back(std::move(node->frame));
  const auto at = std::find_if(w.nodes.begin(), w.nodes.end(), [node](const auto& n) { return n.get() == node; });
  w.worker->free_nodes.push_back(std::move(*at));
  w.nodes.erase(at);
}

void grow_local(Warp& w, uint64_t bytes) {
  if (bytes <= w.local_bytes) return;
  w.local_storage.resize(bytes * kLanes);
  w.local = w.local_storage.data();
  w.local_bytes = bytes;
}

void copy_local(Warp& w, uint32_t mask, uint32_t from, uint32_t to, uint32_t bytes) {
  for (uint32_t word = 0; word < bytes / 4; ++word) {
    const uint8_t* source = w.local + uint64_t{from / 4 + word} * 128;
    uint8_t* target = w.local + uint64_t{to / 4 + word} * 128;
    for (uint32_t i = 0; i < kLanes; ++i) {
      if (mask >> i & 1) std::memcpy(target + i * 4, source + i * 4, 4);
    }
  }
}

}  // namespace warplens::simt::ptx_machine
