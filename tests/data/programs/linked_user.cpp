// Uses linked_library.cu: it is linked with it (USES_IT_AT_START), or opens the file that it is given, three times.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

extern "C" int wrong_steps();

#ifdef USES_IT_AT_START
static int from_constructor = wrong_steps();
#endif

int main(int count, char** words) {
#ifdef USES_IT_AT_START
  std::printf("at start: %d and %d wrong\n", from_constructor, wrong_steps());
#endif
  for (int round = 0; count > 1 && round < 3; ++round) {
    void* library = dlopen(words[1], RTLD_NOW);
    auto* work = library != nullptr ? reinterpret_cast<int (*)()>(dlsym(library, "wrong_steps")) : nullptr;
    std::printf("opened: %d wrong\n", work != nullptr ? work() : -1);
    if (library != nullptr) dlclose(library);
    else std::printf("%s\n", dlerror());
  }
  std::fflush(stdout);
  return 0;
}
