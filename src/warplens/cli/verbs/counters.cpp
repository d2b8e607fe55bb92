// warplens counters: what hardware, or an emulated GPU, counts of a program's kernels.
#include "warplens/base/text.h"
#include "warplens/cli/counter_flags.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

bool runs_program(const Invocation& invocation) { return !invocation.command.empty(); }

std::vector<Use> counters_uses() {
  const std::string report = " --roofline --roofline-svg --save --baseline --as --fail-on --metrics --lines --page";
  const std::string emulated = "--emulate --device --devices --launch-budget";
  const std::string launches = " --kernel --skip --count";
  const std::string hardware = " --set --metric --replay --cache-control";
  const Tie baseline = {"--as", "--baseline"};
  return {
      {"--list-metrics", [](const Invocation& i) { return i.has("--list-metrics"); }, "--list-metrics"},
      {"--plan", [](const Invocation& i) { return i.has("--plan"); }, "--plan --set --metric"},
      {"--verify", [](const Invocation& i) { return runs_program(i) && i.has("--verify"); },
       "--verify --sample " + emulated + launches + hardware},
      {"--devices-compare",
       [](const Invocation& i) { return runs_program(i) && i.has("--emulate") && i.has("--devices-compare"); },
       "--devices-compare --emulate --devices --launch-budget --sample" + launches},
      {"an emulated program",
       [](const Invocation& i) { return runs_program(i) && i.has("--emulate"); },
       "--sample --devices-compare " + emulated + launches + report,
       {baseline}},
      {"a program whose lines are sampled", [](const Invocation& i) { return runs_program(i) && i.has("--lines"); },
       "--lines --nvtx --keep" + launches},
      {"a program on a GPU",
       runs_program,
       "--nvtx --keep --lines --instructions --over-time --interval --emulate --verify" + launches + hardware + report,
       {baseline, {"--interval", "--over-time"}}},
  };
}

std::vector<Flag> flags_of_counters() {
  return in_groups(
      {{"which launches",
        {{"-k,--kernel", "NAME", "only kernels of this name: a glob, or regex:EXPRESSION"},
         {"--nvtx", "RANGE",
          "only launches in NVTX ranges of this name (a glob); cudaProfilerApi: from cudaProfilerStart to "
          "cudaProfilerStop"},
         {"--skip", "N", "leave out the first N launches that match", "0"},
         {"--count", "N", "count at most N launches; 0: all", "0"}}},
       {"counters of a GPU", metric_flags()},
       {"",
        {{"--lines", "",
          "sample stalls by source line; in an emulated program, count the sectors (32 bytes) that each line moves, "
          "and the "
          "minimum"},
         {"--instructions", "", "count the instructions and bytes of each source line, with patched machine code"},
         {"--over-time", "", "show how busy the GPU's units are during each launch"},
         {"--interval", "TIME", "with --over-time: between two samples", "10us"}}},
       {"how to count on a GPU",
        {{"--replay",
          "HOW",
          "how to count in several passes. batch: run up to 64 launches again together. kernel: run each launch "
          "again alone, as CUPTI does. application: run the whole program again, for kernels that wait for others. "
          "range: count an NVTX range as a whole, with its graphs; each time the program reaches it, one pass is "
          "counted (needs --nvtx)",
          "batch",
          {"batch", "kernel", "application", "range"}},
         {"--cache-control",
          "CACHES",
          "before each run of a launch: empty the caches, so that runs are equal (all), or leave them (none)",
          "all",
          {"all", "none"}},
         {"--keep", "FILE", "save the counts, for `warplens kernel FILE` on any machine; %p: process"}}},
       {"without a GPU",
        {{"--emulate", "", "run the program on an emulated GPU, and count every launch in full"},
         {"--device", "GPU", "the GPU to emulate (`warplens device list`)", "h200"},
         devices_flag(),
         budget_flag(),
         sample_flag(),
         {"--devices-compare", "GPUS", "compare the kernels' times on several GPUs: a100,h200,b200"}}},
       {"on both", {{"--verify", "", "run emulated and on the GPU, and compare every counter"}}},
       {"the report", counter_report_flags()},
       {"", {{"--save", "FILE", "write the counters as JSON, for --baseline"}}},
       {"compare", baseline_flags()},
       {"metrics of a GPU",
        {{"--list-metrics", "CHIP", "list the metrics of GH100, h200, ...: names, units, meanings; needs no GPU"},
         {"--plan", "CHIP", "list the metrics and passes of --set and --metric on that chip; needs no GPU"}}}});
}

Result<int> run_counters(const Invocation& invocation) {
  if (invocation.has("--list-metrics")) return list_chip_metrics(invocation);
  if (invocation.has("--plan")) return plan_counting(invocation);
  if (!invocation.command.empty()) return count_program(invocation);
  if (!invocation.operands.empty())
    return usage_error(
        fmt::format("{0}: put a program after --: warplens counters -- {0}; a file is for: warplens kernel {0}",
                    invocation.operands[0]));
  return usage_error("give a program after --, as in `warplens counters -- ./program`");
}

}  // namespace

extern const Verb kCounters;
const Verb kCounters = {
    "counters",
    "count a program's kernels, on a GPU or emulated",
    "-- PROGRAM [ARGUMENT...]",
    "Runs a program and reports counters, roofline and findings of each kernel that it launches. The launches are "
    "replayed until every metric is counted. The program's output and exit code are its own. "
    "With --emulate, the program runs without a GPU.",
    flags_of_counters(),
    {{"warplens counters -k 'attention*' --count 10 -- python train.py", "hardware counters of ten launches"},
     {"warplens counters --emulate -- ./program", "the same without a GPU"},
     {"warplens counters --lines -- ./program", "stalls by source line"},
     {"warplens counters --emulate --devices-compare a100,h200,b200 -- ./program", "the kernels' times on three GPUs"},
     {"warplens counters --list-metrics h200", "metrics of an H200"}},
    run_counters,
    counters_uses(),
    Prints::kData,
    {},
    false,
    "--kernel --nvtx --count --set --lines --keep --emulate --device --metrics --baseline --fail-on"};

}  // namespace warplens::cli
