// warplens ops: where operators spend their time.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/class_flags.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/ops_replay.h"
#include "warplens/cli/ops_tables.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/operators/torch_print.h"
#include "warplens/program/analysis/summary/busy.h"

namespace warplens::cli {
namespace {

using analysis::CauseBy;

constexpr int64_t kRowsForPeople = 30;

/// Rows to show: --limit (0: all), else `initial`.
Result<size_t> row_limit(const Invocation& invocation, size_t initial) {
  if (!invocation.has("--limit")) return initial;
  WL_ASSIGN(const size_t limit, invocation.count("--limit"));
  return limit == 0 ? SIZE_MAX : limit;
}

Result<size_t> stack_depth(const Invocation& invocation) {
  if (!invocation.has("--by-stack")) return size_t{0};
  return invocation.count("--by-stack");
}

template <typename Row>
size_t cut(std::vector<Row>& rows, size_t limit) {
  const size_t all = rows.size();
  if (all > limit) rows.resize(limit);
  return all - rows.size();
}

bool for_people(const Invocation& invocation) {
  return invocation.format() == Format::kTable || invocation.format() == Format::kMarkdown;
}

Result<int> run_torch(const Invocation& invocation, const Profile& profile) {
  analysis::TorchTableOptions options;
  options.by_shape = invocation.has("--by-shape");
  WL_ASSIGN(options.by_stack, stack_depth(invocation));
  analysis::TorchTable table = analysis::torch_table(profile, options);
  if (invocation.has("--sort-by")) WL_TRY(analysis::sort_torch_rows(table.rows, invocation.text("--sort-by")));
  WL_ASSIGN(const size_t limit, row_limit(invocation, SIZE_MAX));
  if (invocation.format() == Format::kTable) {
    analysis::TorchPrintOptions print;
    print.limit = limit;
    print.with_shapes = options.by_shape;
    WL_ASSIGN(print.name_width, invocation.count("--name-width"));
    WL_TRY(ProfileReport(invocation, profile).foreign(analysis::print_torch_table(table, print)));
    return kExitOk;
  }
  cut(table.rows, limit);
  WL_TRY(ProfileReport(invocation, profile).table(full_table(table.rows, options.by_stack != 0), ""));
  return kExitOk;
}

/// What the table's sums mean in wall time.
std::string footer(const Profile& profile, int64_t device_ns, size_t left_out) {
  int64_t busy_ns = 0, window_ns = 0;
  for (const analysis::TimeSet& busy : analysis::busy_times(profile)) busy_ns += analysis::length_ns(busy);
  for (size_t rank = 0; rank < profile.ranks.size(); ++rank)
    window_ns += profile.ranks.window_end_ns[rank] - profile.ranks.window_start_ns[rank];
  const auto text = [](int64_t ns) { return format_ns(static_cast<double>(ns)); };
  std::string out = left_out == 0 ? "" : fmt::format("{} more rows (--limit 0 shows all)\n", left_out);
  if (device_ns > 0)
    out += fmt::format("GPU {} in kernels, copies and sets; busy {} of {}\n", text(device_ns), text(busy_ns),
                       text(window_ns));
  return out;
}

/// For people with the sums below, for scripts as rows.
Status emit_table(const Invocation& invocation, const Profile& profile, const Table& table, int64_t device_ns,
                  size_t left_out, const std::string& note) {
  const ProfileReport report(invocation, profile);
  if (invocation.format() != Format::kTable) return report.table(table, "");
  return report.text(fmt::format("{}\n{}\n{}", note.empty() ? "" : "note        " + note + '\n',
                                 to_terminal(table, terminal_width()), footer(profile, device_ns, left_out)));
}

Result<int> run_own(const Invocation& invocation, const Profile& profile) {
  analysis::OperatorTableOptions options;
  options.by_shape = invocation.has("--by-shape");
  WL_ASSIGN(options.by_stack, stack_depth(invocation));
  analysis::OperatorTable table = analysis::operator_table(profile, analysis::Causes(profile), options);
  if (invocation.has("--sort-by")) WL_TRY(analysis::sort_operator_rows(table.rows, invocation.text("--sort-by")));
  WL_ASSIGN(const size_t limit, row_limit(invocation, for_people(invocation) ? kRowsForPeople : SIZE_MAX));
  const size_t left_out = cut(table.rows, limit);
  const Table shown =
      for_people(invocation) ? brief_table(table.rows, table.device_ns, table.root_cpu_ns) : full_table(table.rows);
  WL_TRY(emit_table(invocation, profile, shown, table.device_ns, left_out, ""));
  return kExitOk;
}

Result<int> run_by(const Invocation& invocation, const Profile& profile, CauseBy by) {
  WL_ASSIGN(const size_t depth, invocation.count("--depth"));
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  const analysis::Causes causes(profile);
  const analysis::Classes classes = analysis::classify(profile, causes.links.event_operator, rules);
  analysis::CauseTable table = analysis::cause_table(profile, causes, classes, rules, by, depth);
  WL_ASSIGN(const size_t limit, row_limit(invocation, for_people(invocation) ? kRowsForPeople : SIZE_MAX));
  const size_t left_out = cut(table.rows, limit);
  WL_TRY(emit_table(invocation, profile, cause_rows(table, by, for_people(invocation)), table.device_ns, left_out,
                    table.missing));
  return kExitOk;
}

Result<int> run_calls(const Invocation& invocation, const Profile& profile) {
  Table table = call_rows(analysis::call_table(profile));
  if (table.rows.empty()) return not_found("this recording has no CUDA or HIP calls");
  WL_ASSIGN(const size_t limit, row_limit(invocation, for_people(invocation) ? kRowsForPeople : SIZE_MAX));
  const size_t left_out = cut(table.rows, limit);
  WL_TRY(emit_table(invocation, profile, table, 0, left_out,
                    "waits of a call count: a copy or synchronization waits for the GPU"));
  return kExitOk;
}

Result<int> run_roofline(const Invocation& invocation, const Profile& profile) {
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  std::vector<analysis::RooflineRow> rows = analysis::operator_roofline(profile, analysis::Causes(profile), rules);
  if (rows.empty())
    return not_found(
        "no operator with recorded shapes did matrix, pointwise or row-wise work on the device. Record with "
        "record_shapes=True");
  int64_t device_ns = 0;
  for (const analysis::RooflineRow& row : rows) device_ns += row.device_ns;
  WL_ASSIGN(const size_t limit, row_limit(invocation, for_people(invocation) ? kRowsForPeople : SIZE_MAX));
  const size_t left_out = cut(rows, limit);
  WL_TRY(emit_table(invocation, profile, roofline_table(profile, rows, for_people(invocation)), device_ns, left_out,
                    "bytes are the minimum: each input is read once, each output written once; peaks are the data "
                    "sheet's"));
  return kExitOk;
}

Result<int> run_patterns(const Invocation& invocation, const Profile& profile) {
  constexpr size_t kLeastLength = 3, kPatternsForPeople = 12, kPatterns = 100;
  WL_ASSIGN(size_t limit, row_limit(invocation, for_people(invocation) ? kPatternsForPeople : kPatterns));
  const auto patterns =
      analysis::kernel_patterns(profile, analysis::Causes(profile), kLeastLength, std::min(limit, kPatterns));
  if (patterns.empty())
    return not_found(fmt::format("no stream runs a sequence of {} kernels or more {} times or more", kLeastLength,
                                 analysis::kLeastRepeats));
  int64_t device_ns = 0;
  for (size_t row = 0; row < profile.device_events.size(); ++row) {
    if (analysis::is_device_work(profile.device_events.kind[row])) device_ns += profile.device_events.duration_ns[row];
  }
  WL_TRY(emit_table(invocation, profile, pattern_table(profile, patterns, device_ns, for_people(invocation)), device_ns,
                    0, "a loop within a loop has a separate row; --json has all kernels of a sequence"));
  return kExitOk;
}

Result<int> run_ops(const Invocation& invocation) {
  const bool torch = invocation.has("--torch");
  const std::string by = invocation.text("--by");
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  if (torch) return run_torch(invocation, profile);
  if (invocation.has("--roofline")) return run_roofline(invocation, profile);
  if (invocation.has("--patterns")) return run_patterns(invocation, profile);
  if (invocation.has("--script")) {
    WL_ASSIGN(const std::string script, replay_script(profile, invocation.text("--script")));
    WL_TRY(ProfileReport(invocation, profile).foreign(script));
    return kExitOk;
  }
  if (by == "operator") return run_own(invocation, profile);
  if (by == "call") return run_calls(invocation, profile);
  const CauseBy cause = by == "module"       ? CauseBy::kModule
                        : by == "line"       ? CauseBy::kLine
                        : by == "annotation" ? CauseBy::kAnnotation
                        : by == "kernel"     ? CauseBy::kKernel
                                             : CauseBy::kClass;
  return run_by(invocation, profile, cause);
}

}  // namespace

extern const Verb kOps;
const Verb kOps = {
    "ops",
    "GPU and CPU time by operator, module, line, kernel or CUDA call",
    "PROFILE...",
    "One row for each operator. GPU self is the work that the operator launched itself. Every kernel, copy and set "
    "is in exactly one row, so the column adds up to all GPU time. GPU total and CPU total count nested calls of "
    "the same name once. Kernels of CUDA graphs and of compiled regions have their own rows. TFLOP/s counts matrix "
    "products, convolutions and attention with recorded shapes. --by charges GPU time to the code behind it, and "
    "the backward pass to its forward operator. A line is the first line of the function that launched the work, as "
    "torch.profiler records it. --by call has the host time of each CUDA or HIP call. --torch prints torch's own "
    "table.",
    with_cut_flags(
        {{"--by", "WHAT", "rows", "operator", {"operator", "module", "line", "annotation", "kernel", "class", "call"}},
         {"--depth", "N", "cut module paths to N levels; 0: whole", "0"},
         {"--sort-by", "KEY",
          "largest first: self_device_time_total, cpu_time_total, count, flops, ... (cuda and device mean the same)"},
         {"--by-shape", "", "a row for each operator and input shapes"},
         {"--by-stack", "N", "a row for each operator and its N innermost Python frames"},
         {"--limit", "N", "print at most N rows; 0: all [30 rows for people, all rows for scripts]"},
         {"--roofline", "",
          "operators by shape with their operations, minimum bytes and share of the GPU's roofline; the worst first"},
         {"--patterns", "",
          "sequences of kernels that streams run repeatedly: layers, optimizer loops, chains worth fusing"},
         {"--script", "NAME",
          "write a Python script that runs this operator alone, on inputs of the costliest recorded shapes"},
         {"--torch", "", "exactly torch's key_averages(), with its quirks"},
         {"--name-width", "N", "cut names to this width in torch's table", "55"},
         classes_flag()}),
    {{"warplens ops trace.json.gz", "operators by the GPU time that they launch themselves"},
     {"warplens ops trace.json.gz --by module --depth 3", "GPU time of forward and backward by module"},
     {"warplens ops trace.json.gz --by call", "CUDA calls by the time that the host spends in them"},
     {"warplens ops trace.json.gz --roofline", "operators that take longer than their operations and bytes need"},
     {"warplens ops trace.json.gz --patterns", "sequences of kernels that repeat, and the share of their gaps"},
     {"warplens ops trace.json.gz --script aten::addmm -o addmm.py", "a script that runs that operator alone"},
     {"warplens ops trace.json.gz --torch --sort-by cuda_time_total --limit 20", "torch's own table, from its trace"}},
    run_ops,
    {{"--torch", [](const Invocation& i) { return i.has("--torch"); },
      "--torch --sort-by --by-shape --by-stack --limit --name-width " + cut_flag_names()},
     {"--roofline", [](const Invocation& i) { return i.has("--roofline"); },
      "--roofline --limit --classes " + cut_flag_names()},
     {"--patterns", [](const Invocation& i) { return i.has("--patterns"); }, "--patterns --limit " + cut_flag_names()},
     {"--script", [](const Invocation& i) { return i.has("--script"); }, "--script " + cut_flag_names(), {}, true},
     {"operators", [](const Invocation& i) { return i.text("--by") == "operator"; },
      "--by --sort-by --by-shape --by-stack --limit --torch --roofline --patterns --script " + cut_flag_names()},
     {"--by module", [](const Invocation& i) { return i.text("--by") == "module"; },
      "--by --depth --limit " + cut_flag_names()},
     {"--by kernel or class",
      [](const Invocation& i) { return i.text("--by") == "kernel" || i.text("--by") == "class"; },
      "--by --limit --classes " + cut_flag_names()},
     {"--by line, annotation or call", [](const Invocation&) { return true; }, "--by --limit " + cut_flag_names()}},
    Prints::kData,
    {},
    false,
    "--by --sort-by --by-shape --by-stack --limit --roofline --patterns --script --torch --step"};

}  // namespace warplens::cli
