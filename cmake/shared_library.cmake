# libwarplens.so: the C interface of src/warplens/capi/warplens.h and nothing else is visible; find_package(warplens) finds it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
add_library(warplens_shared SHARED $<TARGET_OBJECTS:warplens_capi>)
target_link_libraries(warplens_shared PRIVATE warplens_capi)
target_link_options(warplens_shared PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/shared_library.map -Wl,--no-undefined
  -Wl,-z,nodelete)  # its threads wait for work until the process ends
set_target_properties(warplens_shared PROPERTIES
  OUTPUT_NAME warplens EXPORT_NAME warplens VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/shared_library.map)
target_include_directories(warplens_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(warplens_capi PRIVATE WARPLENS_VERSION="${PROJECT_VERSION}")

set(config_folder lib/cmake/warplens)
install(TARGETS warplens_shared EXPORT warplensLibraryTargets COMPONENT library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES src/warplens/capi/warplens.h COMPONENT library DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT warplensLibraryTargets NAMESPACE warplens:: COMPONENT library DESTINATION ${config_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warplensConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES cmake/warplensConfig.cmake ${CMAKE_BINARY_DIR}/warplensConfigVersion.cmake
  COMPONENT library DESTINATION ${config_folder})
