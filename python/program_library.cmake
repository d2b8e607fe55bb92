# The wheel's command and extension share one library, so a wheel holds the program once.
set(rooms ${WARPLENS_LAYERS})
list(REMOVE_ITEM rooms capi cuda_api cudart12 collect)
list(FILTER rooms EXCLUDE REGEX "^libraries_")
list(TRANSFORM rooms PREPEND warplens_)
set(map ${CMAKE_CURRENT_SOURCE_DIR}/program_library.map)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
add_library(warplens_program SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
target_link_libraries(warplens_program PRIVATE -Wl,--whole-archive ${rooms} -Wl,--no-whole-archive PUBLIC ${fmt})
target_link_options(warplens_program PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic -Wl,-z,nodelete)  # its threads wait for work until the process ends
target_include_directories(warplens_program PUBLIC ${CMAKE_SOURCE_DIR}/src)
target_compile_features(warplens_program PUBLIC cxx_std_20)
target_compile_definitions(warplens_program PUBLIC WARPLENS_VERSION="${PROJECT_VERSION}")
set_target_properties(warplens_program PROPERTIES LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python
                      INSTALL_RPATH "$ORIGIN")
add_executable(warplens_command ${CMAKE_SOURCE_DIR}/src/warplens/cli/main.cpp)
target_link_libraries(warplens_command PRIVATE warplens_program)
set_target_properties(warplens_command PROPERTIES OUTPUT_NAME warplens RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/command
                      INSTALL_RPATH "$ORIGIN/../lib")
