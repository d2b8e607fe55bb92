#include "warplens/base/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "warplens/base/text.h"

extern char** environ;

namespace warplens {
namespace {

int spawn(const std::vector<std::string>& command, int output, pid_t* child) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_adddup2(&actions, output, 2);
  const int error = ::posix_spawnp(child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string read_all(int fd) {
  std::string text;
  for (char buffer[4096];;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void forbid_core_file(pid_t child) {
  const rlimit none{0, 0};
  ::prlimit(child, RLIMIT_CORE, &none, nullptr);
}

/// The children that it makes inherit this. No core file: being ended is no crash.
void limit_time(pid_t child, rlim_t seconds) {
  const rlimit time{seconds, seconds + 10};  // SIGXCPU at the first, SIGKILL at the second
  ::prlimit(child, RLIMIT_CPU, &time, nullptr);
  forbid_core_file(child);
}

/// What the child writes that `begin` makes, given the end of a pipe to write to, and how it ends.
Result<ProcessOutput> run_child(int cpu_limit_s, const std::function<Result<pid_t>(int)>& begin) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error(fmt::format("no pipe: {}", std::strerror(errno)));
  const Result<pid_t> child = begin(ends[1]);
  ::close(ends[1]);
  ProcessOutput result;
  if (child.ok()) result.output = read_all(ends[0]);
  ::close(ends[0]);
  if (!child.ok()) return child.status();
  int state = 0;
  while (::waitpid(*child, &state, 0) < 0 && errno == EINTR) continue;
  result.exit_code = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  result.out_of_time = cpu_limit_s > 0 && result.exit_code == 128 + SIGXCPU;
  return result;
}

}  // namespace

Result<ProcessOutput> run_process(const std::vector<std::string>& command, int cpu_limit_s) {
  return run_child(cpu_limit_s, [&](int output) -> Result<pid_t> {
    pid_t child = 0;
    if (const int error = spawn(command, output, &child); error != 0)
      return not_found(fmt::format("{}: cannot run: {}", command[0], std::strerror(error)));
    if (cpu_limit_s > 0) limit_time(child, static_cast<rlim_t>(cpu_limit_s));
    return child;
  });
}

Result<ProcessOutput> run_copy(const std::function<std::string()>& work, int cpu_limit_s) {
  return run_child(cpu_limit_s, [&](int output) -> Result<pid_t> {
    const pid_t child = ::fork();
    if (child < 0) return io_error(fmt::format("no process: {}", std::strerror(errno)));
    if (child > 0) return child;
    forbid_core_file(0);
    if (cpu_limit_s > 0) limit_time(0, static_cast<rlim_t>(cpu_limit_s));
    for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(crash, SIG_DFL);  // nobody reports it
    write_all(output, work());
    ::_exit(0);
  });
}

std::string find_program(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "", ':')) {
    const std::string candidate = fmt::format("{}/{}", folder, program);
    std::error_code none;
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate, none))
      return candidate;
  }
  return "";
}

}  // namespace warplens
