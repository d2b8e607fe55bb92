// Fills reports from parsed PTX and cubins.
#pragma once
#include <string_view>

#include "warplens/inspect/load.h"
#include "warplens/inspect/report.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/ptx/module.h"

namespace warplens::inspect {

/// The effect of an instruction of PTX or machine code on memory.
template <typename Category>
std::string_view memory_kind(Category category) {
  if (category == Category::kLoad) return "load";
  if (category == Category::kStore) return "store";
  return category == Category::kAtomic ? "atomic" : "copy";
}

/// `text`: the module as it was read.
void count_ptx(const ptx::Module& module, const std::string& text, Report& report);
void count_sass(const cubin::Cubin& cubin, Report& report);

/// The contents of a file, and the part that a GPU of `arch` runs ("": the newest with machine code). Each kernel has
/// its best machine code, and the PTX beside it. Errors: damaged, empty, nothing for that GPU.
Status add_carried(std::string_view bytes, const Options& options, Report& report);

/// The kernel `name` of the report, added when it is not there.
Kernel& kernel_of(Report& report, const std::string& name);

/// Describes the compiler's work on `kernel`, from its counts. Call it once both levels are counted.
void explain(Kernel& kernel);

}  // namespace warplens::inspect
