// Rules that need the shape of an algorithm, which only its machine code shows.
#pragma once
#include <vector>

#include "warplens/report/findings/findings.h"
#include "warplens/report/shapes/shapes.h"

namespace warplens::report {

using Shapes = std::vector<Shape>;  // costliest first

void find_squared_differences(const KernelReport& report, const Shapes& shapes, std::vector<Defect>* findings);
void find_separable_filter(const KernelReport& report, const Shapes& shapes, std::vector<Defect>* findings);
void find_serial_scan(const KernelReport& report, const Shapes& shapes, std::vector<Defect>* findings);

/// All of these.
std::vector<Defect> shape_defects(const KernelReport& report, const Shapes& shapes);

/// All shapes of one kind in the launch; `terms` is 0 where it has none.
Shape shape_of(const Shapes& shapes, ShapeKind kind);
/// The launch with `share` of its instructions, and of the loads and waits that go with them.
Work with_share(double share, const Work& work);
std::string place(const Shape& shape);

}  // namespace warplens::report
