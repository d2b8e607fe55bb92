// warplens record: runs a program and records what it does on the GPU.
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "warplens/base/demangle.h"
#include "warplens/base/quantity.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/cli/device_table.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/cli/recording_variables.h"
#include "warplens/cli/summary_screen.h"
#include "warplens/cli/verb.h"
#include "warplens/collect/settings/settings.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

constexpr size_t kShown = 5;
constexpr const char* kDefaultOutput = "recording.wlens";

constexpr int64_t kLeastMemory = 16 << 20;

/// A time above 0, handed on in seconds.
Status add_time(const Invocation& invocation, const char* flag, const char* variable, Variables& to) {
  if (!invocation.has(flag)) return {};
  WL_ASSIGN(const int64_t ns, invocation.time_ns(flag));
  if (ns == 0) return usage_error(fmt::format("{} {}: give more than 0", flag, invocation.text(flag)));
  to.emplace_back(variable, fmt::format("{}", static_cast<double>(ns) / 1e9));
  return {};
}

Status add_schedule(const Invocation& invocation, Variables& to) {
  if (!invocation.has("--schedule")) return {};
  const std::string text = invocation.text("--schedule");
  const std::vector<std::string_view> parts = split(text, ',');
  bool good = parts.size() == 3 || parts.size() == 4;
  for (const std::string_view part : parts) good = good && parse_int(part).value_or(-1) >= 0;
  if (!good || parse_int(parts[2]).value_or(0) == 0)
    return usage_error(
        fmt::format("--schedule '{}': give WAIT,WARMUP,ACTIVE or WAIT,WARMUP,ACTIVE,REPEAT in steps, "
                    "ACTIVE at least 1",
                    text));
  to.emplace_back(collect::kScheduleVariable, text);
  return {};
}

/// --when 'step > 1.3 x median' or 'step > 50ms'.
Status add_slow_step(const Invocation& invocation, Variables& to) {
  if (!invocation.has("--when")) return {};
  const std::string text = invocation.text("--when");
  Status wrong = usage_error(fmt::format("--when '{}': write 'step > 1.3 x median' or 'step > 50ms', in quotes", text));
  constexpr std::string_view kStep = "step >", kMedian = "x median";
  if (!text.starts_with(kStep)) return wrong;
  std::string_view amount = trim(std::string_view(text).substr(kStep.size()));
  if (!amount.ends_with(kMedian)) {
    const Result<int64_t> ns = parse_time_ns(amount);
    if (!ns.ok() || *ns <= 0) return wrong;
    to.emplace_back(collect::kWhenVariable, fmt::format("ns {}", *ns));
    return {};
  }
  amount = trim(amount.substr(0, amount.size() - kMedian.size()));
  const std::optional<double> factor = parse_double(amount);
  if (!factor || *factor <= 1) return wrong;
  to.emplace_back(collect::kWhenVariable, fmt::format("median {}", *factor));
  return {};
}

constexpr std::pair<const char*, int> kSignals[] = {
    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"ALRM", SIGALRM}};

Status add_dumps(const Invocation& invocation, Variables& to) {
  WL_TRY(add_slow_step(invocation, to));
  for (const auto& [name, number] : kSignals) {
    if (invocation.text("--signal") == name) to.emplace_back(collect::kSignalVariable, fmt::format("{}", number));
  }
  if (!invocation.has("--metrics-port")) return {};
  WL_ASSIGN(const size_t port, invocation.count("--metrics-port"));
  if (port == 0 || port > UINT16_MAX) return usage_error("--metrics-port: give a port from 1 to 65535");
  to.emplace_back(collect::kMetricsVariable, fmt::format("{}", port));
  return {};
}

Result<Variables> variables_for(const Invocation& invocation, const std::string& output) {
  if (invocation.has("--stacks") && (invocation.has("--kernels-only") || invocation.text("--api") == "all"))
    return usage_error(
        "--stacks samples threads inside the calls that are recorded by default. Leave out --kernels-only and --api "
        "all");
  WL_ASSIGN(const std::string library, find_injected_library());
  WL_ASSIGN(const int64_t memory_bytes, invocation.bytes("--memory-limit"));
  if (memory_bytes < kLeastMemory)
    return usage_error(fmt::format("--memory-limit {}: give 16MiB at least", invocation.text("--memory-limit")));
  Variables out = {{"CUDA_INJECTION64_PATH", library},
                   {"NVTX_INJECTION64_PATH", library},
                   {collect::kOutputVariable, output},
                   {collect::kLevelsVariable, recorded_levels(invocation)},
                   {collect::kMemoryVariable, fmt::format("{}", memory_bytes)},
                   {collect::kCuptiVariable, compile::toolkit().cupti},
                   {collect::kCaptureVariable, invocation.text("--capture-range")}};
  if (invocation.has("--stacks")) out.emplace_back(collect::kStacksVariable, "1000");
  WL_TRY(add_schedule(invocation, out));
  WL_TRY(add_time(invocation, "--delay", collect::kDelayVariable, out));
  WL_TRY(add_time(invocation, "--duration", collect::kDurationVariable, out));
  WL_TRY(add_time(invocation, "--ring", collect::kRingVariable, out));
  WL_TRY(add_dumps(invocation, out));
  WL_TRY(add_python_part(invocation, library, out));
  return out;
}

