// Style and script of a page: the files in assets/, put into the program by cmake/page_assets.cmake.
#pragma once
#include <string_view>

namespace warplens::page {

extern const std::string_view kStyle;
extern const std::string_view kScript;
extern const std::string_view kPerfettoScript;  // of the page that hands a trace to the Perfetto UI

}  // namespace warplens::page
