// The Python stack of each of torch's events.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/program/analysis/operators/torch_events.h"

namespace warplens::analysis {

/// Stacks are interned: a node is a frame with the node of its caller. Node 0 is the empty stack.
class TorchStacks {
 public:
  TorchStacks(const Profile& profile, const TorchEvents& events);

  uint32_t of_event(size_t event) const { return event_node_[event]; }
  uint32_t of_device_event(uint32_t row) const { return device_node_[row]; }
  /// The innermost `count` frames of a stack, innermost first.
  std::vector<std::string_view> frames(uint32_t node, size_t count) const;

 private:
  struct Key {
    std::string_view frame;
    uint32_t caller;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return std::hash<std::string_view>()(key.frame) * 31 + key.caller; }
  };

  uint32_t intern(std::string_view frame, uint32_t caller);
  uint32_t of_text(StringId call_stack);
  /// The frame open on `thread` at a time.
  uint32_t at(uint32_t thread, int64_t time_ns) const;
  void find_operator_stacks();
  void find_event_stacks(const TorchEvents& events);  // and those of device events
  /// Work below a backward function gets the stack of the first forward operator with its sequence number.
  void move_backward(const TorchEvents& events);

  const Profile& p_;
  Forest operators_, frames_;
  std::vector<Key> nodes_ = {{}};
  std::unordered_map<Key, uint32_t, KeyHash> node_of_;
  std::unordered_map<StringId, uint32_t> node_of_text_;
  std::vector<uint32_t> frame_node_, operator_node_, call_node_, event_node_, device_node_;
};

}  // namespace warplens::analysis
