// default-stream: work on the default stream waits for all other streams, and they wait for it.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr int64_t kSoonNs = 20'000;  // after what it waited for: streams signal each other in 4 to 10 us

bool nearly_all(size_t some, size_t all) { return 5 * some >= 4 * all; }

int64_t end_of(const Context& c, const ProgramEvent& event) { return c.start_of(event) + event.duration_ns; }

/// An event begins soon after another stream's, though its own stream was free, nothing was recorded that it waits
/// for, and its launch lay long before.
class Waits {
 public:
  explicit Waits(const Context& context) : c_(context) {
    for (uint32_t e = 0; e < c_.program.events.size(); ++e) order_.push_back(e);
    std::ranges::sort(order_, {}, [&](uint32_t e) { return c_.start_of(c_.program.events[e]); });
  }

  /// Events by stream, and of those the ones that wait for this stream or that wait on it for another.
  struct Stream {
    size_t events = 0, waiting = 0, alone = 0;
    std::vector<uint32_t> delayed;  // rows of device_events, of all streams
  };

  std::map<uint32_t, Stream> run() const {
    std::map<uint32_t, Stream> out;
    std::map<uint32_t, int64_t> ends;  // by stream
    const ProgramEvent* before = nullptr;
    for (size_t i = 0; i < order_.size(); ++i) {
      const ProgramEvent& event = c_.program.events[order_[i]];
      Stream& mine = out[event.stream];
      ++mine.events;
      if (before != nullptr && before->stream != event.stream && waits(event, *before, ends)) {
        ++mine.waiting;
        mine.delayed.push_back(event.row);
        out[before->stream].delayed.push_back(event.row);
      }
      const bool follows = before == nullptr || end_of(c_, *before) <= c_.start_of(event);
      const bool leads = i + 1 == order_.size() || end_of(c_, event) <= c_.start_of(c_.program.events[order_[i + 1]]);
      mine.alone += follows && leads;
      ends[event.stream] = std::max(ends[event.stream], end_of(c_, event));
      if (before == nullptr || end_of(c_, event) > end_of(c_, *before)) before = &event;
    }
    return out;
  }

 private:
  bool waits(const ProgramEvent& event, const ProgramEvent& before, const std::map<uint32_t, int64_t>& ends) const {
    const int64_t start_ns = c_.start_of(event), free_ns = end_of(c_, before);
    const auto own = ends.find(event.stream);
    const bool stream_was_free = own == ends.end() || own->second < free_ns;
    return event.waits_begin == event.waits_end && stream_was_free && start_ns >= free_ns &&
           start_ns < free_ns + kSoonNs && c_.program.calls[event.call].end_ns < free_ns;
  }

  const Context& c_;
  std::vector<uint32_t> order_;
};

}  // namespace

std::optional<Finding> default_stream(const Context& c) {
  if (c.program.streams.size() < 3) return std::nullopt;
  const std::map<uint32_t, Waits::Stream> streams = Waits(c).run();
  for (const auto& [stream, found] : streams) {
    if (found.events < c.program.steps || !nearly_all(found.waiting, found.events) ||
        !nearly_all(found.alone, found.events))
      continue;
    Change change;
    change.undelayed = found.delayed;
    Finding f;
    c.set_saving(f, change);
    if (saves_little(f)) continue;
    const double count = c.per_step(static_cast<double>(found.events));
    f.title =
        fmt::format("{} on stream {} {} delay {} other streams", counted(count, "kernel or copy", "kernels and copies"),
                    c.program.streams[stream].second, c.each_step(), c.program.streams.size() - 1);
    f.detail =
        "Each begins when all other streams are idle, and those continue when it has ended. If cudaStreamCreate made "
        "the other streams, the default stream also waits for them in this way. The saving assumes streams that wait "
        "only for their own work.";
    f.advice =
        "Launch this work on the stream whose results it uses. Or make the other streams by "
        "cudaStreamCreateWithFlags(..., cudaStreamNonBlocking), and wait by events where one needs another's results.";
    f.evidence = {{"events_per_step", count},
                  {"waiting_per_step", c.per_step(static_cast<double>(found.delayed.size()))},
                  {"streams", static_cast<int64_t>(c.program.streams.size())}};
    return f;
  }
  return std::nullopt;
}

}  // namespace warplens::findings
