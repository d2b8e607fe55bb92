# What each layer needs from outside.
set(fmt fmt::fmt)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(fmt fmt::fmt-header-only)  # clang looks for some of its templates by other names than GCC gave them in the library
endif()
target_link_libraries(warplens_base PUBLIC ${fmt} Threads::Threads PRIVATE simdjson::simdjson ${CMAKE_DL_LIBS})
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
target_compile_definitions(warplens_cli PUBLIC WARPLENS_VERSION="${PROJECT_VERSION}")
if(TARGET warplens_trace_readers)
  target_link_libraries(warplens_trace_readers PRIVATE ${ISAL_LIBRARY} ${ZSTD_LIBRARY} ${SQLITE_LIBRARY})
endif()
if(TARGET warplens_query)
  target_link_libraries(warplens_query PRIVATE ${SQLITE_LIBRARY} ${CMAKE_DL_LIBS})
endif()
if(TARGET warplens_isa_fatbin)
  target_link_libraries(warplens_isa_fatbin PRIVATE ${LZ4_LIBRARY} ${ZSTD_LIBRARY})
endif()

# What works on lanes, once for each instruction set; the best one here is chosen when the program runs.
set(lane_flags_avx2 -mavx2 -mfma -mbmi -mbmi2 -mf16c -mpopcnt -mlzcnt)
set(lane_flags_avx512 ${lane_flags_avx2} -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
foreach(layer simt run_ptx)
  if(NOT TARGET warplens_${layer})
    continue()
  endif()
  file(GLOB lane_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/warplens/${WARPLENS_ROOM_${layer}}/lanes/*.cpp)
  set_source_files_properties(${lane_sources} PROPERTIES COMPILE_OPTIONS
                              "${WARPLENS_HOT_LOOPS};-fno-math-errno;-fno-trapping-math;-ffp-contract=off")
  if(WARPLENS_X86_LANES AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    foreach(isa avx2 avx512)
      add_library(warplens_${layer}_${isa} OBJECT ${lane_sources})
      target_include_directories(warplens_${layer}_${isa} PRIVATE ${CMAKE_SOURCE_DIR}/src)
      target_link_libraries(warplens_${layer}_${isa} PRIVATE warplens_base)
      target_compile_options(warplens_${layer}_${isa} PRIVATE ${lane_flags_${isa}})
      target_compile_definitions(warplens_${layer}_${isa} PRIVATE WARPLENS_ISA_NAME=${isa})
      target_sources(warplens_${layer} PRIVATE $<TARGET_OBJECTS:warplens_${layer}_${isa}>)
    endforeach()
    target_compile_definitions(warplens_${layer} PRIVATE WARPLENS_X86_LANES)
  endif()
endforeach()

# Counting from machine code works on 32 lanes at a time; where the processor lacks AVX2 it is not used.
if(TARGET warplens_run_sass)
  set(sass_flags ${WARPLENS_HOT_LOOPS} -fno-math-errno -fno-trapping-math -ffp-contract=off)
  target_compile_options(warplens_run_sass PRIVATE ${sass_flags})
  target_compile_definitions(warplens_run_sass PRIVATE WARPLENS_ISA_NAME=machine_code)
  # Words written one by one and read back as pairs would wait for the stores.
  set_source_files_properties(src/warplens/run/sass/execution/run_warp.cpp src/warplens/run/sass/control/flow.cpp
                              src/warplens/run/sass/control/splits.cpp PROPERTIES COMPILE_OPTIONS
                              -fno-tree-slp-vectorize)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(warplens_run_sass PRIVATE -mavx2 -mfma -mbmi -mbmi2 -mpopcnt -mlzcnt)
  endif()
  if(WARPLENS_X86_LANES AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(sass_lane_sources
        arithmetic/integer arithmetic/integer_extremes arithmetic/logic arithmetic/lop3 arithmetic/floats
        arithmetic/pair_floats arithmetic/mixed_floats arithmetic/doubles arithmetic/convert arithmetic/half
        control/exchange matrix/matrix memory/atomics memory/atomic_apply memory/load_store memory/global)
    list(TRANSFORM sass_lane_sources PREPEND ${CMAKE_SOURCE_DIR}/src/warplens/run/sass/)
    list(TRANSFORM sass_lane_sources APPEND .cpp)
    warplens_units(compiled warplens_sass_avx512 ${sass_lane_sources})
    add_library(warplens_sass_avx512 OBJECT ${compiled})
    target_include_directories(warplens_sass_avx512 PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(warplens_sass_avx512 PRIVATE warplens_base)
    target_compile_options(warplens_sass_avx512 PRIVATE ${sass_flags} ${lane_flags_avx512})
    target_compile_definitions(warplens_sass_avx512 PRIVATE WARPLENS_ISA_NAME=machine_code_avx512)
    target_sources(warplens_run_sass PRIVATE $<TARGET_OBJECTS:warplens_sass_avx512>)
    target_compile_definitions(warplens_run_sass PRIVATE WARPLENS_X86_LANES)
  endif()
endif()
# Loops over whole columns: worth vectorising.
set_source_files_properties(src/warplens/trace/profile/native/check.cpp src/warplens/base/checksum.cpp PROPERTIES COMPILE_OPTIONS ${WARPLENS_HOT_LOOPS})

if(TARGET warplens_writers)
  target_link_libraries(warplens_writers PRIVATE ZLIB::ZLIB ${SQLITE_LIBRARY})
endif()
