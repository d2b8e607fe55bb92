// .loc directives of one function: kept as they come, entered in the function once an instruction uses them.
#pragma once
#include <map>
#include <tuple>
#include <vector>

#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {

class DebugParser {
 public:
  DebugParser(ParseState& state, Function& function) : state_(state), function_(function) {}
  /// After the word .loc.
  bool parse();
  /// The location in force as an index of Function::debug_locations; kNone before the first .loc.
  uint32_t current();

 private:
  struct Raw {
    DebugLocation location;    // inlined_at indexes raw_
    int depth = 0;             // of inlining
    uint32_t entered = kNone;  // index of Function::debug_locations
  };
  using Place = std::tuple<uint32_t, uint32_t, uint32_t>;
  bool place(Place& out);
  uint32_t enter(uint32_t raw);

  ParseState& state_;
  Function& function_;
  std::vector<Raw> raw_;
  std::map<Place, uint32_t> latest_;  // of raw_, by file, line, column
  std::map<std::tuple<Place, std::string, uint32_t>, uint32_t> known_;
  uint32_t current_ = kNone;
};

}  // namespace warplens::ptx
