#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/bench/suite/suite_bench.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/python_part.h"
#include "warplens/cli/run.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string_view name : split(list, ',')) {
    if (!trim(name).empty()) out.emplace_back(trim(name));
  }
  return out;
}

/// What the Python package times beside the steps.
constexpr std::array kPeers = {"torch", "torch.compile", "triton", "cub", "sdpa.cudnn", "sdpa.flash", "sdpa.efficient"};

bool is_peer(const std::string& name) { return std::find(kPeers.begin(), kPeers.end(), name) != kPeers.end(); }

}  // namespace

std::vector<std::string> peers_in(const Invocation& invocation) {
  std::vector<std::string> names = names_in(invocation.text("--impl"));
  std::erase_if(names, [](const std::string& name) { return !is_peer(name); });
  return names;
}

Result<int> bench_beside_peers(const Invocation& invocation, const std::string& name) {
  // Beside peers there are many to time, and medians of the tens of samples that fit into half a second are good to 1
  // %.
  WL_ASSIGN(const int64_t limit_ns,
            invocation.has("--limit") ? invocation.time_ns("--limit") : Result<int64_t>(500'000'000));
  std::vector<std::string> words = module_words("python3", "warplens.suite");
  words.insert(words.end(), {name, "--impl", invocation.text("--impl"), "--seconds",
                             fmt::format("{}", static_cast<double>(limit_ns) / 1e9)});
  for (const char* flag : {"--sizes", "--dims", "--seq-lengths"}) {
    if (invocation.has(flag)) words.insert(words.end(), {"--sizes", invocation.text(flag)});
  }
  for (const std::string& axis : invocation.list("--axis")) words.insert(words.end(), {"--axis", axis});
  if (invocation.has("--output")) words.insert(words.end(), {"--output", invocation.text("--output")});
  if (invocation.has("--force")) words.emplace_back("--force");
  if (invocation.text("--regime") != "cold") return usage_error("with PyTorch, Triton or CUB, --regime must be cold");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  return io_error(fmt::format("python3, which times PyTorch and CUB: {}", std::strerror(errno)));
}

