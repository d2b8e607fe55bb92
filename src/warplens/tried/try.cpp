#include "warplens/tried/try.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>

#include "warplens/base/demangle.h"
#include "warplens/base/files.h"
#include "warplens/base/schema.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::tried {
namespace {

struct Timed {
  double ns = 0;
  launch::RunResult result;
};

Result<Timed> timed_run(launch::Description description, const launch::RunOptions& options) {
  Timed out;
  WL_ASSIGN(out.result, launch::run(std::move(description), options));
  for (const launch::Outcome& outcome : out.result.outcomes) {
    if (options.gpu) out.ns += outcome.gpu_ns;
    else if (outcome.counted) out.ns += outcome.counted->time.ns;
  }
  return out;
}

/// Without template arguments, namespaces and parameters: as its definition names it.
std::string bare_name(const std::string& mangled) {
  std::string name = short_name(mangled);
  name = name.substr(0, name.find_first_of("<("));
  const size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

/// Every array that a launch gets, as it is afterwards.
std::vector<std::string> arrays_of(const launch::Description& description) {
  std::vector<std::string> out;
  for (const launch::LaunchSpec& launch : description.launches) {
    launch::visit_buffers(launch.args, [&](const launch::Argument& argument) {
      if (std::ranges::find(out, argument.buffer) == out.end()) out.push_back(argument.buffer);
    });
  }
  return out;
}

Results compared(const launch::RunResult& result) {
  bool same = true;
  for (const launch::Comparison& each : result.comparisons) {
    if (!each.ok()) return Results::kDiffer;
    same &= each.largest_error == 0;
  }
  return same ? Results::kSame : Results::kClose;
}

class Trial {
 public:
  Trial(const launch::Description& description, const launch::RunOptions& options, const std::string& folder)
      : base_(description), options_(options), folder_(folder) {
    base_.save.clear();
    base_.expect.clear();
    options_.overwrite = true;
  }

  Result<Tried> run_all() {
    WL_ASSIGN(source_, read_file(base_.source));
    WL_ASSIGN(const Timed now, first_run());
    Tried out;
    out.kernel = bare_name(now.result.source.kernels[0]);
    for (const std::string& kernel : now.result.source.kernels) {
      if (bare_name(kernel) != out.kernel) return usage_error("--try takes launches of one kernel: choose it with -k");
    }
    out.ns = now.ns;
    if (const auto& counted = now.result.outcomes[0].counted) out.findings = counted->findings;
    out.where = options_.gpu ? now.result.gpu_name : "modelled";
    for (Edit& edit : edits_on(Edit{}, out.kernel)) out.attempts.push_back(attempt(std::move(edit)));
    WL_TRY(settle(&out));
    // By what is printed: modelled times differ from run to run in their last digits.
    std::ranges::stable_sort(out.attempts, std::greater{},
                             [](const Attempt& a) { return std::lround(a.saved * 1000); });
    combine(&out);
    return out;
  }

 private:
  std::string kept(const std::string& array) const { return folder_ + "/" + array + ".npy"; }

  /// What fits the kernel once `done` is done. Shapes are changed where all launches have the same.
  std::vector<Edit> edits_on(const Edit& done, const std::string& kernel) const {
    std::vector<Edit> edits = option_edits();
    const std::string& source = done.source.empty() ? source_ : done.source;
    const auto text = find_kernel(source, kernel);
    if (!text) return edits;
    launch::LaunchSpec launch = base_.launches[0];
    if (done.shape) launch.grid = done.shape->grid, launch.block = done.shape->block;
    const bool alike = std::ranges::all_of(base_.launches, [&](const launch::LaunchSpec& each) {
      return each.grid == base_.launches[0].grid && each.block == base_.launches[0].block;
    });
    std::vector<Edit> of_text = edits_of(source, *text, launch);
    if (alike) {
      for (const auto shapes : {shape_edits, wide_edits})
        std::ranges::move(shapes(source, *text, launch), std::back_inserter(of_text));
    }
    std::ranges::move(of_text, std::back_inserter(edits));
    return edits;
  }

  /// `done`, and `what` on top of it; nothing where it no longer fits.
  std::optional<Edit> added(const Edit& done, const std::string& what, const std::string& kernel) const {
    for (Edit& edit : edits_on(done, kernel)) {
      if (edit.what != what) continue;
      edit.what = done.what + "; " + what;
      if (edit.source.empty()) edit.source = done.source;
      if (!edit.shape) edit.shape = done.shape;
      edit.options.insert(edit.options.begin(), done.options.begin(), done.options.end());
      edit.rounds_otherwise |= done.rounds_otherwise;
      edit.answers.insert(edit.answers.begin(), done.answers.begin(), done.answers.end());
      return edit;
    }
    return std::nullopt;
  }

  /// The changes that help, each run on top of those before it, and kept if it saves more.
  void combine(Tried* out) {
    const Attempt* best = nullptr;
    for (const Attempt& each : out->attempts) {
      if (!each.helps) continue;
      if (!best) {
        best = &each;
        continue;
      }
      std::optional<Edit> more = added(best->edit, each.edit.what, out->kernel);
      if (!more) continue;
      Attempt both = attempt(std::move(*more));
      judge(*out, &both);
      if (!both.helps || both.saved < best->saved + out->noise) continue;
      out->together = std::move(both);
      best = &*out->together;
    }
  }

  Result<Timed> first_run() {
    launch::Description first = base_;
    for (const std::string& array : arrays_of(base_)) first.save[array] = kept(array);
    WL_ASSIGN(Timed now, timed_run(std::move(first), options_));
    if (!now.result.ok() || now.ns <= 0) return invalid_input("the kernel does not run unchanged: nothing to try");
    if (!now.result.source.compiled)
      return usage_error(
          "--try takes CUDA C++: it changes the source. For a Triton kernel, call warplens.triton.try_changes");
    return now;
  }

  Result<launch::Description> changed(const Edit& edit) {
    launch::Description out = base_;
    const std::filesystem::path path(base_.source);
    if (!edit.source.empty()) {
      out.source = (std::filesystem::path(folder_) / path.filename()).string();
      WL_TRY(write_file(out.source, edit.source, true));
      out.options.push_back("-I" + (path.has_parent_path() ? path.parent_path().string() : "."));
    }
    out.options.insert(out.options.end(), edit.options.begin(), edit.options.end());
    for (launch::LaunchSpec& launch : out.launches) {
      if (!edit.shape) continue;
      launch.grid = edit.shape->grid;
      launch.block = edit.shape->block;
    }
    for (const std::string& array : arrays_of(base_))
      out.expect[array] = {.npy = kept(array), .rtol = options_.rtol, .atol = options_.atol};
    return out;
  }

  /// A GPU's clock moves while changes are tried: the kernel as it is runs once more, and what lies within the
  /// difference is no gain.
  Status settle(Tried* out) {
    if (options_.gpu) {
      WL_ASSIGN(const Timed again, timed_run(base_, options_));
      out->noise += std::abs(again.ns - out->ns) / std::max(again.ns, out->ns);
      out->ns = std::min(again.ns, out->ns);
    }
    for (Attempt& attempt : out->attempts) judge(*out, &attempt);
    return {};
  }

  static void judge(const Tried& tried, Attempt* attempt) {
    if (attempt->results != Results::kNone) attempt->saved = 1 - attempt->ns / tried.ns;
    attempt->helps =
        attempt->saved >= tried.noise && (attempt->results == Results::kSame || attempt->results == Results::kClose);
  }

  Attempt attempt(Edit edit) {
    Attempt out{.edit = std::move(edit)};
    if (!out.edit.source.empty()) out.patch = patch_of(base_.source, source_, out.edit.source);
    Result<launch::Description> description = changed(out.edit);
    Result<Timed> ran =
        description.ok() ? timed_run(std::move(*description), options_) : Result<Timed>(description.status());
    if (!ran.ok() || ran->ns <= 0) {
      out.note =
          ran.ok() ? launch_fault(ran->result) : "it does not compile or run: " + first_line(ran.status().message());
      out.saved = -1;
      return out;
    }
    out.results = compared(ran->result);
    out.ns = ran->ns;
    return out;
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }
  static std::string launch_fault(const launch::RunResult& result) {
    for (const launch::Outcome& outcome : result.outcomes) {
      if (outcome.emulated && outcome.emulated->fault) return first_line(outcome.emulated->fault->text());
    }
    return "it has no time";
  }

  launch::Description base_;
  launch::RunOptions options_;
  std::string folder_, source_;
};

const char* results_text(Results results) {
  switch (results) {
    case Results::kSame: return "same results";
    case Results::kClose: return "results within the tolerance";
    case Results::kDiffer: return "other results";
    case Results::kNone: return "no results";
  }
  return "";
}

std::string one_line(const Attempt& a) {
  const std::string of = a.edit.answers.empty() ? "" : fmt::format(" ({})", fmt::join(a.edit.answers, ", "));
  if (a.results == Results::kNone) return fmt::format("  {}{}: {}\n", a.edit.what, of, a.note);
  return fmt::format("  {} {}, {}: {}{}\n", format_share(std::abs(a.saved)), a.saved >= 0 ? "less" : "more",
                     results_text(a.results), a.edit.what, of);
}

/// Changes that do not help; those whose share would print as 0.0 % in one line.
std::string without_gain(const Tried& tried) {
  constexpr double kShown = 0.0005;
  std::string lines;
  std::vector<std::string_view> same, wrong;
  for (const Attempt& a : tried.attempts) {
    if (a.helps) continue;
    if (a.results == Results::kDiffer) wrong.push_back(a.edit.what);
    else if (a.results == Results::kSame && std::abs(a.saved) < kShown) same.push_back(a.edit.what);
    else lines += one_line(a);
  }
  if (!same.empty()) lines += fmt::format("  no difference: {}\n", fmt::join(same, "; "));
  if (!wrong.empty()) lines += fmt::format("  other results: {}\n", fmt::join(wrong, "; "));
  return lines.empty() ? "" : "tried without a gain:\n" + lines;
}

std::string indented(const std::string& patch) {
  std::string out;
  for (const std::string_view line : split(patch, '\n')) {
    if (!line.empty()) out += fmt::format("    {}\n", line);
  }
  return out;
}

}  // namespace

std::vector<Answer> Tried::answers() const {
  std::vector<Answer> out;
  for (const Finding& finding : findings) {
    Answer answer{.finding = finding.id, .promised = finding.saving_fraction};
    for (const Attempt& attempt : attempts) {  // what saves most first
      const bool answers = std::ranges::find(attempt.edit.answers, finding.id) != attempt.edit.answers.end();
      if (answers && !answer.best) answer.best = &attempt;
    }
    out.push_back(answer);
  }
  return out;
}

namespace {

/// What trying says of a finding: a measured answer, that nothing helped, or the bound where nothing could be tried.
std::string one_line(const Answer& a) {
  const std::string bound = a.promised ? fmt::format(" (at most {} by the model)", format_share(*a.promised)) : "";
  if (!a.best) return fmt::format("  {}: no change of it is tried{}\n", a.finding, bound);
  if (!a.best->helps) return fmt::format("  {}: tried, nothing helps{}\n", a.finding, bound);
  return fmt::format("  {}: tried, {} less, {}{}\n", a.finding, format_share(a.best->saved),
                     results_text(a.best->results), bound);
}

void write(json::Writer& w, const Shape& shape) {
  for (const auto& [name, dims] : {std::pair{"grid", &shape.grid}, {"block", &shape.block}}) {
    w.key(name).begin_array();
    for (const uint32_t each : *dims) w.value(uint64_t{each});
    w.end_array();
  }
}

void write(json::Writer& w, const Attempt& a) {
  w.begin_object().member("change", a.edit.what);
  w.key("findings").begin_array();
  for (const std::string& each : a.edit.answers) w.value(each);
  w.end_array();
  w.member("results", results_text(a.results)).member("rounds_otherwise", a.edit.rounds_otherwise);
  if (a.results == Results::kNone) w.member("note", a.note);
  else w.member("time_ns", a.ns).member("saving_fraction", a.saved).member("helps", a.helps);
  if (a.edit.shape) write(w, *a.edit.shape);
  if (!a.patch.empty()) w.member("patch", a.patch);
  w.end_object();
}

}  // namespace

Result<Tried> try_changes(const launch::Description& description, const launch::RunOptions& options) {
  if (description.launches.empty()) return usage_error("--try needs a launch");
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  return Trial(description, options, folder.path()).run_all();
}

std::string to_text(const Tried& tried) {
  std::string out = fmt::format("tried {} changes of {}, which takes {} ({})\n", tried.attempts.size(), tried.kernel,
                                format_ns(tried.ns), tried.where);
  const std::vector<Answer> answers = tried.answers();
  if (!answers.empty()) out += "findings:\n";
  for (const Answer& answer : answers) out += one_line(answer);
  if (!answers.empty()) out += "changes:\n";
  std::set<std::string> shown;  // patches
  const auto with_patch = [&](const Attempt& a) {
    const bool seen = !a.patch.empty() && !shown.insert(a.patch).second;
    const char* const launch =
        a.edit.shape ? "    change the grid and blocks where the program launches the kernel, too\n" : "";
    return one_line(a) + launch + (seen ? "    with the patch above\n" : indented(a.patch));
  };
  for (const Attempt& a : tried.attempts) {
    if (a.helps) out += with_patch(a);
  }
  if (std::ranges::none_of(tried.attempts, &Attempt::helps)) out += "  nothing helps\n";
  if (tried.together) out += "together:\n" + with_patch(*tried.together);
  return out + without_gain(tried);
}

void write(json::Writer& w, const Tried& tried) {
  w.begin_object().member("schema_version", kSchemaVersion).member("kernel", tried.kernel).member("where", tried.where);
  w.member("time_ns", tried.ns).member("noise_fraction", tried.noise).key("findings").begin_array();
  for (const Answer& a : tried.answers()) {
    w.begin_object().member("id", a.finding);
    if (a.promised) w.member("bound_fraction", *a.promised);
    w.member("tried", a.best != nullptr);
    if (a.best && a.best->helps) w.member("saving_fraction", a.best->saved).member("change", a.best->edit.what);
    w.end_object();
  }
  w.end_array().key("tried").begin_array();
  for (const Attempt& a : tried.attempts) write(w, a);
  w.end_array();
  if (tried.together) {
    w.key("together");
    write(w, *tried.together);
  }
  w.end_object();
}

}  // namespace warplens::tried
