#include "warplens/cli/kernel_page.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "warplens/base/demangle.h"
#include "warplens/base/files.h"
#include "warplens/base/letter_case.h"
#include "warplens/base/output_name.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/kernel_code.h"
#include "warplens/cli/kernel_counters.h"
#include "warplens/cli/kernel_input.h"
#include "warplens/counters/over_time.h"
#include "warplens/counters/sampled_lines.h"
#include "warplens/launch/report.h"
#include "warplens/report/access_picture.h"
#include "warplens/report/facts.h"
#include "warplens/report/findings/findings.h"
#include "warplens/report/roofline_picture.h"
#include "warplens/report/writers/text.h"

namespace warplens::cli {
namespace {

constexpr size_t kRequestsShown = 12, kLaunchesShown = 32;

std::string sizes(const std::array<uint32_t, 3>& size) { return fmt::format("{},{},{}", size[0], size[1], size[2]); }

page::Facts facts_of(const report::KernelReport& report) {
  const report::Resources& r = report.resources;
  page::Facts out;
  out.rows = {
      {"kernel", report.kernel},
      {"launch", fmt::format("grid {}, block {}, on {}", sizes(report.grid), sizes(report.block), report.device->name)},
      {"counters", report::counted_from(report)}};
  for (const report::Fact& fact : report::summary_facts(report)) out.rows.emplace_back(fact.name, fact.text);
  if (!report.why_not_counted.empty()) return out;
  out.rows.emplace_back(
      "resources", fmt::format("{} registers per thread; {} of static and {} of dynamic shared memory per block, {} of "
                               "local memory per thread",
                               r.registers, format_bytes(r.static_shared_bytes), format_bytes(r.dynamic_shared_bytes),
                               format_bytes(r.local_bytes)));
  return out;
}

/// Time that each resource would take alone; of measured launches the share of its peak that each unit reached.
std::vector<page::Block> bars_of(const report::KernelReport& report) {
  std::vector<page::Block> out;
  page::Bars time{"Time that each resource would take alone", {}};
  const double most = report.time.resources.empty() ? 0 : report.time.resources.front().ns;
  for (const report::Resource& resource : report.time.resources) {
    if (resource.ns > 0) time.rows.push_back({resource.name, format_ns(resource.ns), resource.ns / most});
  }
  if (!report.measured) {
    if (!time.rows.empty()) out.emplace_back(std::move(time));
    return out;
  }
  page::Bars units{"Use of each unit, as a share of its peak", {}},
      stalls{"Cycles that a warp waits for each instruction", {}};
  for (const report::UnitUse& unit : report.measured->units)
    units.rows.push_back({unit.name, format_share(unit.share), unit.share});
  double longest = 0;
  for (const report::Stall& stall : report.measured->stalls) longest = std::max(longest, stall.cycles);
  for (const report::Stall& stall : report.measured->stalls) {
    if (stall.cycles > 0)
      stalls.rows.push_back({stall.reason, fmt::format("{:.1f} cycles", stall.cycles), stall.cycles / longest});
  }
  for (page::Bars* each : {&units, &stalls}) {
    if (!each->rows.empty()) out.emplace_back(std::move(*each));
  }
  return out;
}

page::FindingsBlock findings_of(const report::KernelReport& report) {
  page::FindingsBlock out{capitalized(report::together_text(report)), report.findings};
  if (!out.note.empty()) out.note += '.';
  if (report.findings.empty()) out.note = "The rules for kernels found nothing in these counters.";
  return out;
}

/// Of each instruction of a line that asks alike, the costliest request; costliest lines first.
page::Section requests_of(const report::KernelReport& report) {
  page::Section out{"requests", "Memory requests", {}};
  std::map<std::pair<std::string, std::string>, size_t> shown;  // by place and text: which block
  size_t left = 0;
  for (const report::AccessExample& access : report.accesses) {
    report::LineCounts line;
    line.file = access.file;
    line.line = access.line;
    const std::string place = report::place(line);
    const auto [row, is_new] = shown.try_emplace({place, access.text}, out.blocks.size());
    if (is_new && out.blocks.size() < kRequestsShown)
      out.blocks.emplace_back(page::PictureBlock{"", "", report::access_picture({access}),
                                                 report::access_picture({access}, page::kNarrowWidth), place});
    else if (is_new || row->second >= kRequestsShown) ++left;
    else std::get<page::PictureBlock>(out.blocks[row->second]).note = "This line has more instructions of this kind.";
  }
  if (left > 0)
    out.blocks.emplace_back(
        page::Facts{{{"not shown", fmt::format("the requests of {} more instructions, which cost less", left)}}});
  return out;
}

/// The sections of one launch; `part` is 0 where it is the only one.
void add_launch(const ShownLaunch& launch, size_t part, page::Page* page) {
  const auto add = [&](page::Section section) {
    if (section.blocks.empty()) return;
    if (part > 0) section.id += fmt::format("-{}", part);
    section.part = part;
    page->sections.push_back(std::move(section));
  };
  if (launch.report != nullptr) {
    const report::KernelReport& report = *launch.report;
    page::Section overview{"kernel", "Kernel", {}};
    overview.blocks.emplace_back(facts_of(report));
    if (!report.why_not_counted.empty()) return add(std::move(overview));  // of a library call only its time is known
    overview.blocks.emplace_back(findings_of(report));
    for (page::Block& bars : bars_of(report)) overview.blocks.push_back(std::move(bars));
    const std::string title = roofline_title(report);
    overview.blocks.emplace_back(
        page::PictureBlock{"Roofline", "", report::roofline_picture(report.roofline, title),
                           report::roofline_picture(report.roofline, title, page::kNarrowWidth)});
    add(std::move(overview));
  }
  if (std::optional<page::Code> code = code_of(launch)) {
    page::Section section{"code", "Code", {}};
    section.blocks.emplace_back(std::move(*code));
    add(std::move(section));
  }
  if (launch.report == nullptr) return;
  add(requests_of(*launch.report));
  page::Section counters{"counters", "Counters", {}};
  counters.blocks.emplace_back(page::TableBlock{"Counters", "", report::metric_table(*launch.report)});
  add(std::move(counters));
}

void add_launches(const std::vector<ShownLaunch>& launches, page::Page* page) {
  const bool several = launches.size() > 1;
  for (size_t k = 0; k < std::min(launches.size(), kLaunchesShown); ++k) {
    if (several) page->parts.push_back(fmt::format("{}: {}", k + 1, launches[k].kernel));
    add_launch(launches[k], several ? k + 1 : 0, page);
  }
  page->part_title = "Launch";
}

std::string not_shown(size_t launches) {
  return launches <= kLaunchesShown ? "" : fmt::format("{} of {} are shown separately.", kLaunchesShown, launches);
}

page::Section run_section(const launch::RunResult& result) {
  page::Section out{"run", "Run", {}};
  page::Facts facts;
  if (const std::string fault = launch::fault_text(result); !fault.empty()) facts.rows.emplace_back("fault", fault);
  for (const launch::Outcome& outcome : result.outcomes) {
    if (!outcome.emulated) continue;
    for (const simt::Report& defect : outcome.emulated->reports)
      facts.rows.emplace_back(defect.id, launch::defect_text(defect));
  }
  for (const launch::Comparison& comparison : result.comparisons) facts.rows.emplace_back("output", comparison.text());
  if (!facts.rows.empty()) out.blocks.emplace_back(std::move(facts));
  out.blocks.emplace_back(page::TableBlock{"Launches", "", launch::launch_table(result)});
  if (!result.buffers.empty())
    out.blocks.emplace_back(page::TableBlock{"Buffers after the last launch", "", launch::buffer_table(result)});
  return out;
}

size_t wrong_outputs(const launch::RunResult& result) {
  return static_cast<size_t>(
      std::ranges::count_if(result.comparisons, [](const launch::Comparison& each) { return !each.ok(); }));
}

std::string run_verdict(const launch::RunResult& result) {
  if (const std::string fault = launch::fault_text(result); !fault.empty()) return "the run ended early: " + fault;
  const size_t wrong = wrong_outputs(result);
  if (wrong > 0) return fmt::format("{} of {} outputs are not as expected", wrong, result.comparisons.size());
  return fmt::format("{} launch{} ran to the end{}", result.outcomes.size(), result.outcomes.size() == 1 ? "" : "es",
                     result.comparisons.empty() ? "; no output was compared" : "; all outputs are as expected");
}

Status write_to(const Invocation& invocation, const page::Page& page) {
  const std::string path = expand_output_name(invocation.text("--page"));
  WL_ASSIGN(FileWriter file, FileWriter::create(path, invocation.has("--force")));
  WL_TRY(page::write_page(page, [&](std::string_view bytes) { return file.write(bytes); }));
  return file.commit();
}

std::string title_of(const Invocation& invocation) {
  if (!invocation.command.empty()) return join(invocation.command, " ");
  std::vector<std::string> names;
  for (const std::string& path : invocation.operands) {
    const bool is_step = !std::filesystem::exists(path);  // of a suite: "softmax/naive"
    names.push_back(is_step ? path : path.substr(path.find_last_of('/') + 1));
  }
  return join(names, ", ");
}

}  // namespace

page::Page page_of(const launch::RunResult& result) {
  page::Page out{result.source.path.substr(result.source.path.find_last_of('/') + 1), run_verdict(result), {}};
  out.whole = launch::fault_text(result).empty() && wrong_outputs(result) == 0;
  std::vector<ShownLaunch> launches;
  for (const launch::Outcome& outcome : result.outcomes) {
    if (outcome.counted)
      launches.push_back({short_name(outcome.kernel), &*outcome.counted, &result.source, outcome.kernel});
  }
  add_launches(launches, &out);
  page::Section run = run_section(result);
  if (const std::string note = not_shown(launches.size()); !note.empty())
    std::get<page::TableBlock>(run.blocks.back()).note = note;
  out.sections.push_back(std::move(run));
  return out;
}

namespace {

/// The mangled name of a kernel that was launched, by the name that people write.
std::string mangled_name(const counters::ProgramReport& report, const std::string& kernel) {
  for (const counters::ProgramReport::Launch& launch : report.launches) {
    if (short_name(launch.counted.kernel) == kernel) return launch.counted.kernel;
  }
  return "";
}

}  // namespace

page::Page page_of(const counters::ProgramReport& report, const std::string& title, bool others,
                   const CarriedPtx* program) {
  const auto counted = std::ranges::count_if(report.launches, [](const auto& each) { return each.report.has_value(); });
  page::Page out{title, fmt::format("{} of {} launches have counters", counted, report.launches.size()), {}};
  if (report.launches.empty())
    out.integrity = "this file has no counters of whole launches, only of lines, ranges or times";
  std::vector<ShownLaunch> launches;
  std::set<std::string> known;
  for (const report::KernelReport* each : counters::costliest_launches(report)) {
    launches.push_back({each->kernel, each, nullptr, mangled_name(report, each->kernel), &report, program, others});
    known.insert(each->kernel);
  }
  for (const counters::Sampling& sampling : report.samplings) {
    for (const counters::SampledLine& line : counters::sampled_lines(sampling)) {
      if (known.insert(line.kernel).second)
        launches.push_back({line.kernel, nullptr, nullptr, "", &report, nullptr, others});
    }
  }
  for (const counters::Instructions& instructions : report.instructions) {
    for (const counters::CountedPlace& place : instructions.places) {
      const std::string kernel = short_name(place.kernel);
      if (known.insert(kernel).second) launches.push_back({kernel, nullptr, nullptr, "", &report, nullptr, others});
    }
  }
  const auto section_of = [&](const std::string& kernel, const char* id) -> std::string {
    const auto at = std::ranges::find(launches, kernel, &ShownLaunch::kernel);
    const auto part = static_cast<size_t>(at - launches.begin());
    if (part >= std::min(launches.size(), kLaunchesShown)) return "";
    return launches.size() == 1 ? fmt::format("#{}", id) : fmt::format("#{}-{}", id, part + 1);
  };
  page::Section all{"launches", "Launches", {}};
  page::Facts notes;
  for (const std::string& note : report.notes) notes.rows.emplace_back("note", note);
  if (const std::string note = not_shown(launches.size()); !note.empty()) notes.rows.emplace_back("note", note);
  if (!notes.rows.empty()) all.blocks.emplace_back(std::move(notes));
  if (!report.launches.empty()) {
    page::TableBlock table{"Launches", "Each kernel's costliest launch is shown separately.",
                           counters::launch_table(report)};
    for (const auto& launch : report.launches)
      table.links.push_back(launch.report ? section_of(launch.report->kernel, "kernel") : "");
    all.blocks.emplace_back(std::move(table));
  }
  for (const counters::Sampling& sampling : report.samplings) {
    const std::vector<counters::SampledLine> lines = counters::sampled_lines(sampling);
    page::TableBlock table{"Samples by line", "", counters::sampled_table(lines)};
    for (const counters::SampledLine& line : lines) table.links.push_back(section_of(line.kernel, "code"));
    all.blocks.emplace_back(std::move(table));
  }
  if (!report.ranges.empty())
    all.blocks.emplace_back(page::TableBlock{"Ranges", "", counters::ranges_table(report.ranges)});
  if (!report.over_time.empty())
    all.blocks.emplace_back(page::TableBlock{"Over time", "", counters::over_time_table(report.over_time)});
  if (!all.blocks.empty()) out.sections.push_back(std::move(all));
  add_launches(launches, &out);
  return out;
}

Result<page::Page> kernel_page(const Invocation& invocation, const char* gpu_flag) {
  if (is_counts_file(invocation.operands[0])) {
    WL_ASSIGN(const counters::ProgramReport report, read_kept_counts(invocation, invocation.operands, gpu_flag));
    return page_of(report, title_of(invocation), true, nullptr);
  }
  WL_ASSIGN(launch::Description description, read_description(invocation));
  WL_ASSIGN(const launch::RunOptions options, read_run_options(invocation));
  const Result<launch::RunResult> result = launch::run(std::move(description), options);
  if (!result.ok()) return explained(invocation, result.status());
  page::Page page = page_of(*result);
  page.title = title_of(invocation);
  return page;
}

Status write_kernel_page(const Invocation& invocation, const launch::RunResult& result) {
  if (!invocation.has("--page")) return {};
  page::Page page = page_of(result);
  page.title = title_of(invocation);
  return write_to(invocation, page);
}

Status write_kernel_page(const Invocation& invocation, const counters::ProgramReport& report) {
  if (!invocation.has("--page")) return {};
  if (invocation.command.empty()) return write_to(invocation, page_of(report, title_of(invocation), true, nullptr));
  if (report.emulated) return write_to(invocation, page_of(report, title_of(invocation), false, nullptr));
  const CarriedPtx program(invocation.command[0]);
  return write_to(invocation, page_of(report, title_of(invocation), false, &program));
}

}  // namespace warplens::cli