namespace {

/// --sizes and its other names as --axis of the family's size axis.
Result<std::vector<std::string>> size_axes(const Invocation& invocation, const std::string& name) {
  std::vector<std::string> words;
  for (const char* flag : {"--sizes", "--dims", "--seq-lengths"}) {
    if (!invocation.has(flag)) continue;
    WL_ASSIGN(const std::string folder, bench::kernels_folder());
    WL_ASSIGN(const bench::Family family, bench::read_family(folder, name));
    words.insert(words.end(), {"--axis", family.size_axis + "=" + invocation.text(flag)});
  }
  return words;
}

using Words = std::vector<std::string>;

Words joined(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Result<int> profile_emulated(const Words& step, const Words& shown, const std::string& trace) {
  return run(joined(joined(step, {"--emulate", "--roofline", "--trace", trace}), shown));
}

/// Timed in this process, then counted in another by hardware counters, since replays would be in the times.
Result<int> profile_on_gpu(const Words& step, const Words& shown, const std::string& trace) {
  const Words quiet = {"--output", "/dev/null"};
  const Words timed = joined(step, {"--gpu", "--trace", trace, "--force"});
  if (const int code = run(shown.empty() ? timed : joined(timed, quiet)); code != kExitOk) return code;
  std::error_code error;
  const std::string own = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const Words once = joined(joined(step, {"--gpu", "--runs", "1"}), quiet);
  return run(joined(joined(joined({"counters", "--roofline"}, shown), {"--", own}), once));
}

}  // namespace

Result<int> bench_profile(const Invocation& invocation, const std::string& name) {
  const std::vector<std::string> steps = names_in(invocation.text("--impl"));
  if (steps.size() != 1) return usage_error("--profile takes one kernel: name it with --impl");
  const std::string trace =
      invocation.has("--trace") ? invocation.text("--trace") : fmt::format("{}-{}.trace.json", name, steps[0]);
  WL_TRY(check_writable(trace, invocation.has("--force")));
  std::vector<std::string> step = {"kernel", name + "/" + steps[0]};
  for (const std::string& axis : invocation.list("--axis")) step.insert(step.end(), {"--axis", axis});
  WL_ASSIGN(const std::vector<std::string> sizes, size_axes(invocation, name));
  step.insert(step.end(), sizes.begin(), sizes.end());
  std::vector<std::string> shown;
  for (const char* flag : {"--format", "--output", "--color"}) {
    if (invocation.has(flag)) shown.insert(shown.end(), {flag, invocation.text(flag)});
  }
  for (const char* flag : {"--json", "--force"}) {
    if (invocation.has(flag)) shown.emplace_back(flag);
  }
  const bool gpu = !invocation.has("--emulate") && (invocation.has("--gpu") || bench::gpu_is_here());
  WL_ASSIGN(const int code, gpu ? profile_on_gpu(step, shown, trace) : profile_emulated(step, shown, trace));
  tell("warplens bench: {} times are in {}\n", gpu ? "measured" : "modelled", trace);
  return code;
}

Result<int> bench_list(const Invocation& invocation) {
  WL_ASSIGN(const std::string folder, bench::kernels_folder());
  std::vector<std::string> names = invocation.operands;
  if (names.empty()) {
    WL_ASSIGN(names, bench::family_names(folder));
  }
  Table table{{{"suite", "suite"},
               {"title", "what it computes"},
               {"bound", "bound by"},
               {"size", "--sizes"},
               {"impl", "--impl"}},
              {}};
  for (const std::string& name : names) {
    WL_ASSIGN(const bench::Family family, bench::read_family(folder, name));
    std::vector<std::string> steps;
    for (const bench::Step& step : family.steps) steps.push_back(step.name);
    table.rows.push_back({name, family.title, family.bound, family.size_axis, join(steps, ",")});
  }
  WL_TRY(invocation.emit(table));
  return kExitOk;
}

Result<bench::SuiteRequest> suite_request(const Invocation& invocation, const bench::Family& family) {
  bench::SuiteRequest request;
  request.steps = names_in(invocation.text("--impl"));
  std::erase_if(request.steps, is_peer);
  if (request.steps.empty() && invocation.has("--impl"))
    return usage_error("without a GPU only the suite's own kernels run: name one in --impl");
  for (const char* flag : {"--sizes", "--dims", "--seq-lengths"}) {
    if (!invocation.has(flag)) continue;
    WL_ASSIGN(const bench::Axis axis, bench::parse_axis(family.size_axis + "=" + invocation.text(flag)));
    request.sizes.insert(request.sizes.end(), axis.values.begin(), axis.values.end());
  }
  for (const std::string& text : invocation.list("--axis")) {
    WL_ASSIGN(bench::Axis axis, bench::parse_axis(text));
    if (axis.name == family.size_axis && !request.sizes.empty())
      return usage_error(fmt::format("--axis {} and --sizes are the same: leave one of them out", text));
    request.axes.push_back(std::move(axis));
  }
  return request;
}

Result<bench::Results> bench_suite(const Invocation& invocation, const std::string& name,
                                   const bench::KernelBenchOptions& options) {
  WL_ASSIGN(const std::string folder, bench::kernels_folder());
  WL_ASSIGN(const bench::Family family, bench::read_family(folder, name));
  WL_ASSIGN(const bench::SuiteRequest request, suite_request(invocation, family));
  return bench::bench_suite(family, request, options);
}

bool is_whole_suite(const std::string& name) {
  std::error_code ignored;  // a name too long for a file is none
  if (name.find_first_of("./") != std::string::npos || std::filesystem::exists(name, ignored)) return false;
  const Result<std::string> folder = bench::kernels_folder();
  const auto names = folder.ok() ? bench::family_names(*folder) : Result<std::vector<std::string>>(folder.status());
  return names.ok() && std::ranges::find(*names, name) != names->end();
}

Result<std::optional<launch::Description>> suite_step(const Invocation& invocation, const std::string& name) {
  const size_t slash = name.find('/');
  std::error_code ignored;
  if (is_whole_suite(name))
    return usage_error(
        fmt::format("{} is a suite; name one of its steps, which `warplens bench --list` shows: {}/STEP", name, name));
  if (slash == std::string::npos || name.find('/', slash + 1) != std::string::npos || contains(name, ".") ||
      std::filesystem::exists(name, ignored))
    return std::optional<launch::Description>();
  WL_ASSIGN(const std::string folder, bench::kernels_folder());
  const Result<bench::Family> found = bench::read_family(folder, name.substr(0, slash));
  if (!found.ok()) return found.status().in(name + ": no such file");
  const bench::Family& family = *found;
  WL_ASSIGN(const bench::Step* step, bench::find_step(family, name.substr(slash + 1)));
  WL_ASSIGN(const bench::SuiteRequest request, suite_request(invocation, family));
  WL_ASSIGN(const std::vector<bench::Point> points, bench::suite_points(family, request, !invocation.has("--gpu")));
  WL_ASSIGN(bench::KernelCase each, bench::case_of(family, *step, points.front()));
  return std::optional(std::move(each.description));
}

}  // namespace warplens::cli
