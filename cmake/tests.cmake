# Unit tests stand beside their source as *_test.cpp; one program a room.
find_package(GTest REQUIRED)
include(GoogleTest)
# Where the checkout lies is compiled into one file, so that all other objects are the same in every checkout.
add_library(source_path STATIC tests/source_path.cpp)
target_compile_definitions(source_path PRIVATE WARPLENS_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_include_directories(source_path PUBLIC ${CMAKE_SOURCE_DIR})
foreach(layer ${WARPLENS_LAYERS})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/warplens/${WARPLENS_ROOM_${layer}}/*_test.cpp)
  if(tests)
    warplens_units(compiled ${layer}_test ${tests})
    add_executable(${layer}_test ${compiled})
    target_compile_options(${layer}_test PRIVATE $<$<CONFIG:Release>:-O0>)  # what they test is optimised; they need not be
    target_link_libraries(${layer}_test PRIVATE warplens_${layer} source_path GTest::gmock_main)
    add_test(NAME ${layer} COMMAND ${layer}_test)
    list(APPEND unit_tests ${layer})
  endif()
endforeach()

# NVIDIA's occupancy calculator, a header of the toolkit and of the CUDA runtime's wheel, is what gpu_test compares with.
file(GLOB wheel_includes ${CMAKE_SOURCE_DIR}/.venv/lib/python*/site-packages/nvidia/*/include)
find_path(CUDA_OCCUPANCY_INCLUDE cuda_occupancy.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include ${wheel_includes})
if(CUDA_OCCUPANCY_INCLUDE AND TARGET gpu_test)
  target_include_directories(gpu_test SYSTEM PRIVATE ${CUDA_OCCUPANCY_INCLUDE})
endif()

# CUPTI's headers, where the layouts of its records are compared with ours.
find_path(CUPTI_INCLUDE cupti.h HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_HOME}/extras/CUPTI/include /usr/local/cuda/include
          /usr/local/cuda/extras/CUPTI/include ${wheel_includes})
if(CUPTI_INCLUDE AND TARGET collect_test)
  target_include_directories(collect_test SYSTEM PRIVATE ${CUPTI_INCLUDE})
endif()

foreach(test isa_ptx_test report_test)
  if(TARGET ${test})
    target_link_libraries(${test} PRIVATE ZLIB::ZLIB)  # its data is compressed
  endif()
endforeach()

if(TEST bench)
  set_tests_properties(bench PROPERTIES RUN_SERIAL TRUE)  # it measures: who else works takes its threads' time
endif()

include(cmake/fuzz_replay.cmake)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_layers.py)
if(NOT WARPLENS_SANITIZE)  # whose code is not inlined; headers are the same with it
  add_test(NAME headers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_headers.py ${CMAKE_BINARY_DIR})
  add_test(NAME lane_objects COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_lanes.py ${CMAKE_BINARY_DIR})
endif()
add_test(NAME stories COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/stories.py --check)
add_test(NAME rooms COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/rooms.py --check)
add_test(NAME golden COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/golden.py $<TARGET_FILE:warplens>)
# `make check`: what a change should pass first, without packages of Python's. The longest begin first.
set_tests_properties(${unit_tests} layers stories rooms golden PROPERTIES LABELS check)
set_tests_properties(golden PROPERTIES COST 40)
list(TRANSFORM unit_tests APPEND _test)
add_custom_target(check DEPENDS warplens ${unit_tests})
# `make arm`: the whole program, unit tests of the rooms that run kernels, and the probe's kernels.
set_property(TEST simt run_ptx run_sass APPEND PROPERTY LABELS arm)
add_custom_target(arm DEPENDS warplens simt_test run_ptx_test run_sass_test)
set(program $<TARGET_FILE:warplens>)
if(CMAKE_CROSSCOMPILING)  # the tests start the program themselves
  set(program ${CMAKE_BINARY_DIR}/emulated_warplens)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  file(WRITE ${program} "#!/bin/sh\nexec ${emulator} ${CMAKE_BINARY_DIR}/warplens \"$@\"\n")
  file(CHMOD ${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()
# Whole-program tests in Python, standard library only: tests/*_test.py, each gets the program's path.
file(GLOB program_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*_test.py)
foreach(test ${program_tests})
  get_filename_component(name ${test} NAME_WE)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${test} ${program})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)  # what it needs is not here
endforeach()
set_property(TEST probe_test APPEND PROPERTY LABELS arm)
if(WARPLENS_SANITIZE)
  # Libraries are put into programs that lack the sanitizer's runtime, which must be loaded first there.
  string(SUBSTRING ${WARPLENS_SANITIZE} 0 1 letter)  # libasan, libtsan
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${letter}san.so OUTPUT_VARIABLE runtime
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set_tests_properties(count_replay_test golden package_test record_device_test record_test record_unchanged_test
                       PROPERTIES
                       ENVIRONMENT "LD_PRELOAD=${runtime};ASAN_OPTIONS=detect_leaks=0")
  set_tests_properties(find_package_test PROPERTIES ENVIRONMENT "LDFLAGS=-fsanitize=${WARPLENS_SANITIZE}")
  # These open a library that keeps its symbols to itself (RTLD_DEEPBIND), or start a compiler, which a sanitizer does not bear.
  set_tests_properties(checked_programs_test count_plan_test count_refusals_test emulate_check_test emulate_test tasks_test
                       PROPERTIES DISABLED TRUE)
endif()
