#include "warplens/collect/process/own_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace warplens::collect {

int own_descriptor(int descriptor) {
  constexpr int kFirst = 768;  // most systems allow 1,024
  if (descriptor < 0) return descriptor;
  const int before = errno;
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirst);
  if (own >= 0) ::close(descriptor);
  errno = before;
  return own >= 0 ? own : descriptor;
}

}  // namespace warplens::collect
