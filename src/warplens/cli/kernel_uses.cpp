#include "warplens/cli/kernel_uses.h"

#include "warplens/base/text.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/counters_program.h"
#include "warplens/launch/read_input.h"

namespace warplens::cli {
namespace {

std::vector<Tie> ties_of_files() {
  return {
      {"--as", "--baseline"},
      {"--runs", "--gpu"},
      {"--check --schedule --timeout --max-instructions --threads --device", "--emulate --verify"},
      {"--no-counters", "--emulate --verify", "--check"},
      {"--count-timeout --metrics --lines --instructions --line --roofline --roofline-svg --baseline --fail-on --page",
       "--emulate --verify", "--check --no-counters"},
      {"--set --metric", "--verify"},
      {"--rtol --atol", "--expect --gpu --try"},
      {"--try", "", "--check --no-counters --verify"},
      {"--trace", "", "--check --no-counters"},
      {"--hardware", "--emulate --verify", "--check --no-counters"},
      {"--line-svg", "--line"}};
}

bool is_launch_file(const Invocation& invocation) {
  return invocation.operands == std::vector<std::string>{"-"} ||
         (invocation.operands.size() == 1 && launch::is_launch_file(launch::read_start(invocation.operands[0])));
}

bool is_step(const Invocation& invocation) {
  if (invocation.operands.size() != 1) return false;
  const auto step = suite_step(invocation, invocation.operands[0]);
  return step.ok() && *step;
}

}  // namespace

std::vector<Use> kernel_uses() {
  // What is told of counters, and what a file's launches are run with.
  const std::string run =
      " --emulate --gpu --check --verify --set --metric --schedule --timeout --max-instructions --threads --device"
      " --no-counters --instructions --line --line-svg --count-timeout --runs --trace --rtol --atol --hardware --try"
      " --roofline --roofline-svg --save --baseline --as --fail-on --metrics --lines --page --expect";
  const std::string build = " --arch --option --compiler";
  const std::string launch = "--kernel --grid --block --arg --shared --cluster --cooperative --symbol";
  return {
      {"--explain", [](const Invocation& i) { return i.has("--explain"); }, "--explain"},
      {"a file of counters",
       [](const Invocation& i) { return !i.operands.empty() && is_counts_file(i.operands[0]); },
       "--roofline --roofline-svg --page --save --baseline --as --fail-on --metrics --lines --instructions --device",
       {{"--as", "--baseline"}}},
      {"a launch file", is_launch_file, "--kernel" + run + build, ties_of_files(), false, true},
      {"a suite's kernel", is_step, "--axis" + run + build, ties_of_files()},
      {"a cubin", [](const Invocation& i) { return i.operand_ends(".cubin"); }, launch + run, ties_of_files()},
      {"a kernel in a file", [](const Invocation& i) { return !i.operands.empty(); }, launch + run + build,
       ties_of_files()},
  };
}

}  // namespace warplens::cli
