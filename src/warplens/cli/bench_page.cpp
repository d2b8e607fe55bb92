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

bench::Chart time_chart() {
  bench::Chart out;
  out.title = "Median time, with its confidence interval";
  out.subtitle = "shorter is better";
  out.y_unit = bench::Unit::kTimeNs;
  out.bars = true;
  return out;
}

void add_bar(const bench::Measurement& each, std::string name, bench::Chart* to) {
  if (each.valid && each.median_ns > 0)
    to->series.push_back({std::move(name), {{0, each.median_ns, each.low_ns, each.high_ns}}});
}

/// One chart with a bar for each benchmark.
bench::Chart intervals(const bench::Results& results) {
  bench::Chart out = time_chart();
  for (const bench::Measurement& each : results.measurements) add_bar(each, each.key(), &out);
  return out;
}

page::PictureBlock block_of(const bench::Chart& chart) {
  return {chart.title, "", bench::picture_of(chart), bench::picture_of(chart, page::kNarrowWidth)};
}

void add_charts(const bench::Results& results, page::Section* to) {
  const bench::Chart times = intervals(results);
  if (!times.series.empty()) to->blocks.emplace_back(block_of(times));
  for (const bench::Chart& chart : bench::charts_of(results)) {
    if (!chart.bars || chart.y_unit != bench::Unit::kTimeNs)  // those times are drawn above
      to->blocks.emplace_back(block_of(chart));
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

/// The benchmarks of both runs: the bar of the base, then the bar of the new run.
bench::Chart both_intervals(const bench::Results& base, const bench::Results& fresh) {
  bench::Chart out = time_chart();
  for (const bench::Measurement& now : fresh.measurements) {
    const auto before = std::ranges::find(base.measurements, now.key(), &bench::Measurement::key);
    if (before == base.measurements.end()) continue;
    add_bar(*before, before->key() + ", base", &out);
    add_bar(now, now.key() + ", new", &out);
  }
  return out;
}

/// "1 slower, 2 equivalent".
std::string verdicts(const bench::ComparedResults& compared) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const bench::ComparedPair& pair : compared.pairs) {
    const std::string name(bench::name_of(pair.comparison.verdict));
    const auto known = std::ranges::find(counts, name, &std::pair<std::string, size_t>::first);
    if (known == counts.end()) counts.emplace_back(name, 1);
    else ++known->second;
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", count, name));
  return join(parts, ", ");
}

page::Page page_of_change(const bench::Results& base, const bench::Results& fresh, const std::string& title) {
  const bench::ComparedResults compared = bench::compare_results(base, fresh, {});
  page::Page out{title, fmt::format("base: {}; new: {}", verdict(base), verdict(fresh)), {}};
  page::Section change{"change", "What changed", {}};
  if (!compared.pairs.empty()) change.blocks.emplace_back(page::Facts{{{"benchmarks", verdicts(compared)}}});
  change.blocks.emplace_back(page::TableBlock{"Benchmarks", "", bench::comparison_table(compared)});
  if (const bench::Chart both = both_intervals(base, fresh); !both.series.empty())
    change.blocks.emplace_back(block_of(both));
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
