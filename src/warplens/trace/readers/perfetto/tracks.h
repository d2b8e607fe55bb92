// Tracks of a trace with their owners, from their descriptors.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace warplens::perfetto {

/// A track as trace events name it.
struct Line {
  std::string process, thread;
  std::string process_name, thread_name;  // empty if not given
  std::string counter;                    // the name of a counter's track
  int64_t counter_unit = 1;
  bool is_incremental = false;  // a counter whose values are differences
};

class Tracks {
 public:
  void describe(std::string_view descriptor);
  /// Old packets describe the track of their sequence's thread; its number follows.
  uint64_t describe_thread(std::string_view thread);
  bool knows(uint64_t uuid) const { return tracks_.contains(uuid); }
  /// Tracks with the same name get numbers, so their events stay separate.
  const Line& line(uint64_t uuid);

 private:
  struct Track {
    uint64_t parent = 0;
    std::string name, description;
    bool has_process = false, has_thread = false, is_counter = false, is_incremental = false;
    int64_t pid = 0, tid = 0, unit = 1;
    std::string process_name, thread_name;
  };
  /// The process or thread above, or the topmost track.
  uint64_t owner(uint64_t uuid) const;
  std::string process_name(int64_t pid) const;

  std::map<uint64_t, Track> tracks_;
  std::map<uint64_t, Line> lines_;
  std::set<std::pair<std::string, std::string>> taken_;
};

}  // namespace warplens::perfetto
