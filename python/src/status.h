// Errors of the library as Python exceptions.
#pragma once
#include <nanobind/nanobind.h>

#include <stdexcept>

#include "warplens/base/status.h"

namespace warplens::python {

/// Raises FileNotFoundError, OSError, NotImplementedError, ValueError or RuntimeError, by the error's code.
[[noreturn]] inline void raise(const Status& status) {
  PyObject* type = PyExc_ValueError;
  switch (status.code()) {
    case ErrorCode::kNotFound: type = PyExc_FileNotFoundError; break;
    case ErrorCode::kIo: type = PyExc_OSError; break;
    case ErrorCode::kUnsupported: type = PyExc_NotImplementedError; break;
    case ErrorCode::kInternal: type = PyExc_RuntimeError; break;
    default: break;
  }
  PyErr_SetString(type, status.message().c_str());
  throw nanobind::python_error();
}

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) raise(result.status());
  return std::move(result).value();
}

inline void check(const Status& status) {
  if (!status.ok()) raise(status);
}

}  // namespace warplens::python
