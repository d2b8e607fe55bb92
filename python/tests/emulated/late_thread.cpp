// A thread like PyTorch's of autograd: while Python ends, it asks for its lock, in a function that may not be unwound.
#include <unistd.h>

#include <atomic>
#include <thread>

extern "C" int PyGILState_Ensure();
extern "C" void* PyEval_SaveThread();
extern "C" void PyEval_RestoreThread(void*);

namespace {

std::atomic<bool> begun{false}, ended{false};

void ask_late() noexcept {
  PyGILState_Ensure();
  void* const thread = PyEval_SaveThread();
  begun = true;
  while (!ended) ::usleep(1000);
  PyEval_RestoreThread(thread);
}

}  // namespace

extern "C" void begin() {
  std::thread(ask_late).detach();
  while (!begun) ::usleep(1000);
}

extern "C" void end() {
  ended = true;
  ::usleep(300000);
}
