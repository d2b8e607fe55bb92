# What each layer needs from outside.
target_link_libraries(warplens_base PUBLIC fmt::fmt-header-only Threads::Threads PRIVATE simdjson::simdjson ${CMAKE_DL_LIBS})
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
target_compile_definitions(warplens_cli PUBLIC WARPLENS_VERSION="${PROJECT_VERSION}")
if(TARGET warplens_readers)
  target_link_libraries(warplens_readers PRIVATE ${ISAL_LIBRARY} ${ZSTD_LIBRARY})
endif()
