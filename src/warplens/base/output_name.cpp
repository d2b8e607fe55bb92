#include "warplens/base/output_name.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace warplens {

std::string expand_output_name(const std::string& pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = std::string_view(pattern).substr(i);
    if (rest.starts_with("%p")) {
      out += std::to_string(::getpid());
      ++i;
    } else if (rest.starts_with("%h")) {
      char host[256] = {};
      ::gethostname(host, sizeof host - 1);
      out += host;
      ++i;
    } else if (const size_t end = rest.find('}'); rest.starts_with("%q{") && end != std::string_view::npos) {
      const char* value = std::getenv(std::string(rest.substr(3, end - 3)).c_str());
      out += value != nullptr ? value : "";
      i += end;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

}  // namespace warplens
