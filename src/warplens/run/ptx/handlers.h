// The handlers of operations, by key: "add.32", "fma.rn.ftz.f32", ... Compiled once for each instruction set.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

class HandlerTable {
 public:
  void add(std::string_view key, Handler handler);
  /// nullptr if there is none.
  Handler find(std::string_view key) const;

 private:
  std::unordered_map<std::string, Handler> handlers_;
};

/// The table for the best instruction set of this machine (or the one WARPLENS_ISA names, when this machine has it).
const HandlerTable& handlers();

}  // namespace warplens::simt::ptx_machine
