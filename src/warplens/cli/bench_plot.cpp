#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/output_name.h"
#include "warplens/base/text.h"
#include "warplens/bench/plot/charts_of_results.h"
#include "warplens/bench/plot/png.h"
#include "warplens/bench/plot/svg.h"
#include "warplens/bench/plot/terminal_chart.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

/// One chart in one theme, as SVG and, where its libraries are, as PNG.
Status write_chart(const bench::Chart& chart, svg::Theme theme, const std::string& stem, bool overwrite,
                   Status& png_problem) {
  const std::string svg = bench::picture_of(chart).document(theme);
  WL_TRY(write_file(stem + ".svg", svg, overwrite));
  if (!png_problem.ok()) return {};
  const Result<std::string> png = bench::to_png(svg, 2);
  if (!png.ok()) png_problem = png.status();
  else WL_TRY(write_file(stem + ".png", *png, overwrite));
  return {};
}

}  // namespace

Result<int> bench_plot(const Invocation& invocation) {
  if (invocation.operands.size() != 2) return usage_error("plot takes one file of results");
  WL_ASSIGN(const bench::Results results, bench::read_results(invocation.operands[1]));
  const std::vector<bench::Chart> charts = bench::charts_of(results);
  if (charts.empty()) return invalid_input("nothing to plot: no valid measurement has a time or a bound");
  if (!invocation.has("--output")) {
    const size_t width = terminal_width() == 0 ? 100 : terminal_width();
    for (const bench::Chart& chart : charts) warplens::show(stdout, bench::to_characters(chart, width, 12) + "\n");
    return kExitOk;
  }
  const std::string folder = expand_output_name(invocation.text("--output"));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  const std::string theme = invocation.text("--theme");
  Status png_problem;
  for (const bench::Chart& chart : charts) {
    for (const auto& [name, which] : {std::pair("light", svg::Theme::kLight), std::pair("dark", svg::Theme::kDark)}) {
      if (theme == "both" || theme == name)
        WL_TRY(write_chart(chart, which, fmt::format("{}/{}-{}", folder, chart.file_name, name),
                           invocation.has("--force"), png_problem));
    }
  }
  if (!png_problem.ok()) tell("no PNG: {}\n", png_problem.message());
  tell("{} charts in {}\n", charts.size(), folder);
  return kExitOk;
}

}  // namespace warplens::cli
