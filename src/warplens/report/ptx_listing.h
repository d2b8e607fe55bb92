// The text of one kernel of a PTX module. Each line has the source line that it was compiled from.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/isa/ptx/module.h"

namespace warplens::report {

struct PtxLine {
  uint32_t number = 0;  // in the text of the module
  std::string text, file;
  uint32_t line = 0;  // of `file`; 0: none is known
};

/// `text`: the text that the module was parsed from. Empty lines, and lines that only name places, are left out. Empty
/// if the module has no such kernel.
std::vector<PtxLine> ptx_listing(const ptx::Module& module, std::string_view text, std::string_view kernel);
/// The same of a text that is not parsed yet. Empty, too, if it cannot be parsed.
std::vector<PtxLine> ptx_listing(std::string_view text, std::string_view kernel);
/// The same of the first of several texts that has the kernel.
std::vector<PtxLine> ptx_listing(const std::vector<std::string>& texts, std::string_view kernel);

}  // namespace warplens::report
