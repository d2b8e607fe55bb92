// warplens learn: a family of kernels from naive to fast, each step run in the emulator, with what leads from one to
// the next.
#include <cmath>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/bench/results/compare_results.h"
#include "warplens/bench/suite/story.h"
#include "warplens/bench/suite/suite_bench.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/interrupt.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

namespace fs = std::filesystem;

/// Counters that a story shows: a name for people, the counters that add up to it, what a unit of it is.
struct Shown {
  const char* title;
  std::vector<const char*> metrics;
};

const std::vector<Shown>& shown() {
  static const std::vector<Shown> list = {
      {"warp instructions", {"smsp__inst_executed.sum"}},
      {"sectors of global memory",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
      {"atomics on global memory",
       {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"}},
      {"passes of shared memory",
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}},
  };
  return list;
}

int64_t sum_of(const bench::Measurement& m, const Shown& what) {
  double sum = 0;
  for (const char* name : what.metrics) {
    if (const auto found = m.metrics.find(name); found != m.metrics.end()) sum += found->second;
  }
  return static_cast<int64_t>(sum);
}

std::string source_path(const bench::Family& family, const bench::Step& step) {
  const json::Value* source = step.launch_file.find("source");
  return family.folder + "/" + (source && source->string() ? *source->string() : "");
}

Table overview(const std::vector<bench::StepStory>& stories) {
  Table table{{{"step", "step"},
               {"estimate_ns", "expected time", Kind::kTimeNs},
               {"bound_ns", "at least", Kind::kTimeNs},
               {"gain", "gain", Kind::kNumber}},
              {}};
  for (const Shown& each : shown()) table.columns.push_back({each.title, each.title, Kind::kCount});
  for (const bench::StepStory& story : stories) {
    std::vector<Cell> row = {story.step->name, story.measured.estimate_ns, story.measured.bound_ns,
                             story.gain > 0 ? Cell(story.gain) : Cell()};
    for (const Shown& each : shown()) row.push_back(sum_of(story.measured, each));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string indented(const std::string& text) { return "    " + replace_all(text, "\n", "\n    "); }

/// One step as a person reads it: its source, what was counted, what is wrong, what the next does about it.
Result<std::string> page(const bench::Family& family, const bench::StepStory& story, size_t number, size_t count) {
  const std::string path = source_path(family, *story.step);
  WL_ASSIGN(const std::string source, read_file(path));
  const bench::Measurement& m = story.measured;
  std::string out =
      styled(fmt::format("\n{} of {}  {}: {}\n", number, count, story.step->name, story.step->title), Style::kBold);
  out += fmt::format("{}\n\n{}\n\n", path, indented(std::string(trim(source))));
  for (const std::string& error : m.errors) out += styled("error ", Style::kRed) + error + "\n";
  for (const bench::OutputCheck& check : m.checks)
    out +=
        fmt::format("{} is {}: relative error {:.1e}\n", check.output, check.passed ? "right" : "WRONG", check.error);
  out += fmt::format("expected to take {}{}{}\n", format_ns(m.estimate_ns),
                     story.limited_by.empty() ? "" : ", limited by " + story.limited_by,
                     story.gain > 0 ? fmt::format("; {:.2f} times as fast as the previous step", story.gain) : "");
  for (const Shown& each : shown()) {
    if (const int64_t sum = sum_of(m, each); sum > 0) out += fmt::format("  {:>12} {}\n", sum, each.title);
  }
  for (const Finding& finding : story.findings) {
    const bool leads = finding.id == story.step->finding;
    if (!leads && finding.saving_fraction.value_or(0) < 0.05) continue;
    out += fmt::format(
        "{} {}: {}{}\n", leads ? styled("->", Style::kBold) : "  ", styled(finding.id, Style::kYellow),
        finding.detail.empty() ? finding.title : finding.detail,
        finding.saving_fraction ? fmt::format("; would save about {:.0f} %", 100 * *finding.saving_fraction) : "");
  }
  if (!story.step->lesson.empty()) out += styled("next ", Style::kBold) + story.step->lesson + "\n";
  return out;
}

std::string to_json(const bench::Family& family, const std::vector<bench::StepStory>& stories) {
  json::Writer out(true);
  out.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("suite", family.name)
      .member("title", family.title)
      .key("steps")
      .begin_array();
  for (const bench::StepStory& story : stories) {
    const bench::Measurement& m = story.measured;
    out.begin_object().member("name", story.step->name).member("title", story.step->title);
    out.member("source", fs::path(source_path(family, *story.step)).filename().string());
    out.member("finding", story.step->finding).member("lesson", story.step->lesson).member("right", m.valid);
    out.member("estimate_ns", static_cast<int64_t>(m.estimate_ns))
        .member("bound_ns", static_cast<int64_t>(m.bound_ns))
        .member("limited_by", story.limited_by);
    out.key("saving_fraction");
    if (story.saving) out.value(*story.saving);
    else out.null();
    out.key("axes").begin_object();
    for (const auto& [axis, value] : m.axes) out.member(axis, value);
    out.end_object().key("counters").begin_object();
    for (const Shown& each : shown()) out.member(each.title, sum_of(m, each));
    out.end_object().key("findings").begin_array();
    for (const Finding& finding : story.findings) {
      out.begin_object().member("id", finding.id).member("title", finding.title).member("detail", finding.detail);
      out.key("saving_fraction");
      if (finding.saving_fraction) out.value(*finding.saving_fraction);
      else out.null();
      out.end_object();
    }
    out.end_array().end_object();
  }
  return out.end_array().end_object().take() + "\n";
}

/// What the reader's copy does otherwise than the step that it is a copy of; "" where nothing changed.
std::string changes(const bench::StepStory& own, const bench::StepStory& original) {
  const bench::Comparison compared = bench::compare_emulated(original.measured, own.measured, 0.005);
  const std::string why = bench::explain_counters(original.measured.metrics, own.measured.metrics, compared.verdict);
  if (why.empty() && compared.verdict == bench::Verdict::kEquivalent) return "";
  const double change = 100 * (own.measured.estimate_ns / original.measured.estimate_ns - 1);
  const std::string how =
      compared.verdict == bench::Verdict::kEquivalent
          ? "as fast as the suite's"
          : fmt::format("{:.1f} % {} than the suite's", std::fabs(change), change > 0 ? "slower" : "faster");
  return fmt::format("{} your copy: {}, {} for {}{}\n", styled("->", Style::kBold), how,
                     format_ns(own.measured.estimate_ns), format_ns(original.measured.estimate_ns),
                     why.empty() ? "" : "; " + why);
}

/// The steps of the suite that `family` is a copy of, at the same point; none where it is the suite's own or of no
/// suite.
Result<std::vector<bench::StepStory>> originals(const bench::Family& family, const bench::Point& point,
                                                bench::Family& original) {
  WL_ASSIGN(const std::string folder, bench::kernels_folder());
  WL_ASSIGN(const std::vector<std::string> names, bench::family_names(folder));
  for (const std::string& name : names) {
    WL_ASSIGN(original, bench::read_family(folder, name));
    std::error_code error;
    if (original.title == family.title && !fs::equivalent(original.folder, family.folder, error))
      return bench::tell(original, point, {}, "");
  }
  return std::vector<bench::StepStory>();
}

/// A family of the suite by name, or a copy of one by its folder.
Result<bench::Family> family_of(const std::string& name) {
  if (!contains(name, "/") && !fs::exists(fs::path(name) / "family.json")) {
    WL_ASSIGN(const std::string folder, bench::kernels_folder());
    return bench::read_family(folder, name);
  }
  const fs::path path = fs::absolute(name).lexically_normal();
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  return bench::read_family(folder.parent_path().string(), folder.filename().string());
}

Result<int> copy_family(const bench::Family& family, const std::string& target) {
  std::error_code error;
  if (fs::exists(target, error)) return invalid_input(target + ": is there already; name a new folder");
  fs::copy(family.folder, target, fs::copy_options::recursive, error);
  if (error) return io_error(fmt::format("{}: {}", target, error.message()));
  fmt::print("{} is yours to change. See the effect with: warplens learn {}\n", target, target);
  return kExitOk;
}

Result<int> run_learn(const Invocation& invocation) {
  if (invocation.operands.empty()) return bench_list(invocation);
  if (invocation.operands.size() != 1) return usage_error("takes one suite, or the folder of a copy");
  WL_ASSIGN(const bench::Family family, family_of(invocation.operands[0]));
  if (invocation.has("--copy")) return copy_family(family, invocation.text("--copy"));
  WL_ASSIGN(const bench::SuiteRequest request, suite_request(invocation, family));
  WL_ASSIGN(const std::vector<bench::Point> points, bench::suite_points(family, request, true));
  const TellOnInterrupt told("learn");
  TellOnInterrupt::at("emulating the steps of " + family.name);
  WL_ASSIGN(const std::vector<bench::StepStory> stories, bench::tell(family, points.front(), request.steps, ""));
  bool right = true;
  for (const bench::StepStory& story : stories) right = right && story.measured.valid;
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(to_json(family, stories)));
  } else if (invocation.format() != Format::kTable) {
    WL_TRY(invocation.emit(overview(stories)));
  } else {
    std::string out = styled(family.title, Style::kBold) +
                      fmt::format(", {} step{}, emulated; times are modelled for {}\n", stories.size(),
                                  stories.size() == 1 ? "" : "s", stories.front().measured.modelled_device);
    bench::Family original;
    WL_ASSIGN(const std::vector<bench::StepStory> before, originals(family, points.front(), original));
    for (size_t i = 0; i < stories.size(); ++i) {
      WL_ASSIGN(const std::string text, page(family, stories[i], i + 1, stories.size()));
      out += text;
      for (const bench::StepStory& other : before) {
        if (other.step->name == stories[i].step->name) out += changes(stories[i], other);
      }
    }
    out += "\n" + to_terminal(overview(stories), terminal_width());
    if (before.empty())
      out += fmt::format("\nTry: warplens learn {} --copy mine, change a file there, and warplens learn mine\n",
                         family.name);
    WL_TRY(invocation.emit_for_people(out));
  }
  return right ? kExitOk : kExitFailed;
}

}  // namespace

extern const Verb kLearn;
const Verb kLearn = {"learn",
                     "improve a kernel from naive to fast, step by step",
                     "[SUITE]",
                     "Walks through the kernels of a suite (`warplens bench --list`). It shows the source of each, "
                     "its counters and findings from the emulator, and the next improvement. --copy makes a copy "
                     "for your own changes.",
                     {{"--impl", "LIST", "only these steps"},
                      {"--sizes", "LIST", "at this size instead of the suite's small one"},
                      {"--axis", "NAME=VALUE", "another axis of the suite; repeated", "", {}, true},
                      {"--copy", "DIR", "copy the suite to DIR for your own changes"}},
                     {{"warplens learn softmax", "from one thread per row to a row in registers"},
                      {"warplens learn transpose --impl tiled,padded", "two steps side by side"},
                      {"warplens learn softmax --copy mine && warplens learn mine", "a copy of your own"}},
                     run_learn,
                     {{"no suite", [](const Invocation& i) { return i.operands.empty(); }, ""},
                      {"--copy",
                       [](const Invocation& i) { return i.has("--copy"); },
                       "--copy",
                       {{"--output --force", "", "--copy"}},
                       true}}};

}  // namespace warplens::cli
