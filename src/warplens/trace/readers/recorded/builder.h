// From a recording's records to the rows of one rank.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "warplens/trace/profile/profile.h"
#include "warplens/trace/readers/recorded/by_id.h"
#include "warplens/trace/stream/decoder.h"

namespace warplens::recorded {

class Builder : public stream::Visitor {
 public:
  /// `base_ns`: time 0 of the profile; without it the first event's.
  explicit Builder(std::string file, std::optional<int64_t> base_ns = {});

  void text(uint64_t id, std::string_view text) override;
  void site(uint64_t id, const stream::KernelSite& site) override;
  void site(uint64_t id, const stream::CallSite& site) override;
  void site(uint64_t id, const stream::CopySite& site) override;
  void site(uint64_t id, const stream::SetSite& site) override;
  void site(uint64_t id, const stream::SyncSite& site) override;
  void device(const stream::Device& device, uint64_t name) override;
  void thread_name(uint64_t thread, uint64_t name) override;
  void metadata(uint64_t key, uint64_t value) override;
  void graph_node(uint64_t node, uint64_t original, uint64_t name) override;
  void activity(stream::Tag tag, const stream::Activity& activity) override;
  void allocation(uint64_t thread, uint64_t time_ns, uint64_t address, int64_t bytes, int64_t device) override;
  void push(uint64_t thread, uint64_t time_ns, uint64_t name, uint64_t domain) override;
  void begin_operator(uint64_t thread, uint64_t time_ns, uint64_t name, uint64_t shapes, int64_t sequence) override;
  void pop(uint64_t thread, uint64_t time_ns) override;
  void mark(uint64_t thread, uint64_t time_ns, uint64_t name, uint64_t domain) override;
  void range_start(uint64_t thread, uint64_t time_ns, uint64_t id, uint64_t name, uint64_t domain) override;
  void range_end(uint64_t thread, uint64_t time_ns, uint64_t id) override;
  void clock(uint64_t realtime_ns, uint64_t monotonic_raw_ns) override;
  void lost(stream::Lost what, uint64_t count) override;
  void pause(uint64_t time_ns, bool pauses) override;
  void end() override { ended_ = true; }

  // For readers of files with rows that no recording of ours has: they add these to the profile themselves.
  Profile& profile() { return profile_; }
  int64_t local(uint64_t time_ns);  // on the profile's axis; widens its window
  uint32_t thread_row(uint64_t thread);
  void sample(uint64_t thread, int64_t time_ns, std::string_view stack,
              std::string_view state);  // on the profile's axis
  /// The driver's calls that have a runtime call's correlation are the program's own, not the runtime's.
  void keep_driver_calls() { keeps_driver_calls_ = true; }

  /// The profile of this one rank, with losses and damage in its integrity.
  Profile finish(const stream::Damage& damage);

 private:
  struct Site {
    stream::Tag kind = {};
    StringId name = StringId::kEmpty;
    uint32_t device = kNone, thread = kNone, launch_config = kNone;
    int32_t context = 0;
    int64_t stream = 0;
    uint32_t type = 0;  // copies: kind; calls: 1 for the driver's
  };
  /// The position of an open range; frames are modules, which torch's own traces keep among the Python frames.
  struct Open {
    uint32_t row;
    bool is_frame;
  };

  /// A CUDA event was put into a stream, by a call.
  struct RecordedEvent {
    int64_t time_ns, event, stream, correlation;
  };

  struct Sample {
    uint32_t thread;  // row
    int64_t time_ns;
    StringId stack, state;
  };

  /// Attributes of an operator, in the trace's format.
  struct Inputs {
    StringId shapes = StringId::kEmpty, types = StringId::kEmpty, values = StringId::kEmpty;
  };

  StringId name(uint64_t text_id);
  uint32_t device_row(uint32_t ordinal);
  Site& new_site(uint64_t id, stream::Tag kind);
  void add_call(const Site& site, const stream::Activity& activity);
  void add_device_event(const Site& site, stream::Tag tag, const stream::Activity& activity);
  void add_sync(const Site& site, const stream::Activity& activity);
  void open(uint64_t thread, operators_row row);
  StringId domain_arguments(uint64_t domain);
  Inputs inputs_of(uint64_t text_id);
  StringId operator_of_node(uint64_t node) const;
  void arguments(uint64_t thread, uint64_t text_id);
  void add_samples();
  void join_collectives();
  void close_open_ranges();
  void adopt_steps();
  void move_step_ends(operators_table& steps);
  void mark_backward();
  void name_graph_nodes();
  void place_synchronizations();
  void join_events();
  double occupancy_of(uint32_t config, uint32_t device) const;  // rows of launch_configs and devices; -1 where unknown
  void estimate_occupancies();
  void leave_out_inner_driver_calls();
  void take_identity();
  void set_window();
  void tell_losses(const stream::Damage& damage);

  Profile profile_;
  std::string file_;
  ById<StringId> texts_;
  ById<Site> sites_;
  std::unordered_map<uint64_t, uint32_t> threads_, devices_;
  std::unordered_map<int64_t, uint32_t> context_devices_;
  std::unordered_map<uint32_t, std::vector<Open>> open_;  // by row of threads
  std::unordered_map<uint64_t, uint32_t> started_;        // start/end ranges by id: row of other_events
  std::unordered_map<uint64_t, std::pair<uint64_t, StringId>> nodes_;
  std::vector<std::pair<uint64_t, uint64_t>> clocks_;
  uint64_t lost_[static_cast<size_t>(stream::Lost::kCount)] = {};
  std::vector<int32_t> sync_contexts_;  // of each row of synchronizations
  std::vector<RecordedEvent> recorded_events_;
  std::vector<Sample> samples_;
  std::unordered_map<StringId, Inputs> inputs_;  // by the text that holds all three
  int64_t unknown_sites_ = 0, unopened_ = 0, unclosed_ = 0;
  int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN, paused_at_ns_ = INT64_MIN, paused_ns_ = 0;
  bool ended_ = false, has_base_ = false, keeps_driver_calls_ = false;
};

}  // namespace warplens::recorded
