# Stand-ins for the libraries above the CUDA runtime, under the names by which programs look for NVIDIA's.

# The part that they share, once: queueing, arithmetic and time models. Programs see none of its names.
set(map ${CMAKE_SOURCE_DIR}/cmake/stand_ins.map)
add_library(warplens_stand_ins SHARED $<TARGET_OBJECTS:warplens_libraries_queue> $<TARGET_OBJECTS:warplens_libraries_math>
            $<TARGET_OBJECTS:warplens_libraries_time>)
target_link_libraries(warplens_stand_ins PRIVATE warplens_cudart warplens_gpu warplens_model warplens_simt warplens_base
                      ${CMAKE_DL_LIBS})
target_link_options(warplens_stand_ins PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined -Wl,-z,nodelete)
set_target_properties(warplens_stand_ins PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
  BUILD_RPATH "$ORIGIN:$ORIGIN/.." INSTALL_RPATH "$ORIGIN:$ORIGIN/../.." LINK_DEPENDS ${map})

# warplens_stand_in(cublas 13): libcublas.so.13 of the room libraries/cublas, its functions of that version.
function(warplens_stand_in name version)
  set(soname lib${name}.so.${version})
  string(TOLOWER ${name} room)
  set(map ${CMAKE_BINARY_DIR}/units/${soname}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${soname} { global: ${name}*; local: *; };\n" @ONLY)
  set(target warplens_stand_in_${room})
  add_library(${target} SHARED $<TARGET_OBJECTS:warplens_libraries_${room}>)
  target_link_libraries(${target} PRIVATE warplens_cudart warplens_stand_ins warplens_collect warplens_gpu warplens_base)
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
warplens_stand_in(cusparseLt 0)
warplens_stand_in(cupti 13)
warplens_stand_in(nccl 2)
foreach(component library python)
  install(TARGETS warplens_stand_ins LIBRARY DESTINATION lib/warplens/cuda COMPONENT ${component})
endforeach()
