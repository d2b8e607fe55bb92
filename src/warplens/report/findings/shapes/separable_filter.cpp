#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/shapes/shape_rules.h"

namespace warplens::report {
namespace {

/// In two passes: rows, then columns of what these give, which is stored and loaded once.
Work in_two_passes(const KernelReport& report, const Shape& window, double rows) {
  const double kept = (window.row + rows) / (window.row * rows);
  const double results = static_cast<double>(window.terms) / window.length;
  const double share = std::min<double>(1, static_cast<double>(window.warp_instructions) / report.work.instructions);
  Work w = with_share(1 - share * (1 - kept), report.work);
  w.load_sectors = std::max(w.load_sectors, w.read_sectors) + results / 8;
  w.store_sectors += results / 8;
  w.read_sectors += results / 8;
  w.written_sectors += results / 8;
  w.stored_bytes += 4 * results;
  return w;
}

}  // namespace

// A window of rows and columns whose weights are a product: two sums over a line each give the same.
void find_separable_filter(const KernelReport& report, const Shapes& shapes, std::vector<Defect>* findings) {
  const Shape window = shape_of(shapes, ShapeKind::kWindow);
  if (window.terms == 0 || window.row <= 1 || window.length <= window.row) return;
  const double rows = window.length / window.row;
  const double uses = static_cast<double>(window.terms) / std::max<double>(1, 8 * report.work.read_sectors);
  if (rows < 2 || 2 * uses < window.length) return;  // windows that hardly overlap have no rows to share
  Defect finding{{.id = "separable-filter"}};
  finding.promise(report, in_two_passes(report, window, rows));
  finding.title = "a separable filter sums whole windows instead of rows and then columns";
  finding.detail = fmt::format("{:.0f} terms a result, {:.0f} rows of {:.0f}; {:.0f} and {:.0f} are enough",
                               window.length, rows, window.row, window.row, rows);
  finding.advice =
      "filter the rows first, then the columns of the result, in two kernels or through a tile in shared memory; "
      "if all weights are equal, a running sum is enough";
  finding.evidence = {{"terms_of_a_window", window.length}, {"terms_of_a_row", window.row}};
  if (const std::string at = place(window); !at.empty()) finding.where.push_back(at);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
