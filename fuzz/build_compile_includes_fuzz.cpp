// Sources whose headers are looked for, and options that a file carries: whatever is there, what is taken is safe.
#include <cstdint>
#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/build/compile/carried_options.h"
#include "warplens/build/compile/includes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warplens;
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> options;
  for (const std::string_view line : split(text, '\n')) options.emplace_back(line);
  const auto carried = compile::carried_options(options, "/nowhere");
  if (!carried.ok() && carried.status().message().empty()) std::abort();
  for (const std::string& option : carried.ok() ? *carried : std::vector<std::string>()) {
    if (!compile::is_safe_for_nvcc(option) || option.starts_with('@')) std::abort();
    for (const char* acting : {"-ccbin", "--compiler-bindir", "--run", "-o", "--output", "--keep", "-MF"})
      if (option == acting) std::abort();
  }
  (void)compile::search_folders(options);
  for (size_t at = 1; at < text.size(); ++at)  // no file of this machine is read
    if (text[at] == '/' && (text[at - 1] == '"' || text[at - 1] == '<')) text[at] = '.';
  const compile::Includes includes = compile::scan_includes(text, "/nowhere", {"/nowhere/include"});
  if (includes.digest.empty()) std::abort();
  return 0;
}
