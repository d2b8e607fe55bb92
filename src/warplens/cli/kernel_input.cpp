#include "warplens/cli/kernel_input.h"

#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/kernel_counters.h"
#include "warplens/launch/flags.h"
#include "warplens/launch/read_input.h"
#include "warplens/simt/check_names.h"

namespace warplens::cli {
namespace {

Result<simt::Schedule> parse_schedule(const std::string& text) {
  using Kind = simt::Schedule::Kind;
  if (text == "in-order") return simt::Schedule{Kind::kInOrder};
  if (text == "reversed") return simt::Schedule{Kind::kReversed};
  if (text == "random") return simt::Schedule{Kind::kRandom};
  if (text.starts_with("random:")) {
    if (const std::optional<int64_t> seed = parse_int(text.substr(7)); seed && *seed >= 0)
      return simt::Schedule{Kind::kRandom, static_cast<uint64_t>(*seed)};
  }
  return usage_error(fmt::format("--schedule {}: write in-order, reversed, random or random:SEED", text));
}

Result<launch::Flags> read_flags(const Invocation& invocation) {
  launch::Flags flags;
  flags.source = invocation.operands[0];
  flags.kernel = invocation.text("--kernel");
  flags.arch = invocation.text("--arch");
  flags.grid = invocation.text("--grid");
  flags.block = invocation.text("--block");
  flags.cluster = invocation.text("--cluster");
  flags.shared = invocation.text("--shared");
  flags.cooperative = invocation.has("--cooperative");
  flags.options = invocation.list("--option");
  flags.compiler = invocation.text("--compiler");
  flags.args = invocation.list("--arg");
  flags.symbols = invocation.list("--symbol");
  flags.save = buffers_to_save(invocation);
  flags.expect = invocation.list("--expect");
  WL_ASSIGN(flags.rtol, invocation.number("--rtol"));
  WL_ASSIGN(flags.atol, invocation.number("--atol"));
  return flags;
}

/// What flags say over a launch file or a suite's step.
Status override_with(const Invocation& invocation, launch::Description& description) {
  if (invocation.has("--arch")) description.arch = invocation.text("--arch");
  if (invocation.has("--compiler")) description.compiler = invocation.text("--compiler");
  for (const std::string& option : invocation.list("--option")) description.options.push_back(option);
  for (const std::string& value : buffers_to_save(invocation)) {
    const size_t equals = value.find('=');
    description.save[value.substr(0, equals)] = value.substr(equals + 1);
  }
  WL_ASSIGN(const double rtol, invocation.number("--rtol"));
  WL_ASSIGN(const double atol, invocation.number("--atol"));
  WL_TRY(launch::expect_files(invocation.list("--expect"), rtol, atol, description));
  return launch::check_description(description);
}

/// A launch file, with -k choosing launches of it.
Result<launch::Description> read_launch_file(const Invocation& invocation, const std::string& text) {
  const std::string path = invocation.operands[0];
  if (contains(text, "\"traceEvents\""))
    return invalid_input(
        fmt::format("{0} is a trace, not a kernel. For its kernels, use `warplens ops {0} --by kernel`; for all of it, "
                    "`warplens {0}`",
                    path));
  Result<launch::Description> description =
      launch::parse_description(text, std::filesystem::path(path).parent_path().string());
  if (!description.ok()) return description.status().in(path);
  if (const Status changed = override_with(invocation, *description); !changed.ok()) return changed.in(path);
  if (const Status chosen = launch::keep_launches(*description, invocation.text("--kernel")); !chosen.ok())
    return chosen.in(path);
  return description;
}

}  // namespace

Result<launch::Description> read_description(const Invocation& invocation) {
  if (invocation.operands.size() != 1)
    return usage_error("give one file: .cu, .ptx, .cubin, a launch file, or a suite's kernel such as softmax/naive");
  WL_ASSIGN(std::optional<launch::Description> step, suite_step(invocation, invocation.operands[0]));
  if (step) {
    WL_TRY(override_with(invocation, *step));
    return std::move(*step);
  }
  WL_ASSIGN(const std::string text, launch::read_input(invocation.operands[0]));
  if (launch::is_launch_file(text)) return read_launch_file(invocation, text);
  if (invocation.operands[0] == "-")
    return usage_error("standard input is for launch files; give a kernel's source as a file");
  WL_ASSIGN(const launch::Flags flags, read_flags(invocation));
  return launch::description_of(flags);
}

Status explained(const Invocation& invocation, const Status& status) {
  const std::string& file = invocation.operands[0];
  if (file.ends_with(".json") || file == "-") return status;
  Status out = launch::without_place(status);
  std::error_code ignored;
  const bool program = (std::filesystem::status(file, ignored).permissions() & std::filesystem::perms::owner_exec) !=
                       std::filesystem::perms::none;
  if (!program || invocation.has("--arg") || !contains(out.message(), "arguments, not 0")) return out;
  return Status(out.code(), fmt::format("{}; to run the whole program: warplens counters --emulate -- {}",
                                        out.message(), contains(file, "/") ? file : "./" + file));
}

Result<launch::RunOptions> read_run_options(const Invocation& invocation) {
  launch::RunOptions options;
  options.emulate = invocation.has("--emulate") || invocation.has("--verify");
  options.gpu = invocation.has("--gpu");
  if (!options.emulate && !options.gpu)
    return usage_error("choose where to run it: --emulate (on the CPU), --gpu, or both to compare them");
  if (invocation.has("--check")) {
    WL_ASSIGN(options.emulation.checks, simt::parse_checks(invocation.text("--check")));
  }
  WL_ASSIGN(options.emulation.schedule, parse_schedule(invocation.text("--schedule")));
  WL_ASSIGN(const int64_t timeout_ns, invocation.time_ns("--timeout"));
  WL_ASSIGN(const int64_t count_timeout_ns, invocation.time_ns("--count-timeout"));
  options.emulation.timeout_s = static_cast<double>(timeout_ns) / 1e9;
  options.emulation.count_timeout_s = static_cast<double>(count_timeout_ns) / 1e9;
  WL_ASSIGN(const int64_t limit, invocation.integer("--max-instructions"));
  WL_ASSIGN(const int64_t threads, invocation.integer("--threads"));
  WL_ASSIGN(const int64_t runs, invocation.integer("--runs"));
  if (limit < 0 || threads < 0 || runs < 1)
    return usage_error("--max-instructions and --threads take no negative numbers, --runs at least 1");
  options.emulation.instruction_limit = static_cast<uint64_t>(limit);
  options.emulation.threads = static_cast<uint32_t>(threads);
  options.gpu_options.runs = static_cast<int>(std::min<int64_t>(runs, 1000000));
  options.emulation.count = !invocation.has("--no-counters") && options.emulation.checks == 0;
  if (invocation.has("--device")) {
    WL_ASSIGN(options.emulation.device, gpu::find_device(invocation.text("--device")));
  }
  options.emulation.peaks_of = measured_peaks;
  WL_ASSIGN(options.emulation.watch, chosen_line(invocation));
  options.emulation.instructions = invocation.has("--instructions") || invocation.has("--page");
  if (invocation.has("--page") && !options.emulation.watch.any()) options.emulation.watch.every = true;
  options.overwrite = invocation.has("--force");
  WL_ASSIGN(options.rtol, invocation.number("--rtol"));
  WL_ASSIGN(options.atol, invocation.number("--atol"));
  return options;
}

}  // namespace warplens::cli
