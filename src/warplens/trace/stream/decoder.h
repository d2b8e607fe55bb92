// Decoding: a file's bytes in, records out. Damaged parts are skipped and counted.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/trace/stream/events.h"
#include "warplens/trace/stream/layout.h"

namespace warplens::stream {

bool sniff(std::string_view head);

/// The output of a decoder. Texts and sites come before the events that refer to them, unless a block was damaged.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void text(uint64_t id, std::string_view text) = 0;
  virtual void site(uint64_t id, const KernelSite& site) = 0;
  virtual void site(uint64_t id, const CallSite& site) = 0;
  virtual void site(uint64_t id, const CopySite& site) = 0;
  virtual void site(uint64_t id, const SetSite& site) = 0;
  virtual void site(uint64_t id, const SyncSite& site) = 0;
  virtual void device(const Device& device, uint64_t name) = 0;
  virtual void thread_name(uint64_t thread, uint64_t name) = 0;
  virtual void metadata(uint64_t key, uint64_t value) = 0;
  virtual void graph_node(uint64_t node, uint64_t original, uint64_t name) = 0;
  virtual void activity(Tag tag, const Activity& activity) = 0;  // kKernel, kCall, kCopy, kSet or kSync
  virtual void allocation(uint64_t thread, uint64_t time_ns, uint64_t address, int64_t bytes, int64_t device) = 0;
  virtual void push(uint64_t thread, uint64_t time_ns, uint64_t name, uint64_t domain) = 0;
  virtual void begin_operator(uint64_t thread, uint64_t time_ns, uint64_t name, uint64_t shapes, int64_t sequence) = 0;
  virtual void pop(uint64_t thread, uint64_t time_ns) = 0;
  virtual void mark(uint64_t thread, uint64_t time_ns, uint64_t name, uint64_t domain) = 0;
  virtual void range_start(uint64_t thread, uint64_t time_ns, uint64_t id, uint64_t name, uint64_t domain) = 0;
  virtual void range_end(uint64_t thread, uint64_t time_ns, uint64_t id) = 0;
  virtual void clock(uint64_t realtime_ns, uint64_t monotonic_raw_ns) = 0;
  virtual void lost(Lost what, uint64_t count) = 0;
  virtual void pause(uint64_t time_ns, bool pauses) = 0;
  virtual void end() = 0;
};

struct Damage {
  uint64_t torn_bytes = 0;        // after the last whole block: the program died while they were written
  uint64_t damaged_blocks = 0;    // in the middle, skipped
  uint64_t first_damage = 0;      // offset of the first of them
  uint64_t missing_blocks = 0;    // missing numbers, without those of damaged blocks
  uint64_t missing_events = 0;    // records of event blocks in the totals and in no block; 0 without totals
  uint64_t misplaced_blocks = 0;  // duplicates or out of order: skipped
  bool has_totals = false;        // the file was finished
};

/// The error is for files that are not of this kind or of a newer version.
Result<Damage> decode(std::string_view bytes, Visitor& visitor);

}  // namespace warplens::stream