Result<std::string> output_pattern(const Invocation& invocation) {
  const std::string given = invocation.has("--output") ? invocation.text("--output") : kDefaultOutput;
  if (given == "-")
    return usage_error(
        "-o -: standard output belongs to the program, so a recording cannot go "
        "there. Give a file name");
  return output_for_program(given, invocation.has("--force"));
}

void report(const RecordedProgram& program) {
  for (const std::string& refusal : program.refusals) tell("warplens record: not recorded: {}\n", refusal);
  for (const std::string& note : program.notes) tell("warplens record: {}\n", note);
  for (const std::string& stop : program.stops)
    tell("warplens record: recording stopped, and the program continued: {}\n", stop);
  if (!program.files.empty()) {
    tell("warplens record: wrote {}\n", join(program.files, ", "));
  } else if (program.refusals.empty()) {
    tell(
        "warplens record: nothing was recorded: the program {}; --host records NVTX ranges and operators of "
        "such programs too\n",
        without_cuda(program));
  }
}

Status show(const Invocation& invocation, const RecordedProgram& program) {
  if (program.files.empty()) return {};
  WL_ASSIGN(const Profile profile, read_profile(program.files));
  WL_ASSIGN(const analysis::ClassRules rules, analysis::class_rules(""));
  const Screen screen(profile, rules, kShown, Headlines::kUnlessMany);
  const std::string verdict = ProfileReport(invocation, profile).verdict_line();
  tell("\n{}", fitted(verdict + analysis::to_terminal(screen.page()), terminal_width()));
  return {};
}

/// run.wlens as an A100 would write it: run.a100.wlens.
std::string name_for_device(const std::string& given, const std::string& device) {
  const std::filesystem::path path(given);
  return (path.parent_path() / (path.stem().string() + "." + device + path.extension().string())).string();
}

/// The program runs once as each GPU: what it launches may depend on it.
Result<int> record_devices(const Invocation& invocation) {
  if (!invocation.has("--emulate")) return usage_error("--devices-compare needs --emulate: it compares emulated GPUs");
  WL_ASSIGN(const std::vector<std::string> devices, devices_to_compare(invocation));
  DeviceTable table(devices);
  int exit_code = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    Invocation one = on_device(invocation, devices[i]);
    one.values["--output"] = {
        name_for_device(invocation.has("--output") ? invocation.text("--output") : kDefaultOutput, devices[i])};
    WL_ASSIGN(const std::string output, output_pattern(one));
    WL_ASSIGN(const Variables variables, variables_for_emulation(one, output));
    WL_ASSIGN(const RecordedProgram program, run_recorded(invocation, variables));
    exit_code = exit_code != 0 ? exit_code : program.exit_code;
    report(program);
    if (program.files.empty()) return exit_code;
    WL_ASSIGN(const Profile profile, read_profile(program.files));
    for (uint32_t row = 0; row < profile.device_events.size(); ++row) {
      table.add(short_name(std::string(profile.text(profile.device_events.name[row]))), i,
                static_cast<double>(profile.device_events.duration_ns[row]));
    }
  }
  if (!invocation.has("--quiet")) tell("\n{}", to_terminal(table.made(), terminal_width()));
  return exit_code;
}

Result<int> run_record(const Invocation& invocation) {
  if (!invocation.operands.empty())
    return usage_error(fmt::format("'{}': put the program after --, as in `warplens record -- python train.py`",
                                   invocation.operands[0]));
  if (invocation.command.empty()) return usage_error("give a program after --: warplens record -- python train.py");
  if (invocation.has("--devices-compare")) return record_devices(invocation);
  WL_ASSIGN(const std::string output, output_pattern(invocation));
  const auto variables_of = invocation.has("--emulate") ? variables_for_emulation : variables_for;
  WL_ASSIGN(const Variables variables, variables_of(invocation, output));
  WL_ASSIGN(const RecordedProgram program, run_recorded(invocation, variables));
  if (invocation.has("--quiet")) return program.exit_code;
  report(program);
  if (const Status shown = show(invocation, program); !shown.ok()) tell("warplens record: {}\n", shown.message());
  return program.exit_code;
}

