// warplens judge: the judge of the Python package, whose report is printed here.
#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/cli/python_part.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Result<int> run_judge(const Invocation& invocation) {
  if (invocation.operands.size() < 2)
    return usage_error("give a reference and a candidate: warplens judge reference.py candidate.py");
  if (invocation.format() != Format::kTable && invocation.format() != Format::kJson)
    return usage_error("give --format table or json: a verdict has no other form");
  WL_ASSIGN(const std::string python, python_with("numpy, warplens.judge.command", "torch numpy"));
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string report = folder.path() + "/report";
  std::vector<std::string> words = module_words(python, "warplens.judge.command");
  words.insert(words.end(), {"--report", report});
  if (invocation.format() == Format::kJson) words.emplace_back("--json");
  if (invocation.has("--gpu")) words.emplace_back("--gpu");
  for (const char* flag :
       {"--device", "--counters", "--seeds", "--seed", "--max-elements", "--timed-elements", "--timeout", "--spec"}) {
    if (invocation.has(flag)) words.push_back(std::string(flag) + "=" + invocation.text(flag));
  }
  words.emplace_back("--");
  words.insert(words.end(), invocation.operands.begin(), invocation.operands.end());
  WL_ASSIGN(const ProcessOutput ended, run_process(words));
  Result<std::string> text = read_file(report);
  if (!text.ok()) return invalid_input(ended.output.substr(0, ended.output.find_last_not_of('\n') + 1));
  WL_TRY(invocation.emit(*text));
  return ended.exit_code == 0 ? kExitOk : kExitFailed;
}

}  // namespace

extern const Verb kJudge;
const Verb kJudge = {
    "judge",
    "judge a fast kernel: correct, and without cheating",
    "REFERENCE CANDIDATE...",
    "Compares each candidate with the reference in float64, detects eleven kinds of cheating, and gives the time. "
    "Without a GPU, the time comes from a model.\nReferences: KernelBench's Model, GPU MODE's reference.py, "
    "LeetGPU's challenge.py, Tensara's def.py, launch files. Candidates run in their own processes with your "
    "rights, so judge only code that you would run. The exit code is 1 unless all are accepted.",
    {{"--device", "NAME", "the GPU to emulate; `warplens device list` names them", "h200"},
     {"--gpu", "", "run and time candidates on the local GPU; the checks are still emulated"},
     {"--seeds", "N", "make the inputs with the problem's own generator", "3"},
     {"--seed", "N", "the first seed of the inputs, to repeat those of a verdict; without it, another each time"},
     {"--max-elements", "N", "limit of all inputs' elements; larger problems are scaled down; 0: never", "131072"},
     {"--timed-elements", "N",
      "limit of the elements of all inputs together in timed calls; larger problems are scaled down; 0: never. If you "
      "give a limit, a call may take all of --timeout, otherwise a minute",
      "4194304"},
     {"--counters", "FILE",
      "write the counters, bound and findings of a timed call to this file (.json, .csv, .md, or text)"},
     {"--timeout", "SECONDS", "time limit of a judgement", "300"},
     {"--spec", "JSON", "arguments of GPU MODE's generate_input, if no task.yml has them"}},
    {{"warplens judge 23_Softmax.py my_softmax.py", "a problem of KernelBench"},
     {"warplens judge reference.py submission.py --json", "a problem of GPU MODE, for scripts"},
     {"warplens judge challenge.py solution.cu", "a C ABI, as in LeetGPU and Tensara"}},
    run_judge};

}  // namespace warplens::cli
