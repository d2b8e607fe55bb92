#include "warplens/cli/ptx_text/listing.h"

#include <algorithm>
#include <map>

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/text.h"
#include "warplens/isa/fatbin/choose.h"
#include "warplens/isa/ptx/parser.h"

namespace warplens::cli {

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

CarriedPtx::CarriedPtx(const std::string& program) {
  const std::string path = program.find('/') != std::string::npos ? program : find_program(program);
  if (Result<std::string> bytes = read_file(path); bytes.ok()) file_ = std::move(*bytes);
}

std::vector<PtxLine> CarriedPtx::kernel(std::string_view mangled, int cc) const {
  if (!fatbin::may_carry(file_)) return {};
  Result<std::vector<fatbin::Image>> images = fatbin::images_of_file(file_);
  if (!images.ok()) return {};
  for (fatbin::Image& image : *images) image.relocatable = false;  // to be read, the device linker's inputs will do
  for (const fatbin::Image* image : fatbin::suitable(*images, cc)) {
    if (image->kind != fatbin::Kind::kPtx) continue;
    const Result<std::string> text = fatbin::unpack(*image);
    if (!text.ok() || !contains(*text, mangled)) continue;
    const Result<ptx::Module> module = ptx::parse(*text, "PTX");
    if (!module.ok()) continue;
    if (std::vector<PtxLine> lines = ptx_listing(*module, *text, mangled); !lines.empty()) return lines;
  }
  return {};
}

}  // namespace warplens::cli
