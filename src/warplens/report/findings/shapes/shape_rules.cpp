#include "warplens/report/findings/shapes/shape_rules.h"

#include "warplens/base/text.h"

namespace warplens::report {

std::vector<Defect> shape_defects(const KernelReport& report, const Shapes& shapes) {
  std::vector<Defect> out;
  for (const auto rule : {find_squared_differences, find_separable_filter, find_serial_scan})
    rule(report, shapes, &out);
  return out;
}

Shape shape_of(const Shapes& shapes, ShapeKind kind) {
  Shape out{.kind = kind};
  for (const Shape& shape : shapes) {
    if (shape.kind != kind) continue;
    if (out.terms == 0) out = shape;
    else out.terms += shape.terms, out.warp_instructions += shape.warp_instructions;
  }
  return out;
}

Work with_share(double share, const Work& work) {
  Work w = work;
  scale_instructions(share, &w);
  scale_block_cycles(share, &w);
  for (double* part : {&w.cache_lines, &w.shared_wavefronts, &w.shared_conflicts}) *part *= share;
  take_loads(w.load_sectors * (1 - share), &w);
  return w;
}

std::string place(const Shape& shape) {
  LineCounts line;
  line.file = shape.file;
  line.line = shape.line;
  return place(line);
}

}  // namespace warplens::report
