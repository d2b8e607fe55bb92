#include "warplens/trace/stream/decoder.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/checksum.h"
#include "warplens/trace/stream/varint.h"

namespace warplens::stream {
namespace {

struct Last {
  uint64_t time_ns = 0, correlation = 0;
};

class BlockDecoder {
 public:
  BlockDecoder(std::string_view payload, Visitor& visitor) : in_(payload), to_(visitor) {}

  /// Whether all of the payload could be read, and held `records` of them.
  bool run(uint64_t records) {
    for (; !in_.at_end(); ++records_) {
      if (!record(static_cast<Tag>(in_.byte())) || !in_.ok()) return false;
    }
    return in_.ok() && records_ == records;
  }
  uint64_t records() const { return records_; }

 private:
  bool record(Tag tag) { return definition(tag) || activity(tag) || host_event(tag) || about(tag); }
  bool definition(Tag tag);
  bool site(Tag tag);
  void device();
  bool activity(Tag tag);
  bool host_event(Tag tag);
  bool about(Tag tag);

  uint32_t small() { return static_cast<uint32_t>(in_.number()); }
  int32_t extent() { return static_cast<int32_t>(small()); }
  uint64_t time(uint64_t& last_ns) { return last_ns += static_cast<uint64_t>(in_.signed_number()); }

