// CUDA C++ source text to PTX and cubin.
#include "warplens/build/compile/compile.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "module.h"
#include "status.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/build/compile/kernel_names.h"
#include "warplens/build/compile/toolkit.h"
#include "warplens/launch/signature.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

compile::Compiled compile_cuda(const std::string& source, const std::string& arch,
                               const std::vector<std::string>& options, const std::vector<std::string>& expressions) {
  Result<compile::Compiled> compiled = [&] {
    const nb::gil_scoped_release unlocked;
    return compile::compile({source, "", arch, options, expressions});
  }();
  return take(std::move(compiled));
}

nb::bytes assemble_ptx(const std::string& ptx, const std::string& arch, const std::vector<std::string>& options) {
  Result<compile::Assembled> assembled = [&] {
    const nb::gil_scoped_release unlocked;
    return compile::assemble(ptx, arch, options);
  }();
  const std::string cubin = take(std::move(assembled)).cubin;
  return nb::bytes(cubin.data(), cubin.size());
}

/// (type as written, whether it is a pointer, whether the kernel may write through it, its element type or "") of each
/// parameter; empty when neither the mangled name nor the source tells.
std::vector<std::tuple<std::string, bool, bool, std::string>> kernel_types(const std::string& kernel,
                                                                           const std::string& source) {
  std::vector<std::tuple<std::string, bool, bool, std::string>> out;
  for (const launch::ParameterType& type : launch::signature_of(kernel, source))
    out.emplace_back(type.written, type.pointer, type.writes, type.dtype ? launch::info(*type.dtype).name : "");
  return out;
}

/// The CUPTI of these folders, which is the one that this Python's packages load, else of the toolkits found; "" if
/// none.
std::string cupti_path(const std::vector<std::string>& python_folders) {
  const std::string own = compile::find_toolkit(python_folders).cupti;
  return own.empty() ? compile::toolkit().cupti : own;
}

}  // namespace

void bind_compile(nb::module_& module) {
  nb::class_<compile::Compiled>(module, "Compiled", "What the CUDA compiler made of a source.")
      .def_prop_ro("ptx", [](const compile::Compiled& c) { return c.ptx; })
      .def_prop_ro(
          "cubin", [](const compile::Compiled& c) { return nb::bytes(c.cubin.data(), c.cubin.size()); },
          "Empty after nvcc.")
      .def_prop_ro(
          "log", [](const compile::Compiled& c) { return c.log; }, "The compiler's warnings.")
      .def_prop_ro(
          "compiler", [](const compile::Compiled& c) { return c.compiler; }, "nvrtc or nvcc.")
      .def_prop_ro("cached", [](const compile::Compiled& c) { return c.cached; })
      .def(
          "kernel",
          [](const compile::Compiled& c, const std::string& name) {
            return take(compile::choose_kernel(compile::entry_names(c.ptx), name));
          },
          "name"_a, "The mangled name of the kernel that `name` means. Raises ValueError with those there are.");
  module.def("kernel_types", &kernel_types, "kernel"_a, "source"_a,
             "What the source says of each parameter: type, pointer, written through, element type.");
  module.def("compile_cuda", &compile_cuda, "source"_a, "arch"_a, "options"_a, "expressions"_a,
             "Compiles CUDA C++ (cached). Raises ValueError with the compiler's output.");
  module.def("assemble_ptx", &assemble_ptx, "ptx"_a, "arch"_a, "options"_a,
             "PTX to cubin (cached). Raises ValueError with the assembler's output.");
  module.def("cupti_path", &cupti_path, "folders"_a,
             "Where libcupti.so is: in `folders` (sys.path), else in a toolkit; or \"\".");
}

}  // namespace warplens::python
