// Pictures of a page's sections.
#pragma once
#include <string>

#include "warplens/page/page.h"

namespace warplens::cli {

/// FOLDER/SECTION.png for each section, 1280 pixels wide, drawn by the installed Chromium. Error: there is
/// none.
Status write_pictures(const page::Page& page, const std::string& folder, bool dark, bool overwrite);

}  // namespace warplens::cli
