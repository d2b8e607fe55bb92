// Encoding: events in, blocks out.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "warplens/trace/profile/strings.h"
#include "warplens/trace/stream/events.h"
#include "warplens/trace/stream/layout.h"
#include "warplens/trace/stream/site_table.h"
#include "warplens/trace/stream/varint.h"

namespace warplens::stream {

/// Takes finished blocks, header included; their numbers are those of the file that FileBlocks puts them into.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// `first_ns` and `last_ns` bound the times in an event block.
  virtual void put(BlockKind kind, std::string_view block, uint64_t first_ns, uint64_t last_ns) = 0;
};

FileHeader file_header();

/// Payload under construction; grows to its block's size once and is then reused.
class Payload {
 public:
  explicit Payload(size_t capacity);
  void tag(Tag tag) {
    *at_++ = static_cast<uint8_t>(tag);
    ++records_;
  }
  void number(uint64_t value) { at_ = put_varint(at_, value); }
  void signed_number(int64_t value) { number(zigzag(value)); }
  void text(std::string_view text);
  bool empty() const { return at_ == begin(); }
  size_t bytes() const { return static_cast<size_t>(at_ - begin()); }
  /// The block with its header; the payload is empty afterwards, the view holds until the next record.
  std::string_view finish(BlockKind kind);

 private:
  uint8_t* begin() const { return storage_.get() + sizeof(BlockHeader); }
  std::unique_ptr<uint8_t[]> storage_;
  uint8_t* at_;
  uint32_t records_ = 0;
};

/// One thread uses it. Blocks go to the sink when they are full and at flush().
class Encoder {
 public:
  explicit Encoder(BlockSink& sink);

  uint32_t text(std::string_view text);
  uint32_t site(const KernelSite& site);
  uint32_t site(const CallSite& site);
  uint32_t site(const CopySite& site);
  uint32_t site(const SetSite& site);
  uint32_t site(const SyncSite& site);
  void device(const Device& device);
  void thread_name(uint32_t thread, std::string_view name);
  void metadata(std::string_view key, std::string_view json_value);
  void graph_node(uint64_t node, uint64_t original, std::string_view operator_name);

  void kernel(const Activity& activity) { put(Tag::kKernel, Tag::kGraphKernel, activity, device_); }
  void copy(const Activity& activity) { put(Tag::kCopy, Tag::kGraphCopy, activity, device_); }
  void set(const Activity& activity) { put(Tag::kSet, Tag::kGraphSet, activity, device_); }
  void call(const Activity& activity) { put(Tag::kCall, Tag::kCall, activity, call_); }
  void sync(const Activity& activity) { put(Tag::kSync, Tag::kSync, activity, call_); }
  void allocation(uint32_t thread, uint64_t time_ns, uint64_t address, int64_t bytes, int32_t device);

  void push(uint32_t thread, uint64_t time_ns, uint32_t name, uint32_t domain);
  void begin_operator(uint32_t thread, uint64_t time_ns, uint32_t name, uint32_t shapes, int64_t sequence);
  void pop(uint32_t thread, uint64_t time_ns);
  void mark(uint32_t thread, uint64_t time_ns, uint32_t name, uint32_t domain);
  void range_start(uint32_t thread, uint64_t time_ns, uint64_t id, uint32_t name, uint32_t domain);
  void range_end(uint32_t thread, uint64_t time_ns, uint64_t id);

  void clock(uint64_t realtime_ns, uint64_t monotonic_raw_ns);
  void lost(Lost what, uint64_t count);
  void pause(uint64_t time_ns, bool pauses);
  void end();

  void flush();
  uint64_t events() const { return events_; }

 private:
  struct Last {
    uint64_t time_ns = 0, correlation = 0;
  };
  template <typename Site, typename... Numbers>
  uint32_t define(SiteTable<Site>& table, Tag tag, const Site& site, Numbers... numbers);
  void put(Tag plain, Tag in_graph, const Activity& activity, Last& last);
  void begin_event();
  void host_event(Tag tag, uint32_t thread, uint64_t time_ns);
  void time(uint64_t time_ns, uint64_t& last_ns);
  void room_for_definition(size_t bytes);
  void flush_definitions();
  void flush_events();

  BlockSink& sink_;
  Payload definitions_, event_records_;
  Strings texts_;
  SiteTable<KernelSite> kernels_;
  SiteTable<CallSite> calls_;
  SiteTable<CopySite> copies_;
  SiteTable<SetSite> sets_;
  SiteTable<SyncSite> syncs_;
  uint32_t next_site_ = 1;
  size_t text_bytes_ = 0;
  uint64_t lost_texts_ = 0, told_lost_texts_ = 0;
  Last device_, call_;
  uint64_t host_ns_ = 0;
  uint32_t thread_ = 0;
  uint64_t first_ns_ = UINT64_MAX, last_ns_ = 0;
  uint64_t events_ = 0;
};

}  // namespace warplens::stream
