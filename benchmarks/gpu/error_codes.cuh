// Runs calls that CUDA refuses, each by its name, in processes that go on behind one that dies or loses its context.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Case {
  const char* name;
  int (*run)();
};

/// `name code` a case, and what `after` says then. A case that ends the process is told by its signal.
inline int run_cases(const std::vector<Case>& cases, int (*after)(), int argc, char** argv) {
  if (argc > 1) {
    for (size_t k = static_cast<size_t>(std::atoi(argv[1])); k < cases.size(); ++k) {
      std::fprintf(stderr, "@%zu\n", k);  // for who started this
      alarm(10);  // a call that never ends is told as signal 14
      const int code = cases[k].run();
      const int left = after();
      std::printf("%s %d %d\n", cases[k].name, code, left);
      std::fflush(stdout);
      if (left != 0) _exit(k + 1 < cases.size() ? 77 : 0);  // the context is lost
    }
    std::fflush(stdout);
    _exit(0);
  }
  for (size_t next = 0; next < cases.size();) {
    int out[2];
    if (pipe(out) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
      dup2(out[1], 2);
      close(out[0]);
      close(out[1]);
      char number[16];
      std::snprintf(number, sizeof number, "%zu", next);
      execl("/proc/self/exe", argv[0], number, static_cast<char*>(nullptr));
      _exit(126);
    }
    close(out[1]);
    FILE* told = fdopen(out[0], "r");
    char line[4096];
    size_t at = next;
    while (std::fgets(line, sizeof line, told)) {
      if (line[0] == '@') at = static_cast<size_t>(std::atoi(line + 1));
      else if (std::getenv("ERROR_CODES_VERBOSE")) std::fprintf(stderr, "%s: %s", cases[at].name, line);
    }
    std::fclose(told);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    if (WIFSIGNALED(status)) std::printf("%s signal %d\n", cases[at].name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 77) std::printf("%s exit %d\n", cases[at].name, WEXITSTATUS(status));
    std::fflush(stdout);
    next = at + 1;
  }
  return 0;
}
