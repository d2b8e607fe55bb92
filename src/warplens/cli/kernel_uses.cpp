#include "warplens/cli/kernel_uses.h"

#include "warplens/base/text.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/counters/counts.h"
#include "warplens/counters/ncu/ncu.h"
#include "warplens/launch/read_input.h"

namespace warplens::cli {
namespace {

std::vector<Tie> ties_of_files() {
  return {{"--as --fail-on", "--baseline"},
          {"--runs", "--gpu"},
          {"--check --schedule --timeout --max-instructions --threads --device", "--emulate --verify"},
          {"--no-counters", "--emulate --verify", "--check"},
          {"--count-timeout --metrics --lines --instructions --line --roofline --roofline-svg --baseline",
           "--emulate --verify", "--check --no-counters"},
          {"--set --metric --replay --cache-control", "--verify"},
          {"--rtol --atol", "--expect --gpu --try"},
          {"--try", "", "--check --no-counters --verify"},
          {"--trace", "", "--check --no-counters"},
          {"--hardware", "--emulate --verify", "--check --no-counters"},
          {"--line-svg", "--line"}};
}

bool runs_program(const Invocation& invocation) { return !invocation.command.empty(); }

bool is_stored(const Invocation& invocation, bool (*holds)(std::string_view)) {
  return invocation.operands.size() == 1 && holds(launch::read_start(invocation.operands[0]));
}

bool is_launch_file(const Invocation& invocation) {
  return invocation.operands == std::vector<std::string>{"-"} || is_stored(invocation, launch::is_launch_file);
}

bool is_step(const Invocation& invocation) {
  if (invocation.operands.size() != 1) return false;
  const auto step = suite_step(invocation, invocation.operands[0]);
  return step.ok() && *step;
}

}  // namespace

namespace {

bool is_counts(std::string_view start) { return counters::is_counts(start) || counters::ncu::is_ncu(start); }

}  // namespace

bool is_counts_file(const std::string& path) { return is_counts(launch::read_start(path)); }

std::vector<Use> kernel_uses() {
  // What is told of counters, wherever they come from.
  const std::string told = " --roofline --roofline-svg --save --baseline --as --fail-on --metrics --lines";
  // What a file's launches are run with.
  const std::string run =
      " --emulate --gpu --check --verify --set --metric --replay --cache-control --schedule --timeout"
      " --max-instructions --threads --device --no-counters --instructions --line --line-svg --count-timeout --runs"
      " --trace --rtol --atol --hardware --try" +
      told;
  const std::string build = " --arch --option --compiler";
  const std::string launch = "--kernel --grid --block --arg --shared --cluster --cooperative --symbol --expect";
  const std::string emulated_program = "--emulate --device --devices --launch-budget";
  const std::string counting = " --kernel --skip --count";
  const std::string hardware = " --set --metric --replay --cache-control";
  const Tie baseline = {"--as --fail-on", "--baseline"};
  return {
      {"--explain", [](const Invocation& i) { return i.has("--explain"); }, "--explain"},
      {"--list-metrics", [](const Invocation& i) { return i.has("--list-metrics"); }, "--list-metrics"},
      {"--plan", [](const Invocation& i) { return i.has("--plan"); }, "--plan --set --metric"},
      {"a program whose launches are verified",
       [](const Invocation& i) { return runs_program(i) && i.has("--verify"); },
       "--verify --sample " + emulated_program + counting + hardware},
      {"a program under --check",
       [](const Invocation& i) { return runs_program(i) && i.has("--emulate") && i.has("--check"); },
       "--check " + emulated_program},
      {"a program compared on several GPUs",
       [](const Invocation& i) { return runs_program(i) && i.has("--emulate") && i.has("--devices-compare"); },
       "--devices-compare --emulate --devices --launch-budget --sample" + counting},
      {"an emulated program",
       [](const Invocation& i) { return runs_program(i) && i.has("--emulate"); },
       "--sample --check --devices-compare " + emulated_program + counting + told,
       {baseline}},
      {"a program that --lines samples", [](const Invocation& i) { return runs_program(i) && i.has("--lines"); },
       "--lines --nvtx --keep" + counting},
      {"a program on a GPU",
       runs_program,
       "--nvtx --keep --lines --instructions --over-time --interval --emulate --verify --check" + counting + hardware +
           told,
       {baseline, {"--check", "--emulate"}, {"--interval", "--over-time"}}},
      {"a file of counters",
       [](const Invocation& i) { return is_stored(i, is_counts); },
       told + " --instructions --device",
       {baseline}},
      {"a launch file", is_launch_file, "--kernel" + run + build, ties_of_files(), false, true},
      {"a suite's step", is_step, "--axis" + run + build, ties_of_files()},
      {"a cubin", [](const Invocation& i) { return i.operand_ends(".cubin"); }, launch + run, ties_of_files()},
      {"a kernel in a file", [](const Invocation& i) { return !i.operands.empty(); }, launch + run + build,
       ties_of_files()},
  };
}

}  // namespace warplens::cli