std::vector<Flag> flags_of_record() {
  return in_groups(
      {{"contents",
        {{"--torch", "", "PyTorch's operators, modules and steps (25 % longer)"},
         {"--torch-shapes", "", "like --torch, with shapes, types and values of the inputs (29 %)"},
         {"--cpu", "",
          "sample the host's threads 200 times a second, to name the code that ran while the GPU was idle (19 %, the "
          "same as without --cpu)"},
         {"--stacks", "",
          "sample the code that launches kernels: Python and native stacks, at most one per thread and millisecond (25 "
          "%)"},
         {"--memory", "", "device memory allocated and freed (19 %)"},
         {"--kernels-only", "", "kernels, copies and sets, without the calls that launched them (17 %)"},
         {"--api",
          "CALLS",
          "which CUDA calls to record: those that give the GPU work, or all (44 %)",
          "work",
          {"work", "all"}},
         {"--host", "", "record processes that never use CUDA too"}}},
       {"when to record",
        {{"--schedule", "STEPS", "record these steps: WAIT,WARMUP,ACTIVE[,REPEAT]"},
         {"--delay", "TIME", "start after this time: 30s, 500ms"},
         {"--duration", "TIME", "record for this time at most"},
         {"--capture-range", "NAME",
          "record within NVTX ranges of this name; cudaProfilerApi: between cudaProfilerStart and Stop"},
         {"--ring", "TIME", "keep the last 30s (for example) in memory, and write them when the program ends"},
         {"--when", "CONDITION",
          "write the events kept by --ring when a step is slow: 'step > 1.3 x median' or 'step > 50ms'"},
         {"--signal",
          "NAME",
          "write the events kept by --ring when the program gets this signal",
          "",
          {"USR1", "USR2", "HUP", "ALRM"}}}},
       {"without a GPU",
        {{"--emulate", "", "run the program on an emulated GPU; kernels and copies take the time that a model expects"},
         {"--device", "NAME", "the GPU to emulate (`warplens device list`)", "h200"},
         devices_flag(),
         {"--devices-compare", "GPUS",
          "run once as each of these GPUs, write a file for each, and compare the kernels' times: a100,h200,b200"},
         budget_flag(),
         sample_flag()}},
       {"the recorder",
        {{"--quiet", "", "print no summary at the end"},
         {"--memory-limit", "BYTES", "memory for buffers; events that do not fit are dropped and counted", "64MiB"},
         {"--metrics-port", "PORT",
          "serve counts of kernels, copies and steps as OpenMetrics on this loopback port"}}}});
}

}  // namespace

extern const Verb kRecord;
const Verb kRecord = {
    "record",
    "run a program, and record what it does on the GPU",
    "-- PROGRAM [ARGUMENT...]",
    "Records kernels, copies, synchronizations, CUDA calls and NVTX ranges of any CUDA program and its children, "
    "one file per process. The program's output and exit code do not change. A summary follows on standard "
    "error.\nThe file can be read while it grows. If the program is killed, about the last second is missing. The "
    "program itself may use torch.profiler.\nPercentages are the added time of a loop that only launches small "
    "kernels, on an H200. Such a loop takes 19 % longer by default, and 10 % longer while the recording is paused (36 "
    "% with Proton, 62 % with torch.profiler). Programs with many small operators take longer. 48 small layers took 28 "
    "% longer by default and 49 % with "
    "--torch. A small language model took 19 % longer by default and 39 % with --torch. Single runs differ by a tenth. "
    "GPT-2 training, which is limited by the GPU, takes 1 % longer.",
    flags_of_record(),
    {{"warplens record -o run.wlens -- ./a.out", "any CUDA program"},
     {"warplens record --torch --cpu -- python train.py",
      "with operators, and the code that ran while the GPU was idle"},
     {"warplens record --emulate --device a100 -o run.wlens -- ./a.out",
      "without a GPU, as an A100 is expected to run it"},
     {"warplens record --torch -- python train.py", "with operators, modules and steps"},
     {"warplens record -o 'run/%q{RANK}.wlens' -- torchrun --nproc-per-node 2 train.py", "one file per rank"}},
    run_record,
    {{"--emulate", [](const Invocation& i) { return i.has("--emulate"); },
      "--emulate --device --devices --launch-budget --sample --devices-compare --api --memory --torch --torch-shapes "
      "--quiet --cpu"},
     {"a GPU that is here",
      [](const Invocation&) { return true; },
      "--emulate --kernels-only --api --memory --torch --torch-shapes --stacks --cpu --schedule --delay --duration "
      "--capture-range"
      " --ring --when --signal --metrics-port --memory-limit --host --quiet",
      {{"--when --signal", "--ring"}, {"--kernels-only", "", "--api"}}}},
    Prints::kFile,
    {},
    false,
    "--torch --torch-shapes --cpu --stacks --memory --schedule --duration --ring --emulate --device --quiet"};

}  // namespace warplens::cli
