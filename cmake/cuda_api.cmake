# The emulated CUDA runtime, under the name by which programs look for the real one; `warplens emulate` puts it first.
add_library(warplens_cudart SHARED $<TARGET_OBJECTS:warplens_cuda_api>)
target_link_libraries(warplens_cudart PRIVATE warplens_cuda_api)
target_link_options(warplens_cudart PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/cudart.map -Wl,--no-undefined
  -Wl,-u,InitializeInjectionNvtx2  # what NVTX and Python call in a library that is injected
  -Wl,-z,nodelete)  # its threads wait for work until the process ends
set_target_properties(warplens_cudart PROPERTIES
  OUTPUT_NAME cudart SOVERSION 13 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN:$ORIGIN/.." INSTALL_RPATH "$ORIGIN:$ORIGIN/../.." LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/cudart.map)

# The driver's name: all of its calls are in the library above, which this one brings along. Names of the C library that
# programs must find here are in this one, because they must not carry a version.
add_library(warplens_cuda SHARED ${CMAKE_SOURCE_DIR}/cmake/libcuda.cpp ${CMAKE_SOURCE_DIR}/cmake/device_files.cpp)
target_link_options(warplens_cuda PRIVATE -Wl,--no-as-needed -Wl,-z,initfirst)
target_include_directories(warplens_cuda PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(warplens_cuda PRIVATE warplens_cudart)
set_target_properties(warplens_cuda PROPERTIES
  OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
add_dependencies(warplens warplens_cudart warplens_cuda)

# The name of NVML, which asks what a GPU is and does, in the same way.
add_library(warplens_nvml SHARED ${CMAKE_SOURCE_DIR}/cmake/libnvidia-ml.cpp)
target_link_options(warplens_nvml PRIVATE -Wl,--no-as-needed)
target_link_libraries(warplens_nvml PRIVATE warplens_cudart)
set_target_properties(warplens_nvml PROPERTIES
  OUTPUT_NAME nvidia-ml SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
add_dependencies(warplens warplens_nvml)

# CUDA 12's runtime: its calls go on to 13's, whose names are read from the library itself; those that changed are translated.
set(names ${CMAKE_BINARY_DIR}/units/cudart12/cudart13_names.def)
add_custom_command(OUTPUT ${names} DEPENDS warplens_cudart ${CMAKE_SOURCE_DIR}/cmake/cudart13_names.cmake
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:warplens_cudart> -DOUT=${names}
          -P ${CMAKE_SOURCE_DIR}/cmake/cudart13_names.cmake)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/warplens/cudart12/same_calls.cpp PROPERTIES OBJECT_DEPENDS ${names})
target_include_directories(warplens_cudart12 PRIVATE ${CMAKE_BINARY_DIR}/units/cudart12)
target_sources(warplens_cudart12 PRIVATE ${names})
add_library(warplens_cudart_12 SHARED $<TARGET_OBJECTS:warplens_cudart12>)
target_link_libraries(warplens_cudart_12 PRIVATE warplens_cudart)
target_link_options(warplens_cudart_12 PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/cudart12.map -Wl,--no-undefined -Wl,-z,nodelete)
set_target_properties(warplens_cudart_12 PROPERTIES
  OUTPUT_NAME cudart SOVERSION 12 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda/12
  BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN/.." LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/cudart12.map)
add_dependencies(warplens warplens_cudart_12)

# nvcc looks for libcudart.so and libcuda.so; texts of the linker's, since a wheel cannot carry links.
file(WRITE ${CMAKE_BINARY_DIR}/cuda-link/libcudart.so "INPUT(libcudart.so.13)\n")
file(WRITE ${CMAKE_BINARY_DIR}/cuda-link/libcuda.so "INPUT(libcuda.so.1 libcudart.so.13)\n")
file(WRITE ${CMAKE_BINARY_DIR}/cuda-link/12/libcudart.so "INPUT(libcudart.so.12)\n")
foreach(component library python)
  install(TARGETS warplens_cudart warplens_cuda warplens_nvml LIBRARY DESTINATION lib/warplens/cuda COMPONENT ${component} NAMELINK_SKIP)
  install(TARGETS warplens_cudart_12 LIBRARY DESTINATION lib/warplens/cuda/12 COMPONENT ${component} NAMELINK_SKIP)
  install(FILES ${CMAKE_BINARY_DIR}/cuda-link/12/libcudart.so DESTINATION lib/warplens/cuda/12 COMPONENT ${component})
  install(FILES ${CMAKE_BINARY_DIR}/cuda-link/libcudart.so ${CMAKE_BINARY_DIR}/cuda-link/libcuda.so
    DESTINATION lib/warplens/cuda COMPONENT ${component})
endforeach()
