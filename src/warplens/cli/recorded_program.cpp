#include "warplens/cli/recorded_program.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <utility>

#include "warplens/base/files.h"
#include "warplens/base/installed.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/collect/settings/settings.h"

extern char** environ;

namespace warplens::cli {
namespace {

using Signals = std::array<int, 2>;
// While the program runs, the keys that interrupt it are its business; who asks this process to end means the program.
constexpr Signals kKeys = {SIGINT, SIGQUIT}, kEnds = {SIGTERM, SIGHUP};

/// Other handlers for these signals until it goes.
class Handling {
 public:
  Handling(const Signals& signals, void (*handler)(int)) : signals_(signals) {
    for (size_t i = 0; i < signals.size(); ++i) before_[i] = std::signal(signals[i], handler);
  }
  ~Handling() {
    for (size_t i = 0; i < signals_.size(); ++i) std::signal(signals_[i], before_[i]);
  }

 private:
  Signals signals_;
  void (*before_[std::tuple_size_v<Signals>])(int);
};

volatile pid_t running = 0;
void pass_on(int signal) { ::kill(running, signal); }

/// The child gets the keys' signals, and takes the recorder's even if whoever started this process blocks it.
void set_signals(posix_spawnattr_t* attributes) {
  sigset_t defaults, blocked;
  ::sigemptyset(&defaults);
  for (const int signal : kKeys) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(attributes, &defaults);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  ::sigdelset(&blocked, collect::kStackSignal);
  ::posix_spawnattr_setsigmask(attributes, &blocked);
  ::posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

Result<pid_t> spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment, bool apart) {
  std::vector<char*> argv, envp;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& variable : environment) envp.push_back(const_cast<char*>(variable.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  set_signals(&attributes);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (apart) ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return not_found(fmt::format("{}: {}", command[0], std::strerror(error)));
  return child;
}

/// The signal that ended it, or 0, and its exit code.
std::pair<int, int> wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return {signal, signal != 0 ? 128 + signal : WEXITSTATUS(status)};
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    const bool replaced =
        std::any_of(variables.begin(), variables.end(), [&](const auto& v) { return v.first == name; });
    if (!replaced) out.emplace_back(*entry);
  }
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

void read_journal(const std::string& text, RecordedProgram& program) {
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() < 3) continue;
    std::vector<std::string>& list = fields[0] == "file"      ? program.files
                                     : fields[0] == "refused" ? program.refusals
                                     : fields[0] == "note"    ? program.notes
                                                              : program.stops;
    if (std::find(list.begin(), list.end(), fields[2]) == list.end()) list.emplace_back(fields[2]);
  }
}

}  // namespace

Result<RecordedProgram> run_recorded(const Invocation& invocation,
                                     const std::vector<std::pair<std::string, std::string>>& variables) {
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string journal = folder.path() + "/journal";  // what the library reports is appended to it
  WL_TRY(write_file(journal, "", true));
  auto all = variables;
  all.emplace_back(collect::kJournalVariable, journal);
  const Handling keys(kKeys, SIG_IGN);
  WL_ASSIGN(const pid_t child, spawn(invocation.command, merged_environment(all),
                                     invocation.is_read_by_scripts() || invocation.has("--brief")));
  running = child;
  const Handling ends(kEnds, pass_on);
  RecordedProgram program{.emulated = invocation.has("--emulate")};
  std::tie(program.signal, program.exit_code) = wait_for(child);
  WL_ASSIGN(const std::string told, read_file(journal));
  read_journal(told, program);
  return program;
}

bool has_driver() { return ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr; }

std::string without_cuda(const RecordedProgram& program) {
  if (program.exit_code == 0 && !program.emulated && !has_driver())
    return "had no GPU to use: there is no NVIDIA driver here. --emulate runs it without a GPU";
  if (program.exit_code == 0) return "did not use CUDA";
  if (program.exit_code > 128)
    return fmt::format("was ended by signal {} ({}) and had not used CUDA", program.exit_code - 128,
                       ::strsignal(program.exit_code - 128));
  return fmt::format("ended with exit code {} and had not used CUDA", program.exit_code);
}

Result<std::string> output_for_program(const std::string& given, bool overwrite) {
  const bool is_pattern = given.find('%') != std::string::npos;
  if (!is_pattern) {
    WL_TRY(check_writable(given, overwrite));
    std::error_code ignored;
    if (std::filesystem::is_regular_file(given, ignored)) ::unlink(given.c_str());
  }
  return std::filesystem::absolute(given).string();
}

Result<std::string> find_injected_library() {
  constexpr const char* kName = "libwarplens_collect.so";
  WL_ASSIGN(const std::string folder,
            find_installed({.what = std::string(kName) + " is", .file = kName, .places = {"", "../lib"}}));
  return folder + "/" + kName;
}

}  // namespace warplens::cli
