# Stand-ins for the libraries above the CUDA runtime, under the names by which programs look for NVIDIA's.
# warplens_stand_in(cublas 13): libcublas.so.13 of the room libraries/cublas, its functions of that version.
function(warplens_stand_in name version)
  set(soname lib${name}.so.${version})
  string(TOLOWER ${name} room)
  set(map ${CMAKE_BINARY_DIR}/units/${soname}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${soname} { global: ${name}*; local: *; };\n" @ONLY)
  set(target warplens_stand_in_${room})
  add_library(${target} SHARED $<TARGET_OBJECTS:warplens_libraries_${room}> $<TARGET_OBJECTS:warplens_libraries_queue>)
  target_link_libraries(${target} PRIVATE warplens_cudart warplens_libraries_math warplens_libraries_time warplens_gpu
                        warplens_collect warplens_base ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined -Wl,-z,nodelete)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} SOVERSION ${version} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
    BUILD_RPATH "$ORIGIN:$ORIGIN/.." INSTALL_RPATH "$ORIGIN:$ORIGIN/../.." LINK_DEPENDS ${map})
  add_dependencies(warplens ${target})
  foreach(component library python)
    install(TARGETS ${target} LIBRARY DESTINATION lib/warplens/cuda COMPONENT ${component} NAMELINK_SKIP)
  endforeach()
endfunction()

target_compile_options(warplens_libraries_math PRIVATE ${WARPLENS_HOT_LOOPS})
warplens_stand_in(cublas 13)
warplens_stand_in(cublasLt 13)
warplens_stand_in(cudnn 9)
warplens_stand_in(cufft 12)
warplens_stand_in(curand 10)
warplens_stand_in(cusolver 12)
warplens_stand_in(cusparse 12)
warplens_stand_in(cupti 13)
warplens_stand_in(nccl 2)
