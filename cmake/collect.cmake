# libwarplens_collect.so: injected into the programs that `warplens record` runs. It needs the C library alone, since it shares
# a process with whatever C++ runtime the program brought.
add_library(warplens_injected SHARED $<TARGET_OBJECTS:warplens_collect> cmake/fmt_code.cpp)
target_link_libraries(warplens_injected PRIVATE warplens_collect)
target_link_options(warplens_injected PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/collect.map -Wl,--no-undefined -Wl,--as-needed -Wl,-z,nodelete
  -static-libstdc++ -static-libgcc)
set_target_properties(warplens_injected PROPERTIES
  OUTPUT_NAME warplens_collect LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/collect.map)
add_dependencies(warplens warplens_injected)
foreach(component library python)
  install(TARGETS warplens_injected LIBRARY DESTINATION lib COMPONENT ${component})
  install(FILES python/inject/sitecustomize.py python/inject/_warplens_observe.py DESTINATION lib/warplens_inject COMPONENT ${component})
endforeach()
foreach(file sitecustomize _warplens_observe)
  configure_file(${CMAKE_SOURCE_DIR}/python/inject/${file}.py ${CMAKE_BINARY_DIR}/warplens_inject/${file}.py COPYONLY)
endforeach()
