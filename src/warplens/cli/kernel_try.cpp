#include "warplens/cli/kernel_try.h"

#include "warplens/tried/try.h"

namespace warplens::cli {

Result<int> try_kernel(const Invocation& invocation, const launch::Description& description,
                       const launch::RunOptions& options) {
  if (!options.gpu && !options.emulation.count)
    return usage_error("--try compares times: leave --no-counters and --check out");
  WL_ASSIGN(const tried::Tried result, tried::try_changes(description, options));
  if (invocation.format() == Format::kJson) {
    json::Writer w(true);
    tried::write(w, result);
    WL_TRY(invocation.emit(w.take() + "\n"));
  } else {
    WL_TRY(invocation.emit_for_people(tried::to_text(result)));
  }
  return kExitOk;
}

}  // namespace warplens::cli
