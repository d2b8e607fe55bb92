// warplens snapshot: asks recorders in running programs to write what they hold.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/collect/control.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

constexpr size_t kMostAnswerBytes = 4096;  // of a file's name
constexpr int kPatienceS = 30;             // a ring of gigabytes takes a while to be written

/// `process` and all that it started, directly or not.
std::vector<int64_t> with_children(int64_t process) {
  std::vector<int64_t> out = {process};
  for (size_t i = 0; i < out.size(); ++i) {
    std::error_code none;
    for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", out[i]), none)) {
      std::ifstream children(task.path() / "children");
      for (int64_t child; children >> child;) out.push_back(child);
    }
  }
  return out;
}

/// The user who runs `process`.
std::optional<uid_t> user_of(int64_t process) {
  struct stat info{};
  if (::stat(fmt::format("/proc/{}", process).c_str(), &info) != 0) return std::nullopt;
  return info.st_uid;
}

/// Anybody can take the name of a socket before the recorder does: who answers must be the process that was asked.
Status check_peer(int fd, int64_t process) {
  ucred who{};
  socklen_t size = sizeof who;
  const std::optional<uid_t> user = user_of(process);
  const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && user;
  if (known && who.pid == process && who.uid == *user) return {};
  return invalid_input(fmt::format("process {} (user {}) answers in the name of process {}, so its answer is ignored",
                                   who.pid, who.uid, process));
}

/// What stands before the first line break, which the recorder sends last.
Result<std::string> receive_line(int fd) {
  std::string answer;
  char text[1024];
  for (ssize_t bytes; answer.find('\n') == std::string::npos && (bytes = ::recv(fd, text, sizeof text, 0)) > 0;) {
    answer.append(text, static_cast<size_t>(bytes));
    if (answer.size() > kMostAnswerBytes) return invalid_input("its recorder's answer is longer than a file's name");
  }
  return answer.substr(0, answer.find('\n'));
}

/// The recording that `answer` names, from the working folder of `process`; it must be one, and no option for a shell.
Result<std::string> recording(const std::string& answer, int64_t process) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", process), error);
  const std::string file = (here / answer).lexically_normal().string();
  const std::string problem =
      fmt::format("process {} names '{}', which is not a recording", process, printable(answer));
  if (!file.starts_with('/') || !is_printable(file) || !std::filesystem::is_regular_file(file, error))
    return invalid_input(problem);
  std::ifstream stream(file, std::ios::binary);
  char head[16] = {};
  stream.read(head, sizeof head);
  if (!collect::is_recording({head, sizeof head})) return invalid_input(problem);
  return file;
}

/// The file that the recorder of `process` wrote, "" where it has written none; nothing where there is no recorder.
Result<std::optional<std::string>> ask(int64_t process) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::optional<std::string>();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = collect::control_name(process);
  std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path));
  const timeval patience{kPatienceS, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  constexpr std::string_view kWish = "snapshot\n";
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0;
  const Status peer = connected ? check_peer(fd, process) : Status();
  Result<std::string> answer = std::string();
  if (connected && peer.ok() &&
      ::send(fd, kWish.data(), kWish.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kWish.size()))
    answer = receive_line(fd);
  ::close(fd);
  WL_TRY(peer);
  if (!connected) return std::optional<std::string>();
  if (!answer.ok()) return answer.status();
  if (answer->empty()) return std::optional<std::string>("");
  WL_ASSIGN(std::string file, recording(*answer, process));
  return std::optional<std::string>(std::move(file));
}

Result<int> run_snapshot(const Invocation& invocation) {
  if (invocation.operands.empty())
    return usage_error("give the number of a process that `warplens record` started, or of its parent");
  std::string written;
  for (const std::string& operand : invocation.operands) {
    const auto process = parse_int(operand);
    if (!process || *process <= 0) return usage_error(fmt::format("'{}': give the number of a process", operand));
    bool recorded = false;
    for (const int64_t one : with_children(*process)) {
      WL_ASSIGN(const std::optional<std::string> file, ask(one));
      if (!file) continue;
      recorded = true;
      if (file->empty()) tell("warplens snapshot: process {} has recorded nothing yet, or could not write it\n", one);
      else written += *file + "\n";
    }
    if (!recorded)
      return not_found(
          fmt::format("no recorder answers in process {} or its children: start the program with "
                      "`warplens record --ring 30s -- PROGRAM`, and run snapshot as the same user",
                      operand));
  }
  WL_TRY(invocation.emit(written));
  return written.empty() ? kExitFailed : kExitOk;
}

}  // namespace

extern const Verb kSnapshot;
const Verb kSnapshot = {
    "snapshot",
    "write the events that a running program's recorder holds",
    "PID...",
    "Asks the recorders of a process and of its children. With --ring, a recorder writes the last seconds to a new "
    "file. Otherwise it brings its file up to date. The verb prints the files' names, and the program continues.",
    {},
    {{"warplens snapshot 4242", "the program, or the `warplens record` that started it"},
     {"warplens $(warplens snapshot 4242)", "and its report"}},
    run_snapshot,
    {},
    Prints::kFile};

}  // namespace warplens::cli
