// Names of outputs of which each process, host or rank writes its own.
#pragma once
#include <string>

namespace warplens {

/// `pattern` with %p (process id), %h (host name) and %q{VAR} (environment; empty where it is not set) filled in.
std::string expand_output_name(const std::string& pattern);

}  // namespace warplens
