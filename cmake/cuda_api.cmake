# The emulated CUDA runtime, under the name by which programs look for the real one; `warplens emulate` puts it first.
add_library(warplens_cudart SHARED $<TARGET_OBJECTS:warplens_cuda_api>)
target_link_libraries(warplens_cudart PRIVATE warplens_cuda_api)
target_link_options(warplens_cudart PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/cudart.map -Wl,--no-undefined
  -Wl,-z,nodelete)  # its threads wait for work until the process ends
set_target_properties(warplens_cudart PROPERTIES
  OUTPUT_NAME cudart SOVERSION 13 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN:$ORIGIN/.." INSTALL_RPATH "$ORIGIN:$ORIGIN/../.." LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/cudart.map)
add_dependencies(warplens warplens_cudart)
# nvcc -cudart shared looks for libcudart.so; a text of the linker's, since a wheel cannot carry a link.
file(WRITE ${CMAKE_BINARY_DIR}/cuda-link/libcudart.so "INPUT(libcudart.so.13)\n")
foreach(component library python)
  install(TARGETS warplens_cudart LIBRARY DESTINATION lib/warplens/cuda COMPONENT ${component} NAMELINK_SKIP)
  install(FILES ${CMAKE_BINARY_DIR}/cuda-link/libcudart.so DESTINATION lib/warplens/cuda COMPONENT ${component})
endforeach()
