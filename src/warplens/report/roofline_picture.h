// The roofline as a picture, for files and pages.
#pragma once
#include <string>

#include "warplens/output/svg.h"
#include "warplens/report/roofline.h"

namespace warplens::report {

svg::Picture roofline_picture(const Roofline& roofline, const std::string& title);

}  // namespace warplens::report
