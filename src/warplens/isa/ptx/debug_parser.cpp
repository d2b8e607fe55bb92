#include "warplens/isa/ptx/debug_parser.h"

namespace warplens::ptx {

bool DebugParser::place(Place& out) {
  uint64_t file = 0, line = 0, column = 0;
  if (!state_.integer(file, "a file number") || !state_.integer(line, "a line") ||
      !state_.integer(column, "a column")) {
    return false;
  }
  out = {static_cast<uint32_t>(file), static_cast<uint32_t>(line), static_cast<uint32_t>(column)};
  return true;
}

bool DebugParser::parse() {
  const Position position = state_.token().position;
  Place at;
  if (!place(at)) return false;
  Raw raw;
  std::tie(raw.location.file, raw.location.line, raw.location.column) = at;
  while (state_.accept(',')) {
    std::string_view word;
    if (!state_.word(word, "function_name or inlined_at")) return false;
    if (word == "function_name") {
      std::string_view label;
      if (!state_.word(label, "a label of .debug_str")) return false;
      raw.location.function = label;
      if (state_.accept('+')) {
        uint64_t offset = 0;
        if (!state_.integer(offset, "an offset")) return false;
        raw.location.function += fmt::format("+{}", offset);
      }
    } else if (word == "inlined_at") {
      Place caller;
      if (!place(caller)) return false;
      auto [found, added] = latest_.try_emplace(caller, static_cast<uint32_t>(raw_.size()));
      if (added) {
        Raw outer;
        std::tie(outer.location.file, outer.location.line, outer.location.column) = caller;
        known_.emplace(std::tuple{caller, std::string(), kNone}, found->second);
        raw_.push_back(outer);
      }
      raw.location.inlined_at = found->second;
      raw.depth = raw_[found->second].depth + 1;
      if (raw.depth > kDeepest) return state_.fail(position, fmt::format("inlined more than {} deep", kDeepest));
    } else {
      return state_.unexpected("function_name or inlined_at");
    }
  }
  const auto [known, added] =
      known_.try_emplace({at, raw.location.function, raw.location.inlined_at}, static_cast<uint32_t>(raw_.size()));
  if (added) raw_.push_back(raw);
  current_ = latest_[at] = known->second;
  return true;
}

uint32_t DebugParser::enter(uint32_t raw) {
  if (raw_[raw].entered != kNone) return raw_[raw].entered;
  DebugLocation location = raw_[raw].location;
  if (location.inlined_at != kNone) location.inlined_at = enter(location.inlined_at);
  raw_[raw].entered = static_cast<uint32_t>(function_.debug_locations.size());
  function_.debug_locations.push_back(location);
  return raw_[raw].entered;
}

uint32_t DebugParser::current() { return current_ == kNone ? kNone : enter(current_); }

}  // namespace warplens::ptx
