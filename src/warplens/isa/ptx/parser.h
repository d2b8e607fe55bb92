// PTX text to a module. Reads the whole language of PTX 9; instructions that the emulator cannot execute still parse.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/isa/ptx/module.h"

namespace warplens::ptx {

/// The first error has the form "name:line:column: error: text", with the source line and a caret.
Result<Module> parse(std::string_view source, const std::string& source_name);

}  // namespace warplens::ptx
