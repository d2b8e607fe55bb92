// Traces through the verbs that read profiles: with any content, each verb prints a report or an error. The size of an
// input chooses the verb.
#include <cstdlib>

#include "memory_file.h"
#include "mutate_json.h"
#include "warplens/cli/run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  if (!file.set(data, size)) std::abort();
  const std::string path = file.path();
  const std::vector<std::vector<std::string>> commands = {{"summary", path},
                                                          {"summary", path, "--json"},
                                                          {"ops", path},
                                                          {"ops", path, "--by-shape", "--by-stack", "5", "--json"},
                                                          {"ops", path, "--torch"},
                                                          {"ops", path, "--by", "module"},
                                                          {"findings", path, "--json"},
                                                          {"timeline", path},
                                                          {"timeline", path, "--json"},
                                                          {"export", path, "-t", "chrome"},
                                                          {"export", path, "-t", "stacks"},
                                                          {"export", path, "-t", "flamegraph"},
                                                          {"diff", path, path},
                                                          {"ranks", path, path},
                                                          {"doctor", path},
                                                          {"convert", path}};
  std::vector<std::string> command = commands[size % commands.size()];
  command.insert(command.end(), {"-o", "/dev/null"});
  const int code = warplens::cli::run(command);
  if (code != 0 && code != 1) std::abort();  // nothing here is a matter of flags
  return 0;
}
