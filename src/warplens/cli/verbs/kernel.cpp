// warplens kernel: one kernel or a file of launches, emulated or on a GPU.
#include <atomic>
#include <csignal>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cli/counter_flags.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/explain_flag.h"
#include "warplens/cli/kernel_annotations.h"
#include "warplens/cli/kernel_counters.h"
#include "warplens/cli/kernel_input.h"
#include "warplens/cli/kernel_page.h"
#include "warplens/cli/kernel_trace.h"
#include "warplens/cli/kernel_try.h"
#include "warplens/cli/kernel_uses.h"
#include "warplens/cli/kernel_verify.h"
#include "warplens/cli/progress_line.h"
#include "warplens/cli/verb.h"
#include "warplens/launch/report.h"
#include "warplens/launch/run.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

std::atomic<bool> interrupted = false;

void on_interrupt(int) { interrupted = true; }

Status print_result(const Invocation& invocation, const CountersPlan& plan, const launch::RunResult& result) {
  const std::string format = invocation.text("--format");
  if (format == "github") return invocation.emit(explain::to_github(annotations(result)));
  if (format == "sarif")
    return invocation.emit(explain::to_sarif(annotations(result), result.source.path, WARPLENS_VERSION));
  if (invocation.format() == Format::kJson)
    return invocation.emit(with_comparison(plan.baseline, launch::to_json(result), reports_of(result)));
  if (invocation.format() != Format::kTable) {
    const std::optional<Table> counted = counters_table(invocation, reports_of(result));
    return invocation.emit(counted ? *counted : launch::flat_launch_table(result));
  }
  return invocation.emit_for_people(launch::to_text(result, terminal_width()));
}

/// The line of source at which the run ended early.
std::string fault_excerpt(const launch::RunResult& result) {
  const simt::Place& place = result.outcomes.back().emulated->fault->place;
  return source_excerpt(place.file, place.line, "  ");
}

std::vector<report::KernelReport*> counted_reports(launch::RunResult* result) {
  std::vector<report::KernelReport*> out;
  for (launch::Outcome& outcome : result->outcomes) {
    if (outcome.counted) out.push_back(&*outcome.counted);
  }
  return out;
}

Result<int> run_kernel(const Invocation& invocation) {
  if (invocation.has("--explain")) return explain_finding(invocation, explain::Scope::kKernel);
  if (!invocation.command.empty())
    return usage_error(
        fmt::format("to count a program's kernels: warplens counters -- {}", join(invocation.command, " ")));
  if (!invocation.operands.empty() && is_counts_file(invocation.operands[0]))
    return report_counts(invocation, invocation.operands);
  WL_ASSIGN(launch::Description description, read_description(invocation));
  WL_ASSIGN(launch::RunOptions options, read_run_options(invocation));
  if (invocation.has("--try")) return try_kernel(invocation, description, options);
  WL_ASSIGN(const CountersPlan plan, plan_counters(invocation, options.emulate && options.emulation.count));
  ProgressLine progress;
  const size_t count = description.launches.size();
  options.emulation.cancel = &interrupted;
  options.emulation.progress = [&](const simt::Progress& p) { progress.show(p); };
  options.on_launch = [&](size_t i, const launch::Source& source) {
    progress.launch(i, count, short_name(source.kernels[i]));
  };
  if (invocation.text("--format") == "table" && invocation.format() == Format::kTable)
    options.emulation.print = [&](std::string_view text) {
      progress.clear();
      warplens::show(stdout, text);
      std::fflush(stdout);  // what follows is written past the stream's buffer
    };
  const auto previous = std::signal(SIGINT, on_interrupt);
  Result<launch::RunResult> result = launch::run(std::move(description), options);
  std::signal(SIGINT, previous);
  progress.clear();
  if (!result.ok())
    return interrupted ? Status(result.status().code(), result.status().message() + progress.how_far())
                       : explained(invocation, result.status());
  if (!result->source.log.empty()) tell("{}\n", trim(result->source.log));
  std::vector<report::VerifiedMetric> verified;
  if (invocation.has("--verify") && result->ok()) {
    WL_ASSIGN(verified, verify_on_hardware(invocation, counted_reports(&*result)));
  }
  if (invocation.has("--hardware")) WL_TRY(join_kept(invocation, counted_reports(&*result)));
  WL_TRY(print_result(invocation, plan, *result));
  WL_TRY(write_kernel_trace(invocation, *result));
  WL_TRY(write_kernel_page(invocation, *result));
  WL_ASSIGN(const bool crossed,
            counters_afterwards(invocation, plan, reports_of(*result), [&] { return launch::to_json(*result); }));
  if (options.emulation.checks != 0 && options.emulate && invocation.format() == Format::kTable)
    tell("note: --check reports only defects: no counters, time or findings. Run without it for those\n");
  if (const std::string fault = launch::fault_text(*result); !fault.empty())
    tell("warplens kernel: {}{}\n{}", fault, interrupted ? progress.how_far() : "", fault_excerpt(*result));
  if (interrupted) return kExitInterrupted;
  if (!verified.empty() && show_verified(invocation, verified)) return kExitFailed;
  if (launch::has_defects(*result)) return kExitDefect;
  return !result->ok() ? kExitFailed : crossed ? kExitThreshold : kExitOk;
}

