// The roofline as a picture, for files and pages.
#pragma once
#include <string>

#include "warplens/output/svg.h"
#include "warplens/report/roofline.h"

namespace warplens::report {

/// `width`: of a file by default. Below 500 the legend is below the drawing in place of beside it.
svg::Picture roofline_picture(const Roofline& roofline, const std::string& title, double width = 930);

}  // namespace warplens::report
