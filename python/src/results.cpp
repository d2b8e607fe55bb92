// Files of benchmark results: as text, as charts, and one beside another.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "module.h"
#include "status.h"
#include "warplens/base/files.h"
#include "warplens/base/schema.h"
#include "warplens/base/units.h"
#include "warplens/bench/plot/charts_of_results.h"
#include "warplens/bench/plot/png.h"
#include "warplens/bench/plot/svg.h"
#include "warplens/bench/plot/terminal_chart.h"
#include "warplens/bench/results/compare_results.h"
#include "warplens/bench/results/results_table.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

std::string rows_json(const Table& table) {
  json::Writer writer;
  write_rows(writer, table);
  return writer.take();
}

/// (file name, title, light SVG, dark SVG) of each chart that the results have data for.
std::vector<std::tuple<std::string, std::string, std::string, std::string>> charts(const std::string& results) {
  std::vector<std::tuple<std::string, std::string, std::string, std::string>> out;
  for (const bench::Chart& chart : bench::charts_of(take(bench::parse_results(results)))) {
    const svg::Picture picture = bench::picture_of(chart);
    out.emplace_back(chart.file_name, chart.title, picture.document(svg::Theme::kLight),
                     picture.document(svg::Theme::kDark));
  }
  return out;
}

std::vector<std::string> drawn_charts(const std::string& results, size_t width, size_t height) {
  std::vector<std::string> out;
  for (const bench::Chart& chart : bench::charts_of(take(bench::parse_results(results))))
    out.push_back(bench::to_characters(chart, width, height));
  return out;
}

nb::bytes png(const std::string& svg) {
  const std::string image = take(bench::to_png(svg, 2));
  return nb::bytes(image.data(), image.size());
}

Record compare(const std::string& base, const std::string& now, double margin, double confidence) {
  const bench::ComparedResults compared =
      bench::compare_results(take(bench::parse_results(base)), take(bench::parse_results(now)), {margin, confidence});
  const Table table = bench::comparison_table(compared);
  nb::dict out;
  out["rows"] = rows_json(table), out["text"] = to_terminal(table, 0), out["notes"] = compared.notes;
  out["only_in_base"] = compared.only_in_base, out["only_in_new"] = compared.only_in_new;
  return out;
}

/// Writes by the rules of every output: no link is followed, and a reader never sees half a file.
void write_whole(const std::string& path, const nb::bytes& content, bool overwrite) {
  std::error_code ignored;
  if (!overwrite && std::filesystem::exists(path, ignored)) {
    PyErr_SetString(PyExc_FileExistsError, (path + ": exists already; give overwrite=True to replace it").c_str());
    throw nb::python_error();
  }
  check(write_file(path, std::string_view(content.c_str(), content.size()), overwrite));
}

}  // namespace

void bind_results(nb::module_& module) {
  module.def(
      "results_text", [](const std::string& results) { return bench::to_text(take(bench::parse_results(results)), 0); },
      "results"_a, "Results (JSON) as a table for people. Raises ValueError when they are not results.");
  module.def(
      "results_rows",
      [](const std::string& results) { return rows_json(bench::results_table(take(bench::parse_results(results)))); },
      "results"_a, "The rows of that table as JSON.");
  module.def("charts", &charts, "results"_a, "(file name, title, light SVG, dark SVG) of each chart.");
  module.def("drawn_charts", &drawn_charts, "results"_a, "width"_a, "height"_a, "The same charts in characters.");
  module.attr("SCHEMA_VERSION") = kSchemaVersion;
  module.def("format_ns", &format_ns, "ns"_a, "\"3.42 us\"");
  module.def("format_bytes", &format_bytes, "bytes"_a, "\"3.4 KB\"");
  module.def("png", &png, "svg"_a, "Raises when librsvg is missing, and says so.");
  module.def("write_file", &write_whole, "path"_a, "content"_a, "overwrite"_a,
             "Writes a whole file, or leaves what was there. Raises FileExistsError unless `overwrite`, or OSError.");
  module.def("compare_results", &compare, "base"_a, "new"_a, "margin"_a, "confidence"_a,
             "rows (JSON), text, notes, only_in_base, only_in_new of two results (JSON).");
}

}  // namespace warplens::python
