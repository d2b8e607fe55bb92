#include "warplens/report/ptx_listing.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/isa/ptx/parser.h"

namespace warplens::report {

std::vector<PtxLine> ptx_listing(const ptx::Module& module, std::string_view text, std::string_view kernel) {
  std::vector<PtxLine> out;
  const ptx::Function* function = module.function(kernel);
  if (function == nullptr || function->instructions.empty()) return out;
  std::map<uint32_t, const ptx::DebugLocation*> places;  // by line of the text
  for (const ptx::Instruction& instruction : function->instructions) {
    if (instruction.debug != ptx::kNone)
      places[instruction.position.line] = &function->debug_locations[instruction.debug];
  }
  const std::vector<std::string_view> texts = split(text, '\n');
  const uint32_t last = function->instructions.back().position.line;
  for (uint32_t number = function->position.line; number <= std::min<size_t>(last, texts.size()); ++number) {
    const std::string_view own = texts[number - 1];
    if (trim(own).empty() || trim(own).starts_with(".loc")) continue;
    PtxLine& line = out.emplace_back(PtxLine{number, repair_utf8(own), "", 0});
    const auto place = places.find(number);
    if (place == places.end()) continue;
    line.file = module.file_name(place->second->file);
    line.line = place->second->line;
  }
  return out;
}

std::vector<PtxLine> ptx_listing(std::string_view text, std::string_view kernel) {
  if (!contains(text, kernel)) return {};
  const Result<ptx::Module> module = ptx::parse(text, "PTX");
  return module.ok() ? ptx_listing(*module, text, kernel) : std::vector<PtxLine>();
}

std::vector<PtxLine> ptx_listing(const std::vector<std::string>& texts, std::string_view kernel) {
  for (const std::string& text : texts) {
    if (std::vector<PtxLine> lines = ptx_listing(text, kernel); !lines.empty()) return lines;
  }
  return {};
}

}  // namespace warplens::report
