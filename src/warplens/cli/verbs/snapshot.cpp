// warplens snapshot: asks recorders in running programs to write what they hold.
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/collect/control.h"

namespace warplens::cli {
namespace {

constexpr int kPatienceS = 30;  // a ring of gigabytes takes a while to be written

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

/// The file that the recorder of `process` wrote; nothing where there is no recorder.
std::optional<std::string> ask(int64_t process) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = collect::control_name(process);
  std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path));
  const timeval patience{kPatienceS, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  constexpr std::string_view kWish = "snapshot\n";
  std::string answer;
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0;
  if (connected && ::send(fd, kWish.data(), kWish.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kWish.size())) {
    char text[4096];
    for (ssize_t bytes; (bytes = ::recv(fd, text, sizeof text, 0)) > 0;)
      answer.append(text, static_cast<size_t>(bytes));
  }
  ::close(fd);
  if (!connected) return std::nullopt;
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
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
      const std::optional<std::string> file = ask(one);
      if (!file) continue;
      recorded = true;
      if (file->empty())
        fmt::print(stderr, "warplens snapshot: process {} has recorded nothing yet, or could not write it\n", one);
      else written += *file + "\n";
    }
    if (!recorded)
      return not_found(
          fmt::format("no recorder answers in process {} or one that it started: start the program with "
                      "`warplens record --ring 30s -- PROGRAM`, and ask as its user",
                      operand));
  }
  WL_TRY(invocation.emit(written));
  return written.empty() ? kExitFailed : kExitOk;
}

}  // namespace

extern const Verb kSnapshot;
const Verb kSnapshot = {
    "snapshot",
    "write what the recorder of a running program holds",
    "PID...",
    "Asks the recorders in a process and in those it started: one that runs with --ring writes the last seconds to a "
    "file of its own, another brings its file up to date. Prints the files' names; the program goes on undisturbed.",
    {},
    {{"warplens snapshot 4242", "the program, or the `warplens record` that started it"},
     {"warplens $(warplens snapshot 4242)", "and what it shows"}},
    run_snapshot,
    {},
    Prints::kFile};

}  // namespace warplens::cli
