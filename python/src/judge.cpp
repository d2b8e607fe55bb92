// Of the library, what `warplens judge` needs: limits of a candidate's process, and names of kernels.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "module.h"
#include "status.h"
#include "warplens/base/confine.h"
#include "warplens/base/demangle.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {

void bind_judge(nb::module_& module) {
  module.def(
      "confine",
      [](std::vector<std::string> read, std::vector<std::string> write) {
        check(warplens::confine({.read = std::move(read), .data = {}, .write = std::move(write)}));
      },
      "read"_a, "write"_a,
      "From now on, this thread and what it starts can open only files below these paths. Raises NotImplementedError "
      "if the kernel lacks Landlock.");
  module.def("demangled", &warplens::demangled, "name"_a, "A kernel's name in C++, as recordings show it.");
}

}  // namespace warplens::python
