#include "warplens/base/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warplens {
namespace {

// What folders allow. Rights that a kernel does not know are left out of all: what it cannot control it does not
// forbid.
constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kRename = uint64_t{1} << 13,
                   kTruncate = uint64_t{1} << 14;  // REFER and TRUNCATE, of versions 2 and 3
constexpr uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                            LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO;
constexpr uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;  // allowed nowhere
constexpr uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

/// landlock_ruleset_attr of version 6, which older headers lack.
struct Ruleset {
  uint64_t handled_access_fs = 0, handled_access_net = 0, scoped = 0;
};
constexpr uint64_t kAbstractSockets = 1, kSignals = 2;  // LANDLOCK_SCOPE_*

Status failed(const char* what) {
  return io_error(std::string("cannot confine this process: ") + what + ": " + std::strerror(errno));
}

class Rules {
 public:
  Rules(int rules, uint64_t known) : rules_(rules), known_(known) {}
  ~Rules() { ::close(rules_); }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  Status allow(const std::vector<std::string>& paths, uint64_t rights) const {
    for (const std::string& path : paths) WL_TRY(allow(path, rights & known_));
    return {};
  }

  Status enforce() const {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
    if (::syscall(SYS_landlock_restrict_self, rules_, 0) != 0) return failed("landlock_restrict_self");
    return {};
  }

 private:
  Status allow(const std::string& path, uint64_t rights) const {
    const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) return {};
    struct stat found{};
    const bool is_folder = ::fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
    const landlock_path_beneath_attr rule = {.allowed_access = is_folder ? rights : rights & kOfFiles, .parent_fd = fd};
    const bool done = ::syscall(SYS_landlock_add_rule, rules_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    const Status status = done ? Status() : failed(path.c_str());
    ::close(fd);
    return status;
  }

  int rules_;
  uint64_t known_;
};

}  // namespace

Status confine(const Reach& reach) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return unsupported(
        "this kernel cannot confine a process to folders: that needs Linux 5.13 with Landlock switched on");
  uint64_t known = LANDLOCK_ACCESS_FS_EXECUTE | kRead | kWrite | kDevices;
  if (version >= 2) known |= kRename;
  if (version >= 3) known |= kTruncate;
  const Ruleset handled = {.handled_access_fs = known, .scoped = kAbstractSockets | kSignals};
  const size_t size = version >= 6 ? sizeof handled : sizeof handled.handled_access_fs;
  const long made = ::syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (made < 0) return failed("landlock_create_ruleset");
  const Rules rules(static_cast<int>(made), known);
  WL_TRY(rules.allow(reach.read, LANDLOCK_ACCESS_FS_EXECUTE | kRead));
  WL_TRY(rules.allow(reach.data, kRead));
  WL_TRY(rules.allow(reach.write, kRead | kWrite | kRename | kTruncate));
  return rules.enforce();
}

}  // namespace warplens
