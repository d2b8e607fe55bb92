#include "warplens/cli/cut_flags.h"

#include "warplens/base/quantity.h"
#include "warplens/base/text.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/graphs/captured.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

/// The flag's whole number, where it was given.
Status take_number(const Invocation& invocation, const char* flag, std::optional<int64_t>* out) {
  if (!invocation.has(flag)) return {};
  WL_ASSIGN(const size_t number, invocation.count(flag));
  *out = static_cast<int64_t>(number);
  return {};
}

Status take_time(const Invocation& invocation, const char* flag, std::optional<int64_t>* out) {
  if (!invocation.has(flag)) return {};
  WL_ASSIGN(*out, invocation.time_ns(flag));
  return {};
}

}  // namespace

std::vector<Flag> with_cut_flags(std::vector<Flag> own) {
  const Flag cuts[] = {
      {"--step", "N", "only step N, or steps N-M, with all device work that they launched"},
      {"--annotation", "GLOB", "only work in ranges of this name, such as 'forward*'"},
      {"--phase",
       "PHASE",
       "only these iterations of vLLM, SGLang or ATOM, by their annotations",
       "",
       {"prefill", "decode", "mixed"}},
      {"--capture",
       "FILE",
       "an earlier trace, in which the program captured its CUDA graphs; their kernels then have operators",
       "",
       {},
       true},
      {"--from", "TIME", "leave out everything before this time of the trace, for example 12.5ms, 300us, 2s"},
      {"--to", "TIME", "only before this time"},
      {"--rank", "N", "only this rank"},
      // WARPLENS_DEVICE is the name of an emulated GPU.
      {.names = "--device", .value = "N", .help = "only device work of this GPU", .from_environment = false},
      {"--stream", "N", "only device work of this stream"}};
  own.insert(own.end(), std::begin(cuts), std::end(cuts));
  return own;
}

std::string cut_flag_names() { return "--step --annotation --phase --capture --from --to --rank --device --stream"; }

Result<analysis::Cut> chosen_cut(const Invocation& invocation) {
  analysis::Cut cut;
  if (invocation.has("--step")) {
    const std::string text = invocation.text("--step");
    const auto steps = parse_numbers(text);
    if (!steps.ok()) return steps.status().in("--step " + text);
    cut.steps = *steps;
  }
  WL_TRY(take_time(invocation, "--from", &cut.from_ns));
  WL_TRY(take_time(invocation, "--to", &cut.to_ns));
  WL_TRY(take_number(invocation, "--rank", &cut.rank));
  WL_TRY(take_number(invocation, "--device", &cut.device));
  WL_TRY(take_number(invocation, "--stream", &cut.stream));
  if (invocation.has("--min-duration")) {
    WL_ASSIGN(cut.shortest_ns, invocation.time_ns("--min-duration"));
  }
  cut.annotation = invocation.text("--annotation");
  if (invocation.has("--phase")) cut.phase = analysis::phase_of_name(invocation.text("--phase"));
  return cut;
}

Result<Profile> read_cut(const Invocation& invocation, const std::vector<std::string>& paths) {
  if (paths.empty())
    return usage_error("give a trace (`warplens record` makes one, so does torch.profiler; `warplens demo` has one)");
  WL_TRY(chosen_cut(invocation).status());  // before the time that reading takes
  WL_ASSIGN(Profile profile, read_profile(paths));
  return cut_as_asked(invocation, std::move(profile));
}

Result<Profile> cut_as_asked(const Invocation& invocation, Profile profile) {
  WL_ASSIGN(const analysis::Cut cut, chosen_cut(invocation));
  for (const std::string& path : invocation.list("--capture")) {
    WL_ASSIGN(const Profile capture, read_profile({path}));
    const auto charge = analysis::charge_captured(profile, capture);
    if (!charge.ok()) return charge.status().in("--capture " + path);
    tell("the captures of {} of {} graph launches were found: {} of {} kernels and copies are charged to operators\n",
         charge->charged, charge->replays, charge->kernels_charged, charge->kernels);
  }
  return analysis::cut_profile(std::move(profile), cut);
}

}  // namespace warplens::cli
