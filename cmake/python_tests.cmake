# The Python package's tests, with the interpreter it was built for: pytest, torch and triton must be there (scripts/python_env.sh).
add_test(NAME python COMMAND ${Python_EXECUTABLE} -m pytest -q ${CMAKE_SOURCE_DIR}/python/tests)
set_tests_properties(python PROPERTIES ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python;TRITON_DEFAULT_FP_FUSION=1")
