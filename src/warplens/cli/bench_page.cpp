#include "warplens/cli/bench_page.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/bench/plot/charts_of_results.h"
#include "warplens/bench/plot/svg.h"
#include "warplens/bench/results/compare_results.h"
#include "warplens/bench/results/results_table.h"
#include "warplens/launch/read_input.h"

namespace warplens::cli {
namespace {

page::Facts machine_facts(const bench::Results& results) {
  const bench::Environment& e = results.environment;
  page::Facts out;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) out.rows.emplace_back(name, text);
  };
  add("benchmark", results.title);
  add("date", e.date);
  add("GPU", e.device);
  add("driver", e.driver);
  add("host", e.host);
  add("CPU", e.cpu);
  add("program", e.program);
  if (e.noise_floor > 0) add("noise", fmt::format("two equal runs differ by up to {}", format_share(e.noise_floor)));
  return out;
}

/// What was wrong or worth knowing of each measurement.
page::Facts notes_of(const bench::Results& results) {
  page::Facts out;
  for (const bench::Measurement& each : results.measurements) {
    for (const std::string& error : each.errors) out.rows.emplace_back(each.label(), "error: " + error);
    for (const std::string& note : each.notes) out.rows.emplace_back(each.label(), note);
  }
  return out;
}

std::string verdict(const bench::Results& results) {
  const auto valid = std::ranges::count_if(results.measurements, [](const auto& each) { return each.valid; });
  return fmt::format("{} of {} measurements are valid", valid, results.measurements.size());
}

/// Medians with their intervals, as one chart: a bar a benchmark.
bench::Chart intervals(const bench::Results& results) {
  bench::Chart out;
  out.title = "Median time, with its confidence interval";
  out.subtitle = "shorter is better";
  out.y_unit = bench::Unit::kTimeNs;
  out.bars = true;
  for (const bench::Measurement& each : results.measurements) {
    if (each.valid && each.median_ns > 0)
      out.series.push_back({each.key(), {{0, each.median_ns, each.low_ns, each.high_ns}}});
  }
  return out;
}

void add_charts(const bench::Results& results, page::Section* to) {
  const bench::Chart times = intervals(results);
  if (!times.series.empty()) to->blocks.emplace_back(page::PictureBlock{times.title, "", bench::picture_of(times)});
  for (const bench::Chart& chart : bench::charts_of(results)) {
    if (!chart.bars || chart.y_unit != bench::Unit::kTimeNs)  // those times are drawn above
      to->blocks.emplace_back(page::PictureBlock{chart.title, "", bench::picture_of(chart)});
  }
}

}  // namespace

bool is_results_file(const std::string& path) {
  const std::string start = launch::read_start(path);
  return launch::is_launch_file(start) && contains(start, "\"warplens-bench\"");
}

page::Page page_of(const bench::Results& results, const std::string& title) {
  page::Page out{title, verdict(results), {}};
  page::Section overview{"benchmarks", "Benchmarks", {}};
  overview.blocks.emplace_back(machine_facts(results));
  overview.blocks.emplace_back(page::TableBlock{"Results", "", bench::results_table(results)});
  if (page::Facts notes = notes_of(results); !notes.rows.empty()) overview.blocks.emplace_back(std::move(notes));
  out.sections.push_back(std::move(overview));
  page::Section charts{"charts", "Charts", {}};
  add_charts(results, &charts);
  if (!charts.blocks.empty()) out.sections.push_back(std::move(charts));
  return out;
}

page::Page page_of_change(const bench::Results& base, const bench::Results& fresh, const std::string& title) {
  const bench::ComparedResults compared = bench::compare_results(base, fresh, {});
  page::Page out{title, fmt::format("base: {}; new: {}", verdict(base), verdict(fresh)), {}};
  page::Section change{"change", "What changed", {}};
  change.blocks.emplace_back(page::TableBlock{"Benchmarks", "", bench::comparison_table(compared)});
  page::Facts notes;
  for (const std::string& key : compared.only_in_base) notes.rows.emplace_back("only in the base", key);
  for (const std::string& key : compared.only_in_new) notes.rows.emplace_back("only in the new run", key);
  for (const std::string& note : compared.notes) notes.rows.emplace_back("note", note);
  if (!notes.rows.empty()) change.blocks.emplace_back(std::move(notes));
  out.sections.push_back(std::move(change));
  for (const auto& [results, id, name] :
       {std::tuple(&fresh, "new", "New run"), std::tuple(&base, "base", "Base run")}) {
    page::Section run{id, name, {}};
    run.blocks.emplace_back(machine_facts(*results));
    run.blocks.emplace_back(page::TableBlock{"Results", "", bench::results_table(*results)});
    add_charts(*results, &run);
    out.sections.push_back(std::move(run));
  }
  return out;
}

}  // namespace warplens::cli
