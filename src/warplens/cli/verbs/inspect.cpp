// warplens inspect: what the compiler made of a kernel.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/build/compile/kernel_names.h"
#include "warplens/cli/verb.h"
#include "warplens/inspect/load.h"
#include "warplens/inspect/render.h"
#include "warplens/isa/ptx/table.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

/// Leaves the kernel, or function, that `wanted` names as `warplens kernel` takes names.
Status keep(const std::string& wanted, inspect::Report& report) {
  std::vector<std::string> names;
  for (const inspect::Kernel& kernel : report.kernels) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end()) names.push_back(kernel.name);
  }
  const Result<std::string> name = compile::choose_kernel(names, wanted);
  if (!name.ok()) return name.status().in(report.source);
  std::erase_if(report.kernels, [&](const inspect::Kernel& each) { return each.name != *name; });
  return {};
}

/// The modules that hold one of the report's kernels, in order.
Result<std::string> ptx_text(const inspect::Report& report) {
  std::string out;
  for (const inspect::PtxText& module : report.ptx) {
    const bool is_wanted = std::ranges::any_of(report.kernels, [&](const inspect::Kernel& kernel) {
      return std::ranges::find(module.names, kernel.name) != module.names.end();
    });
    if (is_wanted) out += module.text + (module.text.ends_with('\n') ? "" : "\n");
  }
  if (out.empty())
    return invalid_input(report.source +
                         ": this file holds machine code without PTX. `warplens kernel FILE --emulate --instructions` "
                         "prints the machine code");
  return out;
}

Result<int> run_inspect(const Invocation& invocation) {
  if (invocation.has("--instructions")) {
    WL_TRY(invocation.emit(ptx::instruction_reference()));
    return kExitOk;
  }
  if (invocation.operands.size() != 1) return usage_error("inspect takes one file or folder");
  inspect::Options options;
  options.arch = invocation.text("--arch");
  options.compiler = invocation.list("--option");
  options.assemble = !invocation.has("--no-sass");
  WL_ASSIGN(inspect::Report report, inspect::load(invocation.operands[0], options));
  if (invocation.has("--kernel")) WL_TRY(keep(invocation.text("--kernel"), report));
  if (invocation.has("--ptx")) {
    WL_ASSIGN(const std::string text, ptx_text(report));
    WL_TRY(invocation.emit(text));
    return kExitOk;
  }
  switch (invocation.format()) {
    case Format::kTable:
      WL_TRY(invocation.emit_for_people(inspect::to_text(report, {invocation.has("--lines"), terminal_width()})));
      break;
    case Format::kJson: WL_TRY(invocation.emit(inspect::to_json(report))); break;
    default: WL_TRY(invocation.emit(inspect::to_table(report)));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kInspect;
const Verb kInspect = {
    "inspect",
    "show a kernel's machine code, registers, memory, spills",
    "FILE",
    "FILE is a .cu, .ptx or .cubin file, or a fat binary. It may also be a program, library or object file that "
    "contains them, or a kernel's folder in Triton's cache. If there are several images, all are listed. The images "
    "for the GPU of --arch are shown in detail, without --arch the newest. The tables count PTX and SASS: instructions "
    "by class, "
    "accesses by space and width, and source lines. Then come spills, vectorised accesses, unrolled loops and fused "
    "multiply-adds. With a CUDA toolkit, .cu files are compiled and PTX is assembled. "
    "--ptx prints the PTX itself; `warplens kernel FILE --emulate --instructions` prints the machine code, with its "
    "counts.",
    {{"-k,--kernel", "NAME", "only this kernel"},
     {"--arch", "ARCH", "compile, assemble, or choose the image, for this architecture: sm_80, sm_90a, ..."},
     {"--opt,--option", "OPTION", "an option of the compiler, such as -DN=4 or --use_fast_math", "", {}, true},
     {"--lines", "", "show source lines with their instructions and accesses"},
     {"--ptx", "", "print the PTX itself, of the whole module"},
     {"--no-sass", "", "do not assemble PTX"},
     {"--instructions", "", "print every known PTX instruction and its forms"}},
    {{"warplens inspect kernel.cu --arch sm_90 --lines", "counts of PTX and SASS of each source line"},
     {"warplens inspect ./a.out", "the kernels of a program, and their GPUs"},
     {"warplens inspect ~/.triton/cache/HASH", "a Triton kernel"}},
    run_inspect,
    {{"--instructions", [](const Invocation& i) { return i.has("--instructions"); }, "--instructions", {}, true},
     {"PTX", [](const Invocation& i) { return i.operand_ends(".ptx"); }, "--kernel --arch --lines --ptx --no-sass"},
     {"a cubin", [](const Invocation& i) { return i.operand_ends(".cubin"); }, "--kernel --lines"},
     {"CUDA C++", [](const Invocation& i) { return i.operand_ends(".cu"); }, "--kernel --arch --option --lines --ptx"},
     {"a file", [](const Invocation&) { return true; },
      "--kernel --arch --option --lines --ptx --no-sass --instructions"}}};

}  // namespace warplens::cli
