# The Python package's tests, with the interpreter it was built for: pytest, torch and triton must be there (scripts/python_env.sh).
# A file is a test of its own, so that ctest spreads them over the cores; those that take minutes begin first.
file(GLOB python_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/tests/test_*.py)
foreach(test ${python_tests})
  get_filename_component(name ${test} NAME_WE)
  string(REGEX REPLACE "^test_" "python_" name ${name})
  add_test(NAME ${name} COMMAND ${Python_EXECUTABLE} -m pytest -q -p no:cacheprovider ${test})
  set_tests_properties(${name} PROPERTIES COST 50
                       ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python;TRITON_DEFAULT_FP_FUSION=1")
endforeach()
