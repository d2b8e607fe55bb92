# The emulated CUDA runtime, under the name by which programs look for the real one; `warplens emulate` puts it first.
add_library(warplens_cudart SHARED $<TARGET_OBJECTS:warplens_cuda_api>)
target_link_libraries(warplens_cudart PRIVATE warplens_cuda_api)
target_link_options(warplens_cudart PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/cudart.map -Wl,--no-undefined
  -Wl,-z,nodelete)  # its threads wait for work until the process ends
set_target_properties(warplens_cudart PROPERTIES
  OUTPUT_NAME cudart SOVERSION 13 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN:$ORIGIN/.." INSTALL_RPATH "$ORIGIN:$ORIGIN/../.." LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/cudart.map)

# The driver's name: all of its calls are in the library above, which this one brings along.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/units/libcuda.cpp
  CONTENT "extern \"C\" int warplens_emulates_the_driver() { return 1; }\n")
add_library(warplens_cuda SHARED ${CMAKE_BINARY_DIR}/units/libcuda.cpp)
target_link_options(warplens_cuda PRIVATE -Wl,--no-as-needed)
target_link_libraries(warplens_cuda PRIVATE warplens_cudart)
set_target_properties(warplens_cuda PROPERTIES
  OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
add_dependencies(warplens warplens_cudart warplens_cuda)

# nvcc looks for libcudart.so and libcuda.so; texts of the linker's, since a wheel cannot carry links.
file(WRITE ${CMAKE_BINARY_DIR}/cuda-link/libcudart.so "INPUT(libcudart.so.13)\n")
file(WRITE ${CMAKE_BINARY_DIR}/cuda-link/libcuda.so "INPUT(libcuda.so.1 libcudart.so.13)\n")
foreach(component library python)
  install(TARGETS warplens_cudart warplens_cuda LIBRARY DESTINATION lib/warplens/cuda COMPONENT ${component} NAMELINK_SKIP)
  install(FILES ${CMAKE_BINARY_DIR}/cuda-link/libcudart.so ${CMAKE_BINARY_DIR}/cuda-link/libcuda.so
    DESTINATION lib/warplens/cuda COMPONENT ${component})
endforeach()
