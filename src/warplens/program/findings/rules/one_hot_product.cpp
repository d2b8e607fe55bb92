// one-hot-product: rows of a table are picked by a product with one-hot vectors.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kProductWithin = 6;  // outermost operators after the one-hot vectors are made

/// The product within `op`, whose depth is `classes`; kNone if it has none.
uint32_t product_in(const Context& c, uint32_t op, int64_t rows, int64_t classes) {
  const analysis::Forest& forest = c.joined.operators;
  for (uint32_t at = forest.position[op]; at < forest.subtree_end[op]; ++at) {
    const uint32_t inner = forest.order[at];
    if (!is_matrix_product(c.op_name(inner))) continue;
    for (size_t input = 0; input < c.shapes(inner).size(); ++input) {
      const analysis::Shape shape = shape_of(c, inner, input);
      if (shape.size() >= 2 && shape.back() == classes && analysis::element_count(shape) == rows * classes)
        return inner;
    }
  }
  return kNone;
}

/// Columns of the table: what the product's other factor has beside the classes.
int64_t columns_of(const Context& c, uint32_t product, int64_t rows, int64_t classes) {
  for (size_t input = c.shapes(product).size(); input-- > 0;) {
    const analysis::Shape shape = shape_of(c, product, input);
    const int64_t elements = analysis::element_count(shape);
    if (shape.size() >= 2 && elements % classes == 0 && elements != rows * classes) return elements / classes;
  }
  return 0;
}

}  // namespace

std::optional<Finding> one_hot_product(const Context& c) {
  ReplacedWork work;
  size_t products = 0;
  int64_t most_classes = 0;
  for (const std::vector<uint32_t>& operators : operators_of_threads(c)) {
    for (size_t i = 0; i < operators.size(); ++i) {
      if (c.op_name(operators[i]) != "aten::one_hot") continue;
      const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[operators[i]]));
      const auto classes = inputs.size() > 1 ? parse_int(inputs[1]) : std::nullopt;
      const int64_t rows = std::max<int64_t>(c.largest_input(operators[i]), 1);
      if (!classes || *classes < 2) continue;
      for (size_t j = i + 1; j < std::min(operators.size(), i + 1 + kProductWithin); ++j) {
        const uint32_t product = product_in(c, operators[j], rows, *classes);
        if (product == kNone) continue;
        // Looked up, each row is read and written once.
        const double bytes =
            static_cast<double>(2 * rows * columns_of(c, product, rows, *classes) * c.element_bytes(product));
        for (size_t k = i; k < j; ++k) {
          if (k == i || c.largest_input(operators[k]) == rows * *classes) {
            work.replace(c, operators[k], 0);
            work.change.host_removed.push_back(c.span_with_call(operators[k]));
          }
        }
        work.replace(c, product, bytes);
        most_classes = std::max(most_classes, *classes);
        ++products;
        break;
      }
    }
  }
  if (!products) return std::nullopt;
  Finding f;
  c.set_saving(f, work.change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("rows of a table are picked by {} with one-hot vectors {}",
                        counted(c.per_step(static_cast<double>(products)), "product", "products"), c.each_step());
  f.detail = fmt::format(
      "All but one of {} numbers of each vector are zero. The vectors and the products take {} of device time {}, with "
      "their launches. The saving assumes that the rows are looked up.",
      most_classes, format_ns(c.per_step(static_cast<double>(work.device_ns))), c.each_step());
  f.advice = "Look the rows up: F.embedding(indices, table), table[indices] or torch.index_select.";
  f.evidence = {{"products_per_step", c.per_step(static_cast<double>(products))},
                {"device_ns", work.device_ns / static_cast<int64_t>(c.program.steps)},
                {"classes", most_classes}};
  f.where = c.places(work.operators);
  return f;
}

}  // namespace warplens::findings
