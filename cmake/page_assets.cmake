# Puts the page's style and script (src/warplens/page/assets) into the program. The scripts share one function's scope, in this order.
set(page_assets ${CMAKE_SOURCE_DIR}/src/warplens/page/assets)
set(page_scripts elements units data colours tables findings charts pictures code heat lanes spans timeline_view timeline_paint timeline_search timeline_input timeline
                 flames main)
set(script "(() => {\n'use strict';\n")
foreach(name ${page_scripts})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_assets}/${name}.js)
  file(READ ${page_assets}/${name}.js text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_assets}/page.css)
file(READ ${page_assets}/page.css style)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_assets}/perfetto.js)
file(READ ${page_assets}/perfetto.js perfetto)
set(written ${CMAKE_BINARY_DIR}/units/page_assets.cpp)
file(WRITE ${written}.new "#include \"warplens/page/assets.h\"\n\nnamespace warplens::page {\n\n"
  "const std::string_view kStyle = R\"WARPLENS(${style})WARPLENS\";\n\n"
  "const std::string_view kScript = R\"WARPLENS(${script})WARPLENS\";\n\n"
  "const std::string_view kPerfettoScript = R\"WARPLENS(${perfetto})WARPLENS\";\n\n}  // namespace warplens::page\n")
configure_file(${written}.new ${written} COPYONLY)  # touched only when it changed
target_sources(warplens_page PRIVATE ${written})
