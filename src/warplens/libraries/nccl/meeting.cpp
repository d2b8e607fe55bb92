#include "warplens/libraries/nccl/meeting.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "warplens/base/random_name.h"
#include "warplens/base/text.h"
#include "warplens/libraries/queue/queue.h"

namespace warplens::libraries {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds, std::chrono::seconds, std::chrono::steady_clock;

constexpr const char* kPrefix = "warplens-nccl-";
constexpr microseconds kFirstPause{20}, kLongestPause{1000}, kBetweenLooks{50'000};
constexpr seconds kTellAfter{60};

std::string entered(int rank) { return fmt::format("rank-{}", rank); }
std::string left(int rank) { return fmt::format("left-{}", rank); }
std::string note_name(uint64_t number, int rank) { return fmt::format("note-{}-{}", number, rank); }
std::string message_name(int from, int to, uint64_t number) {
  return fmt::format("message-{}-{}-{}", from, to, number);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_alive(const std::string& process) {
  const int number = std::atoi(process.c_str());
  return number > 0 && (::kill(number, 0) == 0 || errno == EPERM);
}

/// Somebody who met there, or who made it, still runs.
bool is_used(const fs::path& folder) {
  if (is_alive(folder.filename().string().substr(std::strlen(kPrefix)))) return true;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with("rank-")) continue;
    if (const Result<std::string> process = read_file(entry.path().string()); process.ok() && is_alive(*process))
      return true;
  }
  return false;
}

void remove_unused(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (entry.path().filename().string().starts_with(kPrefix) && !is_used(entry.path()))
      fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Note LeftNote::note() const {
  Note note;
  std::memcpy(&note, file_.bytes().data(), sizeof(note));
  return note;
}

Result<std::string> make_meeting_place() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return io_error(fmt::format("NCCL: no folder for temporary files: {}; set TMPDIR", error.message()));
  remove_unused(parent);
  const fs::path folder = parent / fmt::format("{}{}-{}", kPrefix, ::getpid(), random_name());
  if (::mkdir(folder.c_str(), 0700) != 0)
    return io_error(fmt::format("NCCL: {} could not be made: {}; set TMPDIR", folder.string(), std::strerror(errno)));
  return folder.string();
}

Status make_shared_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  return error ? io_error(fmt::format("NCCL: {} could not be made: {}", folder, error.message())) : Status();
}

Result<Meeting> Meeting::enter(std::string folder, int rank, int ranks) {
  if (!exists(folder))
    return not_found(
        fmt::format("NCCL: there is no {}: emulated ranks meet on one computer, with one folder for "
                    "temporary files (TMPDIR)",
                    folder));
  Meeting meeting(std::move(folder), rank, ranks);
  WL_TRY(write_file(meeting.path(entered(rank)), std::to_string(::getpid()), true));
  return meeting;
}

Meeting::Meeting(Meeting&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      rank_(other.rank_),
      ranks_(other.ranks_),
      met_(other.met_),
      kept_(std::move(other.kept_)),
      sent_(std::move(other.sent_)),
      received_(std::move(other.received_)) {}

Meeting::~Meeting() {
  if (folder_.empty()) return;
  (void)write_file(path(left(rank_)), "", true);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!exists(path(left(rank)))) return;
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool Meeting::has_ended(int rank) const {
  if (exists(path(left(rank)))) return true;
  const Result<std::string> process = read_file(path(entered(rank)));
  return process.ok() && !is_alive(*process);
}

Result<LeftNote> Meeting::wait_for(const std::string& name, int rank, const char* call,
                                   const std::atomic<bool>& stopped) const {
  const std::string wanted = path(name);
  const auto begin = steady_clock::now();
  auto looked = begin;
  bool told = false;
  for (microseconds pause = kFirstPause; !exists(wanted); pause = std::min(2 * pause, kLongestPause)) {
    if (stopped) return io_error(fmt::format("{} of rank {} was aborted", call, rank_));
    const auto now = steady_clock::now();
    if (now - looked > kBetweenLooks) {
      looked = now;
      if (has_ended(rank) && !exists(wanted))
        return io_error(
            fmt::format("{}: rank {} waits for rank {}, whose process has ended or left", call, rank_, rank));
    }
    if (!told && now - begin > kTellAfter) {
      told = true;
      __cudaWarplensTell(fmt::format("{}: rank {} waits for rank {}", call, rank_, rank));
    }
    std::this_thread::sleep_for(pause);
  }
  WL_ASSIGN(MappedFile file, MappedFile::open(wanted));
  if (file.bytes().size() < sizeof(Note)) return invalid_input(wanted + " is not of an emulated rank");
  return LeftNote(std::move(file));
}

Status Meeting::wait_for_all(const std::atomic<bool>& stopped) const {
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto begin = steady_clock::now();
    bool told = false;
    for (microseconds pause = kFirstPause; !exists(path(entered(rank))); pause = std::min(2 * pause, kLongestPause)) {
      if (stopped) return io_error("ncclCommInitRank was aborted");
      if (!told && steady_clock::now() - begin > kTellAfter) {
        told = true;
        __cudaWarplensTell(fmt::format("ncclCommInitRank: rank {} of {} waits for rank {}", rank_, ranks_, rank));
      }
      std::this_thread::sleep_for(pause);
    }
  }
  return {};
}

Status Meeting::write(const std::string& name, const Operation& operation, uint64_t size_bytes) const {
  const Note note{operation.meet, operation.element, operation.reduction, 0, operation.count, operation.peer, met_};
  WL_ASSIGN(FileWriter file, FileWriter::create(path(name), true));
  WL_TRY(file.write({reinterpret_cast<const char*>(&note), sizeof(note)}));
  if (size_bytes != 0) WL_TRY(file.write({static_cast<const char*>(operation.in), size_bytes}));
  return file.commit();
}

Status Meeting::leave_note(uint64_t number, const Operation& operation, uint64_t size_bytes) {
  kept_.push_back(number);
  return write(note_name(number, rank_), operation, size_bytes);
}

Result<LeftNote> Meeting::note_of(uint64_t number, int rank, const char* call, const std::atomic<bool>& stopped) const {
  return wait_for(note_name(number, rank), rank, call, stopped);
}

void Meeting::ended(uint64_t number, uint64_t all_met) {
  met_ = number + 1;
  for (; !kept_.empty() && kept_.front() < all_met; kept_.pop_front())
    ::unlink(path(note_name(kept_.front(), rank_)).c_str());
}

Status Meeting::send(const Operation& operation) {
  return write(message_name(rank_, operation.peer, sent_[operation.peer]++), operation, operation.bytes());
}

Result<LeftNote> Meeting::receive(int from, const std::atomic<bool>& stopped) {
  const std::string name = message_name(from, rank_, received_[from]++);
  WL_ASSIGN(LeftNote message, wait_for(name, from, call_of(Meet::kReceive), stopped));
  ::unlink(path(name).c_str());
  return message;
}

}  // namespace warplens::libraries