  VarintReader in_;
  Visitor& to_;
  Last device_, call_;
  uint64_t host_ns_ = 0, thread_ = 0, records_ = 0;
};

bool BlockDecoder::definition(Tag tag) {
  switch (tag) {
    case Tag::kText: {
      const uint64_t id = in_.number();
      const std::string_view text = in_.text();
      if (in_.ok()) to_.text(id, text);
      return true;
    }
    case Tag::kDevice: device(); return true;
    case Tag::kThreadName: {
      const uint64_t thread = in_.number(), name = in_.number();
      if (in_.ok()) to_.thread_name(thread, name);
      return true;
    }
    case Tag::kMetadata: {
      const uint64_t key = in_.number(), value = in_.number();
      if (in_.ok()) to_.metadata(key, value);
      return true;
    }
    case Tag::kGraphNode: {
      const uint64_t node = in_.number(), original = in_.number(), name = in_.number();
      if (in_.ok()) to_.graph_node(node, original, name);
      return true;
    }
    default: return site(tag);
  }
}

// Members of a braced list are read in their order.
bool BlockDecoder::site(Tag tag) {
  const auto give = [&](uint64_t id, const auto& site) {
    if (in_.ok()) to_.site(id, site);
    return true;
  };
  switch (tag) {
    case Tag::kKernelSite: {
      const uint64_t id = in_.number();
      return give(id, KernelSite{small(),
                                 small(),
                                 small(),
                                 small(),
                                 {extent(), extent(), extent()},
                                 {extent(), extent(), extent()},
                                 small(),
                                 small()});
    }
    case Tag::kCallSite: {
      const uint64_t id = in_.number();
      return give(id, CallSite{small(), small(), small()});
    }
    case Tag::kCopySite: {
      const uint64_t id = in_.number();
      return give(id, CopySite{small(), small(), small(), small(), small(), small()});
    }
    case Tag::kSetSite: {
      const uint64_t id = in_.number();
      return give(id, SetSite{small(), small(), small(), small()});
    }
    case Tag::kSyncSite: {
      const uint64_t id = in_.number();
      return give(id, SyncSite{small(), small(), small(), small()});
    }
    default: return false;
  }
}

void BlockDecoder::device() {
  Device device{};
  device.ordinal = small();
  const uint64_t name = in_.number();
  device.memory_bytes = in_.number();
  for (uint32_t* field : {&device.sm_count, &device.compute_major, &device.compute_minor, &device.max_threads_per_sm,
                          &device.registers_per_sm, &device.shared_bytes_per_sm, &device.warp_size})
    *field = small();
  if (in_.ok()) to_.device(device, name);
}

bool BlockDecoder::activity(Tag tag) {
  const bool in_graph = tag == Tag::kGraphKernel || tag == Tag::kGraphCopy || tag == Tag::kGraphSet;
  if (in_graph) tag = tag == Tag::kGraphKernel ? Tag::kKernel : tag == Tag::kGraphCopy ? Tag::kCopy : Tag::kSet;
  const bool on_device = tag == Tag::kKernel || tag == Tag::kCopy || tag == Tag::kSet;
  if (!on_device && tag != Tag::kCall && tag != Tag::kSync) return false;
  Last& last = on_device ? device_ : call_;
  Activity activity{};
  activity.site = small();
  activity.start_ns = time(last.time_ns);
  activity.end_ns = activity.start_ns + in_.number();
  activity.correlation = last.correlation += static_cast<uint64_t>(in_.signed_number());
  if (tag == Tag::kCopy || tag == Tag::kSet) activity.bytes = in_.number();
  if (tag == Tag::kSync) activity.event_plus_1 = in_.number();
  if (in_graph) {
    activity.graph = in_.number();
    activity.node = in_.number();
  }
  if (in_.ok()) to_.activity(tag, activity);
  return true;
}

bool BlockDecoder::host_event(Tag tag) {
  if (tag == Tag::kThread) {
    thread_ = in_.number();
    return true;
  }
  if (tag < Tag::kPush || tag > Tag::kRangeEnd) return false;
  const uint64_t at_ns = time(host_ns_);
  uint64_t fields[3] = {};
  const int count = tag == Tag::kPop                                   ? 0
                    : tag == Tag::kRangeEnd                            ? 1
                    : tag == Tag::kOperator || tag == Tag::kRangeStart ? 3
                                                                       : 2;
  for (int i = 0; i < count; ++i) fields[i] = in_.number();
  if (!in_.ok()) return true;
  switch (tag) {
    case Tag::kPush: to_.push(thread_, at_ns, fields[0], fields[1]); break;
    case Tag::kOperator:
      to_.begin_operator(thread_, at_ns, fields[0], fields[1], static_cast<int64_t>(fields[2]) - 1);
      break;
    case Tag::kPop: to_.pop(thread_, at_ns); break;
    case Tag::kMark: to_.mark(thread_, at_ns, fields[0], fields[1]); break;
    case Tag::kRangeStart: to_.range_start(thread_, at_ns, fields[0], fields[1], fields[2]); break;
    default: to_.range_end(thread_, at_ns, fields[0]); break;
  }
  return true;
}

bool BlockDecoder::about(Tag tag) {
  switch (tag) {
    case Tag::kClock: {
      const uint64_t realtime_ns = in_.number(), raw_ns = in_.number();
      if (in_.ok()) to_.clock(realtime_ns, raw_ns);
      return true;
    }
    case Tag::kLost: {
      const uint64_t what = in_.number(), count = in_.number();
      if (in_.ok() && what < static_cast<uint64_t>(Lost::kCount)) to_.lost(static_cast<Lost>(what), count);
      return true;
    }
    case Tag::kAllocation: {
      const uint64_t thread = in_.number(), at_ns = time(call_.time_ns), address = in_.number();
      const int64_t bytes = in_.signed_number(), device = static_cast<int64_t>(in_.number()) - 1;
      if (in_.ok()) to_.allocation(thread, at_ns, address, bytes, device);
      return true;
    }
    case Tag::kPause: {
      const uint64_t at_ns = time(call_.time_ns), pauses = in_.number();
      if (in_.ok()) to_.pause(at_ns, pauses != 0);
      return true;
    }
    case Tag::kEnd: to_.end(); return true;
    default: return false;
  }
}

Status check_header(std::string_view bytes) {
  FileHeader header;
  if (bytes.size() < sizeof header) return invalid_input("a recording cut off inside its header: nothing was recorded");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.byte_order != kByteOrder)
    return unsupported("recorded on a machine of the other byte order: convert it there");
  if (header.major > kMajor) return unsupported("recorded by a newer warplens than this one: update warplens");
  if (header.major < kMajor)
    return unsupported("recorded by an older warplens, whose blocks had no numbers: record again");
  return {};
}

/// The next place at or behind `from` where a whole block stands, or the end.
size_t next_block(std::string_view bytes, size_t from) {
  const std::string_view magic(reinterpret_cast<const char*>(&kBlockMagic), sizeof kBlockMagic);
  const size_t found = bytes.find(magic, from);
  return found == std::string_view::npos ? bytes.size() : found;
}

/// The header and the payload of the block at `offset` when all of it is there and whole; its length may be 0.
bool whole_block(std::string_view bytes, size_t offset, BlockHeader& header, std::string_view& payload) {
  if (bytes.size() - offset < sizeof header) return false;
  std::memcpy(&header, bytes.data() + offset, sizeof header);
  if (header.magic != kBlockMagic || header.payload_bytes > kMaxBlockBytes) return false;
  payload = bytes.substr(offset + sizeof header, header.payload_bytes);
  return payload.size() == header.payload_bytes && checksum(payload) == header.checksum;
}

/// Reads one block after the other and knows which should come.
class FileDecoder {
 public:
  explicit FileDecoder(Visitor& visitor) : to_(visitor) {}

