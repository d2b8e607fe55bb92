// Trace events gathered by track, then written as Perfetto's packets.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warplens/base/byte_sink.h"
#include "warplens/trace/events/event_sink.h"

namespace warplens::writers {

/// Texts with numbers from 1, as a sequence of packets names them.
class InternedTexts {
 public:
  uint64_t number(std::string_view text);
  const std::vector<const std::string*>& texts() const { return order_; }

 private:
  std::unordered_map<std::string, uint64_t> numbers_;
  std::vector<const std::string*> order_;
};

class PacketEvents final : public EventSink {
 public:
  PacketEvents(std::vector<std::pair<std::string, std::string>> head, const ByteSink& to)
      : head_(std::move(head)), to_(to) {}

  PacketEvents& begin(char phase, std::string_view category, std::string_view name, std::string_view process,
                      std::string_view thread, int64_t time_ns) override;
  PacketEvents& duration(int64_t ns) override;
  PacketEvents& field(std::string_view name, int64_t value) override;
  PacketEvents& field(std::string_view name, std::string_view value) override;
  PacketEvents& argument(std::string_view name, int64_t value) override;
  PacketEvents& argument(std::string_view name, double value) override;
  PacketEvents& argument(std::string_view name, std::string_view text) override;
  PacketEvents& argument_json(std::string_view name, std::string_view value) override;
  PacketEvents& arguments_json(std::string_view object) override;
  PacketEvents& argument_list(std::string_view name, std::initializer_list<int64_t> numbers) override;
  void end() override;
  Status flush() override;

 private:
  struct Event {
    char phase = 'X';
    uint32_t track = 0;
    uint64_t name = 0, category = 0;  // numbers of texts, 0: none
    int64_t start_ns = 0, end_ns = 0;
    size_t annotations_at = 0, annotations_size = 0;
  };
  struct Flow {
    uint32_t track;
    int64_t time_ns;
    uint64_t id;
    bool ends;
  };
  struct Count {
    uint32_t track;
    int64_t time_ns;
    double value;
  };
  struct Track {
    const std::string *process, *thread;
    std::string label;
    std::string counter;  // the name of a counter; empty of others
    uint64_t uuid;
    bool used = false;  // some event is on it
  };
  struct Process {
    std::string label;  // of a GPU
    uint64_t uuid = 0;
  };
  using TrackKey = std::pair<std::string, std::string>;

  uint32_t track(std::string_view process, std::string_view thread);
  uint32_t counter_track(uint32_t below, std::string_view name);
  std::string annotation(std::string_view name);
  void annotate(const std::string& annotation);
  void label_track(std::string_view name, std::string_view label);
  uint64_t flow_id(std::string_view category, int64_t id);

  // Writing, in order.
  void packet(std::string_view content, uint64_t flags = 2);
  void hand_on(bool all);
  void write_interned();
  void write_tracks();
  void write_head();
  void write_track_events(std::vector<const Event*>& spans, std::vector<const Flow*>& flows);
  void write_event(uint64_t type, const Event& event, int64_t time_ns, std::string_view flows);
  uint64_t absolute(int64_t time_ns) const {
    return static_cast<uint64_t>(time_ns) + static_cast<uint64_t>(offset_ns_);
  }

  std::vector<std::pair<std::string, std::string>> head_;
  const ByteSink& to_;
  Status status_;
  std::string out_;
  InternedTexts names_, categories_, annotation_names_;
  std::map<std::string, Process, std::less<>> processes_;
  std::map<TrackKey, uint32_t> track_of_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> counter_of_;
  std::vector<Track> tracks_;
  std::vector<std::string> flow_categories_;
  std::vector<Event> events_;
  std::vector<Flow> flows_;
  std::vector<Count> counts_;
  std::string annotations_;  // of all events
  Event current_;
  std::string current_text_, current_category_;
  int64_t current_id_ = 0, offset_ns_ = 0, first_ns_ = 0;
  double current_value_ = 0;
  uint64_t next_uuid_ = 1;
  std::unordered_map<const char*, bool> is_json_;
};

}  // namespace warplens::writers
