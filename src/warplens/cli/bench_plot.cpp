#include "warplens/cli/bench_commands.h"

namespace warplens::cli {

Result<int> bench_plot(const Invocation&) { return unsupported("plots are not here yet"); }

}  // namespace warplens::cli