  void block(const BlockHeader& header, std::string_view payload, size_t at) {
    if (header.sequence < expected_) {
      ++damage_.misplaced_blocks;
      return;
    }
    const uint64_t gap = header.sequence - expected_;
    // What was skipped as damaged is told as that: one block at least, and as many as have no number now.
    if (skipped_from_ != 0) damaged(skipped_from_, std::max<uint64_t>(gap, 1));
    else damage_.missing_blocks += gap;
    skipped_from_ = 0;
    expected_ = header.sequence;
    if (header.kind == BlockKind::kTotals) return totals(payload, at);
    ++expected_;
    BlockDecoder decoder(payload, to_);
    if (!decoder.run(header.records)) damaged(at, 1);
    if (header.kind == BlockKind::kEvents) records_ += decoder.records();
  }

  void skip(size_t at) {
    if (skipped_from_ == 0) skipped_from_ = at;
  }

  Damage finish(size_t size) {
    if (skipped_from_ != 0) damage_.torn_bytes = size - skipped_from_;
    return damage_;
  }

 private:
  void damaged(size_t at, uint64_t blocks) {
    if (damage_.damaged_blocks == 0) damage_.first_damage = at;
    damage_.damaged_blocks += blocks;
  }

  void totals(std::string_view payload, size_t at) {
    VarintReader in(payload);
    const uint64_t blocks = in.number(), records = in.number();
    if (!in.ok()) return damaged(at, 1);
    damage_.has_totals = true;
    if (blocks > expected_) damage_.missing_blocks += blocks - expected_;
    if (records > records_) damage_.missing_events = records - records_;
    expected_ = UINT64_MAX;  // nothing belongs behind it
  }

  Visitor& to_;
  Damage damage_;
  uint64_t expected_ = 0, records_ = 0;
  size_t skipped_from_ = 0;  // start of what is damaged and has no whole block behind it yet
};

}  // namespace

bool sniff(std::string_view head) { return head.starts_with(std::string_view(kMagic, sizeof kMagic)); }

Result<Damage> decode(std::string_view bytes, Visitor& visitor) {
  if (!sniff(bytes)) return invalid_input("not a recording");
  WL_TRY(check_header(bytes));
  FileDecoder decoder(visitor);
  for (size_t at = sizeof(FileHeader); at < bytes.size();) {
    BlockHeader header;
    std::string_view payload;
    if (whole_block(bytes, at, header, payload)) {
      decoder.block(header, payload, at);
      at += sizeof header + payload.size();
    } else {
      decoder.skip(at);
      at = next_block(bytes, at + 1);
    }
  }
  return decoder.finish(bytes.size());
}

}  // namespace warplens::stream
