// PTX text to a module. Reads everything that PTX 9 can say; what the emulator cannot execute still parses.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/isa/ptx/module.h"

namespace warplens::ptx {

/// The first error comes as "name:line:column: error: what", the source line and a caret.
Result<Module> parse(std::string_view source, const std::string& source_name);

}  // namespace warplens::ptx
