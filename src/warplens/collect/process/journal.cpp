#include "warplens/collect/process/journal.h"

#include <fcntl.h>
#include <unistd.h>

namespace warplens::collect {

void tell_journal(const std::string& journal, const char* kind, const std::string& text) {
  if (journal.empty()) return;
  const int fd = ::open(journal.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  const std::string line = std::string(kind) + '\t' + std::to_string(::getpid()) + '\t' + text + '\n';
  if (::write(fd, line.data(), line.size()) < 0) return void(::close(fd));  // there is nobody else to tell
  ::close(fd);
}

}  // namespace warplens::collect
