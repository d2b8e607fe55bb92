// warplens ops: where operators spend their time.
#include "warplens/analysis/operators/torch_print.h"
#include "warplens/analysis/operators/torch_table.h"
#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/readers/read.h"

namespace warplens::cli {
namespace {

using analysis::TorchRow;
using analysis::TorchTable;

Table as_table(const std::vector<TorchRow>& rows, bool with_stack) {
  Table table{{{"name", "name"},
               {"device_type", "device"},
               {"is_user_annotation", "range", Kind::kCount},
               {"input_shapes", "input shapes"},
               {"count", "calls", Kind::kCount},
               {"cpu_time_total_ns", "CPU total", Kind::kTimeNs},
               {"self_cpu_time_total_ns", "CPU self", Kind::kTimeNs},
               {"device_time_total_ns", "GPU total", Kind::kTimeNs},
               {"self_device_time_total_ns", "GPU self", Kind::kTimeNs},
               {"cpu_memory_bytes", "CPU memory", Kind::kBytes},
               {"self_cpu_memory_bytes", "CPU memory self", Kind::kBytes},
               {"device_memory_bytes", "GPU memory", Kind::kBytes},
               {"self_device_memory_bytes", "GPU memory self", Kind::kBytes},
               {"flops", "FLOPs", Kind::kCount}},
              {}};
  if (with_stack) table.columns.push_back({"stack", "stack"});
  for (const TorchRow& r : rows) {
    table.rows.push_back({r.name, std::string(r.on_device ? "CUDA" : "CPU"), r.is_user_annotation, r.input_shapes, r.count, r.cpu_ns,
                          r.self_cpu_ns, r.device_ns, r.self_device_ns, r.cpu_bytes, r.self_cpu_bytes, r.device_bytes,
                          r.self_device_bytes, r.flops});
    if (with_stack) table.rows.back().push_back(join(r.stack, ";"));
  }
  return table;
}

Result<size_t> positive(const Invocation& invocation, const char* flag) {
  WL_ASSIGN(const int64_t value, invocation.integer(flag));
  if (value < 0) return usage_error(fmt::format("{} {}: give a number that is not negative", flag, value));
  return static_cast<size_t>(value);
}

Result<int> run_torch(const Invocation& invocation, const Profile& profile) {
  analysis::TorchTableOptions options;
  options.by_shape = invocation.has("--by-shape");
  if (invocation.has("--by-stack")) {
    WL_ASSIGN(options.by_stack, positive(invocation, "--by-stack"));
  }
  TorchTable table = analysis::torch_table(profile, options);
  if (invocation.has("--sort-by")) WL_TRY(analysis::sort_torch_rows(table.rows, invocation.text("--sort-by")));
  size_t limit = table.rows.size();
  if (invocation.has("--limit")) {
    WL_ASSIGN(limit, positive(invocation, "--limit"));
  }
  if (invocation.format() == Format::kTable) {
    analysis::TorchPrintOptions print;
    print.limit = limit, print.with_shapes = options.by_shape;
    WL_ASSIGN(print.name_width, positive(invocation, "--name-width"));
    WL_TRY(invocation.emit(analysis::print_torch_table(table, print)));
    return kExitOk;
  }
  if (table.rows.size() > limit) table.rows.resize(limit);
  WL_TRY(invocation.emit(as_table(table.rows, options.by_stack != 0)));
  return kExitOk;
}

Result<int> run_ops(const Invocation& invocation) {
  if (invocation.operands.empty()) return usage_error("give a trace");
  WL_ASSIGN(const Profile profile, read_profile(invocation.operands));
  return run_torch(invocation, profile);
}

}  // namespace

extern const Verb kOps;
const Verb kOps = {
    "ops", "where operators spend their time", "PROFILE...",
    "Sums time, memory and floating-point operations by operator.",
    {{"--torch", "", "exactly torch's key_averages(), quirks included"},
     {"--sort-by", "KEY", "sort by this, largest first"},
     {"--by-shape", "", "a row for each operator and input shapes"},
     {"--by-stack", "N", "a row for each operator and its N innermost Python frames"},
     {"--name-width", "N", "cut names to this width in torch's table", "55"},
     {"--limit", "N", "print at most this many rows"}},
    {{"warplens ops trace.json.gz --torch --sort-by cuda_time_total", "torch's own table, from its trace"}}, run_ops};

}  // namespace warplens::cli
