#include "warplens/memory/snapshot.h"

#include <map>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/trace/pickle/pickle.h"

namespace warplens::memory {
namespace {

using pickle::Document;
using pickle::Kind;
using pickle::Value;

constexpr int64_t kMostDevices = 4096;
constexpr size_t kMostFrames = 4096;  // of a stack; Python's own limit is 1000

class Reader {
 public:
  explicit Reader(const Document& document, Snapshot& out) : document_(document), out_(out) {}

  Status read() {
    const Value& root = document_.root();
    // Older versions of torch pickle the list of segments alone.
    const bool old = root.kind == Kind::kList;
    const Value segments = old ? root : document_.find(root, "segments");
    const Value traces = document_.find(root, "device_traces");
    if (segments.kind != Kind::kList && traces.kind != Kind::kList)
      return invalid_input("a pickle, but no memory snapshot: it has neither segments nor device_traces");
    for (const Value& segment : document_.list(segments)) {
      WL_TRY(check_repeats());
      read_segment(segment);
    }
    for (const Value& trace : document_.list(traces)) {
      out_.events.emplace_back();
      for (const Value& event : document_.list(trace)) read_event(event);
      WL_TRY(check_repeats());
    }
    for (const Value& annotation : document_.list(root, "external_annotations")) {
      ++entries_;
      out_.annotations.push_back({document_.text(annotation, "name"), document_.text(annotation, "stage") == "START",
                                  document_.whole(annotation, "device"), document_.whole(annotation, "time_us")});
    }
    WL_TRY(check_repeats());
    if (old && out_.segments.empty())
      return invalid_input("a pickle, but no memory snapshot: its list holds no segments");
    return {};
  }

 private:
  /// Torch writes a dictionary for each entry, of tens of bytes. Pickles can name one in many places.
  Status check_repeats() const {
    if (entries_ <= out_.bytes.size()) return {};
    return invalid_input("the snapshot repeats itself: it has more segments, blocks and events than bytes");
  }

  uint32_t stack_of(const Value& owner) {
    const Value frames = document_.find(owner, "frames");
    if (frames.kind != Kind::kList || document_.list(frames).empty()) return kNoStack;
    const auto [known, added] = stacks_.try_emplace(frames.whole, kNoStack);
    if (added) known->second = add_stack(frames);
    return known->second;
  }

  /// Torch writes a list of frames for each event: equal ones are one stack.
  uint32_t add_stack(const Value& frames) {
    std::vector<Frame> stack;
    size_t hash = 0;
    if (document_.list(frames).size() > kMostFrames) {
      ++out_.broken_entries;
      return kNoStack;
    }
    for (const Value& frame : document_.list(frames)) {
      stack.push_back(
          {document_.text(frame, "filename"), document_.text(frame, "name"), document_.whole(frame, "line")});
      for (const size_t part :
           {std::hash<std::string_view>()(stack.back().file), std::hash<std::string_view>()(stack.back().function),
            static_cast<size_t>(stack.back().line)})
        hash = hash * 31 + part;
    }
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at)
      if (out_.stacks[at->second] == stack) return at->second;
    out_.stacks.push_back(std::move(stack));
    const auto id = static_cast<uint32_t>(out_.stacks.size() - 1);
    by_hash_.emplace(hash, id);
    return id;
  }

  void read_segment(const Value& value) {
    entries_ += 1 + document_.list(value, "blocks").size();
    if (value.kind != Kind::kDict || document_.find(value, "total_size").kind != Kind::kWhole) {
      ++out_.broken_entries;
      return;
    }
    Segment segment{document_.whole(value, "device"), document_.whole(value, "address"),
                    document_.whole(value, "total_size"), document_.whole(value, "stream")};
    segment.expandable = document_.whole(value, "is_expandable") != 0;
    segment.small_pool = document_.text(value, "segment_type") == "small";
    if (segment.device < 0 || segment.device > kMostDevices) {
      ++out_.broken_entries;
      return;
    }
    int64_t address = segment.address;
    for (const Value& block : document_.list(value, "blocks")) {
      Block& one = segment.blocks.emplace_back();
      one.bytes = document_.whole(block, "size");
      one.address = document_.whole(block, "address", address);
      one.requested_bytes = document_.whole(block, "requested_size", one.bytes);
      one.allocated = document_.text(block, "state").starts_with("active");
      one.stack = stack_of(block);
      if (one.stack == kNoStack) {  // of older versions: the history of the block, the newest first
        const auto history = document_.list(block, "history");
        if (!history.empty()) one.stack = stack_of(history.front());
      }
      if (one.bytes < 0 || __builtin_add_overflow(address, one.bytes, &address)) {
        segment.blocks.pop_back();
        ++out_.broken_entries;
      }
    }
    out_.segments.push_back(std::move(segment));
  }

  void read_event(const Value& value) {
    ++entries_;
    static const std::map<std::string_view, Action> kActions = {{"alloc", Action::kAlloc},
                                                                {"free_completed", Action::kFree},
                                                                {"segment_alloc", Action::kSegmentAlloc},
                                                                {"segment_map", Action::kSegmentAlloc},
                                                                {"segment_free", Action::kSegmentFree},
                                                                {"segment_unmap", Action::kSegmentFree},
                                                                {"oom", Action::kOutOfMemory},
                                                                {"free_requested", Action::kOther},
                                                                {"snapshot", Action::kOther}};
    const auto known = kActions.find(document_.text(value, "action"));
    if (known == kActions.end()) {
      ++out_.unknown_actions;
      return;
    }
    Event event{known->second, document_.whole(value, "addr"), document_.whole(value, "size"),
                document_.whole(value, "time_us")};
    event.stream = document_.whole(value, "stream");
    if (event.bytes < 0) {
      ++out_.broken_entries;
      return;
    }
    event.device_free_bytes = document_.whole(value, "device_free");
    event.stack = stack_of(value);
    if (event.action != Action::kOther) out_.events.back().push_back(event);
  }

  const Document& document_;
  Snapshot& out_;
  size_t entries_ = 0;
  std::unordered_map<int64_t, uint32_t> stacks_;  // list of frames -> stack
  std::unordered_multimap<size_t, uint32_t> by_hash_;
};

}  // namespace

bool may_be_snapshot(std::string_view head) { return pickle::sniff(head); }

Result<Snapshot> read_snapshot(std::string bytes) {
  Snapshot out;
  out.bytes = std::move(bytes);
  WL_ASSIGN(const Document document, pickle::read(out.bytes));
  WL_TRY(Reader(document, out).read());
  return out;
}

}  // namespace warplens::memory
