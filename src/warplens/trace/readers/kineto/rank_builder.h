// One file's part of the profile: chunks are merged into it in the order of the text, then loose ends are tied.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "warplens/trace/profile/profile.h"
#include "warplens/trace/readers/kineto/chunk.h"

namespace warplens::kineto {

struct SpanColumns {
  const char* table;
  Column<int64_t>& starts;
  Column<int64_t>& durations;
};
SpanColumns span_columns(Tables& tables, SpanTable table);

class RankBuilder {
 public:
  /// Adds a row of ranks for the file `name`.
  RankBuilder(Profile& profile, const std::string& name);

  void merge(Chunk& chunk);
  /// A key and value outside the events; `value` is JSON text.
  void add_metadata(std::string_view key, std::string_view value);
  /// Joins begins and ends, names threads, sets the rank's window, puts times on the profile's axis.
  void finish();

  int64_t events() const { return events_; }
  /// Whether no event became a row of any table.
  bool is_empty();
  Integrity& integrity() { return profile_.integrity; }
  const std::string& name() const { return name_; }

 private:
  std::vector<uint32_t> merge_threads(const Chunk& chunk, const std::vector<StringId>& texts);
  std::vector<uint32_t> merge_launch_configs(Chunk& chunk);
  void merge_marks(const Chunk& chunk, const std::vector<StringId>& texts, const std::vector<uint32_t>& threads,
                   const std::vector<uint32_t>& configs);
  void note_damage(const Chunk& chunk);
  uint32_t device_row(int32_t ordinal);
  void add_devices(std::string_view json);
  /// ROCm's events number agents, processors among them, where its description numbers GPUs: where all described GPUs
  /// are of one kind, so is every other.
  void describe_numbered_otherwise();
  void add_distributed_info(std::string_view json);
  void join_spans();
  void name_threads();
  void describe_launches();
  void adopt_foreign_spans();
  void add_foreign_device_event(const other_events_row& event, int32_t ordinal, int64_t stream);
  bool add_foreign_call(const other_events_row& event);
  void note_unknown_categories();
  void set_window();
  void split_ranks();
  void align_to_profile();

  Profile& profile_;
  std::string name_;
  uint32_t rank_;
  std::map<std::string_view, size_t> first_rows_;  // by table: its size when this rank began
  int64_t base_ns_ = 0, events_ = 0;
  std::map<ThreadKey, uint32_t> threads_;
  std::map<int32_t, uint32_t> devices_;
  int32_t last_ordinal_ = 0;
  uint32_t last_device_ = kNone;
  std::map<launch_configs_row, uint32_t> configs_;
  std::vector<SpanMark> spans_;
  std::vector<NameMark> names_;
  std::vector<LaunchMark> launches_;
};

}  // namespace warplens::kineto
