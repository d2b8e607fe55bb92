// Where the ranks of a communicator exchange data: a folder of this computer, to which each writes for the others.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "warplens/base/files.h"
#include "warplens/libraries/nccl/operation.h"

namespace warplens::libraries {

/// A file of one rank: which call it is of, then its elements.
struct Note {
  Meet meet;
  Element element;
  Reduction reduction;
  uint32_t unused;
  uint64_t count;
  int64_t peer;
  uint64_t met;  // meetings that its rank had ended
};

class LeftNote {
 public:
  explicit LeftNote(MappedFile file) : file_(std::move(file)) {}
  Note note() const;
  const char* elements() const { return file_.bytes().data() + sizeof(Note); }
  uint64_t size_bytes() const { return file_.bytes().size() - sizeof(Note); }

 private:
  MappedFile file_;
};

/// Makes a folder for ranks, and removes folders whose processes have all ended.
Result<std::string> make_meeting_place();

/// The same folder, which several ranks make.
Status make_shared_folder(const std::string& folder);

class Meeting {
 public:
  /// Rank `rank` of `ranks` says that it is there.
  static Result<Meeting> enter(std::string folder, int rank, int ranks);
  Meeting(Meeting&& other) noexcept;
  Meeting& operator=(Meeting&&) = delete;
  ~Meeting();  // the last rank to leave takes the folder with it

  const std::string& folder() const { return folder_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Until all ranks have entered.
  Status wait_for_all(const std::atomic<bool>& stopped) const;

  /// Meetings of all ranks are numbered from 0 in the order of each rank's calls; every rank leaves a note in each.
  Status leave_note(uint64_t number, const Operation& operation, uint64_t size_bytes);
  Result<LeftNote> note_of(uint64_t number, int rank, const char* call, const std::atomic<bool>& stopped) const;
  /// This rank has read all notes of that meeting; `all_met` is the number of meetings that every rank has ended.
  void ended(uint64_t number, uint64_t all_met);

  /// Messages of two ranks keep their order.
  Status send(const Operation& operation);
  Result<LeftNote> receive(int from, const std::atomic<bool>& stopped);

 private:
  Meeting(std::string folder, int rank, int ranks) : folder_(std::move(folder)), rank_(rank), ranks_(ranks) {}
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Status write(const std::string& name, const Operation& operation, uint64_t size_bytes) const;
  Result<LeftNote> wait_for(const std::string& name, int rank, const char* call,
                            const std::atomic<bool>& stopped) const;
  bool has_ended(int rank) const;

  std::string folder_;
  int rank_, ranks_;
  uint64_t met_ = 0;
  std::deque<uint64_t> kept_;  // own notes that another rank may still read
  std::map<int, uint64_t> sent_, received_;
};

}  // namespace warplens::libraries