std::vector<Flag> flags_of_kernel() {
  return in_groups(
      {{"the launch",
        {{"-k,--kernel", "NAME", "the kernel's name in the source; name<arguments> for a template"},
         {"--grid", "X,Y,Z", "blocks"},
         {"--block", "X,Y,Z", "threads of a block"},
         {"--arg", "ARG", "the next argument: i32=N, x=f32[N]:uniform, x=@FILE.npy", "", {}, true},
         {"--shared", "BYTES", "dynamic shared memory of a block: 49152 or 48KiB"},
         {"--cluster", "X,Y,Z", "blocks of a cluster"},
         {"--cooperative", "", "cooperative launch: all blocks are resident at once, for grid-wide barriers"},
         {"--symbol", "NAME=BUFFER", "fill a __device__ or __constant__ variable before the launch", "", {}, true},
         {"--axis", "NAME=VALUE", "another size of a suite's kernel: columns=2048; repeated", "", {}, true}}},
       {"how to compile",
        {{"--arch", "ARCH", "sm_80, sm_90a, ...; default: the file's or the GPU's, else sm_90"},
         {"--opt,--option", "OPTION", "pass OPTION to the compiler: --option=-DN=4", "", {}, true},
         {"--compiler", "NAME", "nvrtc or nvcc; default: NVRTC, and nvcc for host code"}}},
       {"where to run",
        {{"--emulate", "", "run on the CPU"},
         {"--gpu", "", "run on the local GPU; with --emulate, compare both"},
         {"--device", "GPU",
          "estimate time, roofline and occupancy for this GPU (`warplens device list`); default: the best known one of "
          "the architecture"},
         {"--runs", "N", "timed runs of each launch on the GPU", "10"},
         {"--schedule", "ORDER", "order of emulated blocks and warps: in-order, reversed, random[:SEED]", "in-order"},
         {"--timeout", "TIME", "stop an emulated launch after this time: 30s, 2min; 0: never", "0"},
         {"--max-instructions", "N", "stop an emulated launch after N warp instructions; 0: never", "0"},
         {"--threads", "N", "CPU threads for emulation; 0: all", "0"}}},
       {"results",
        {{"--save",
          "NAME=FILE",
          "write a buffer to a .npy file after the launch; without NAME=, write the counters, for --baseline",
          "",
          {},
          true},
         {"--expect", "NAME=FILE", "compare a buffer with a .npy file after the launch", "", {}, true},
         {"--rtol", "R", "relative tolerance of --expect and of --gpu against --emulate", "1e-5"},
         {"--atol", "A", "absolute tolerance, added to the relative one", "1e-6"},
         {"--trace", "FILE", "write the launches as a Chrome trace: timed runs, or modelled times"}}},
       {"defects",
        {{"--check",
          "KINDS",
          "check the emulated launch for defects: memory,race,init,sync or all",
          "",
          {},
          false,
          "all"}}},
       {"counters of the emulated launch", counter_report_flags()},
       {"",
        {{"--lines", "", "print the sectors (32 bytes) of each source line, and the fewest"},
         {"--instructions", "", "print counters of each machine instruction (of PTX if no machine code ran)"},
         {"--line", "[FILE:]N", "draw a line's costliest memory requests by bank or by sector"},
         {"--line-svg", "FILE", "write that picture"},
         {"--no-counters", "", "emulate without counting"},
         {"--count-timeout", "TIME", "stop running machine code for exact counters after this time; 0: never",
          "10min"}}},
       {"faster kernels",
        {{"--try", "",
          "try changes that keep the results (padding, __restrict__, launch bounds, block size, ...), and show the "
          "faster ones as patches"}}},
       {"compare", baseline_flags()},
       {"compare with hardware counters",
        {{"--verify", "", "run emulated and on the GPU, and compare every counter"},
         {"--hardware", "FILE",
          "with --emulate: counts of the same launches, from `warplens counters --keep`; findings then use the "
          "measured "
          "time"}}},
       {"with --verify", metric_flags()},
       {"explain", {explain_flag()}}});
}

}  // namespace

extern const Verb kKernel;
const Verb kKernel = {
    "kernel",
    "run one kernel, on the CPU or a GPU: results, counters",
    "FILE",
    "Runs a kernel, and reports its results, counters, expected time and findings. FILE is CUDA C++, PTX, a cubin, "
    "a program, or a launch file in JSON. SUITE/STEP is a kernel of `warplens bench --list`. COUNTERS is a report "
    "of Nsight Compute (.ncu-rep; `ncu --csv` needs --device GPU), or a file of `warplens counters --keep`.\nAn "
    "argument is a number (i32=1048576), a file (x=@FILE.npy), or an earlier buffer (x, x+4096). A new buffer is "
    "x=f32[1048576]:uniform(-0.5,0.5,seed=7).\nThe exit code is 1 if the kernel fails or an output is not as "
    "expected, and 4 if a check finds a defect.",
    flags_of_kernel(),
    {{"warplens kernel saxpy.cu -k saxpy --grid 4096 --block 256 --arg f32=2 --arg x=f32[1048576]:uniform --arg "
      "y=f32[1048576] --arg i32=1048576 --emulate",
      "one launch, on the CPU"},
     {"warplens kernel launches.json --emulate --check all", "the launches of a file, checked for defects"},
     {"warplens kernel launches.json --emulate --gpu", "on both, outputs compared"},
     {"warplens kernel report.ncu-rep", "a report of Nsight Compute, with findings"},
     {"warplens kernel softmax/online --emulate --axis columns=2048", "a kernel of a suite, at another size"},
     {"warplens kernel --explain bank-conflict", "the meaning of a finding, and the formula of its saving"},
     {"warplens kernel launches.json --emulate --check all --format github", "annotations for GitHub Actions"}},
    run_kernel,
    kernel_uses(),
    Prints::kData,
    {"github", "sarif"},
    false,
    "--kernel --grid --block --arg --shared --emulate --gpu --device --check --lines --line --metrics --roofline --try "
    "--explain "
    "--baseline "
    "--fail-on"};

}  // namespace warplens::cli
