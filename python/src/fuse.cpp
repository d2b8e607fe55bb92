// A formula as one CUDA kernel.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "module.h"
#include "status.h"
#include "warplens/base/text.h"
#include "warplens/fuse/emit.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

/// Name, dtype ("f32"), shape.
using Array = std::tuple<std::string, std::string, std::vector<int64_t>>;

launch::DType dtype_named(const std::string& name) {
  const auto dtype = launch::find_dtype(name);
  if (!dtype) raise(invalid_input(fmt::format("no dtype '{}'; there are {}", name, launch::dtype_names())));
  return *dtype;
}

fuse::GeneratedKernel fuse(const std::string& text, const std::vector<Array>& inputs,
                           const std::vector<std::string>& output_dtypes) {
  const formula::Formula formula = take(formula::parse_formula(text));
  std::vector<formula::NamedShape> shapes;
  for (const auto& [name, dtype, shape] : inputs) shapes.push_back({name, shape});
  const formula::Graph graph = take(formula::build_graph(formula, shapes));
  std::vector<launch::DType> dtypes, out;
  for (const formula::NamedShape& input : graph.inputs)
    for (const auto& [name, dtype, shape] : inputs)
      if (name == input.name) dtypes.push_back(dtype_named(dtype));
  for (const std::string& name : output_dtypes) out.push_back(dtype_named(name));
  if (out.empty()) out.assign(graph.outputs.size(), fuse::promoted(dtypes));
  return take(fuse::emit_kernel(graph, dtypes, out, {}));
}

nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::typed<nb::list, int>>> arrays(
    const std::vector<fuse::Operand>& operands) {
  nb::list list;
  for (const fuse::Operand& operand : operands)
    list.append(nb::make_tuple(operand.name, launch::info(operand.dtype).name, operand.shape));
  return list;
}

}  // namespace

void bind_fuse(nb::module_& module) {
  nb::class_<fuse::GeneratedKernel>(module, "GeneratedKernel", "One CUDA kernel made from a formula.")
      .def_prop_ro("name", [](const fuse::GeneratedKernel& k) { return k.name; })
      .def_prop_ro(
          "source", [](const fuse::GeneratedKernel& k) { return k.source; }, "CUDA C++.")
      .def_prop_ro("grid", [](const fuse::GeneratedKernel& k) { return k.grid; })
      .def_prop_ro("block", [](const fuse::GeneratedKernel& k) { return k.block; })
      .def_prop_ro(
          "inputs", [](const fuse::GeneratedKernel& k) { return arrays(k.inputs); },
          "(name, dtype, shape), as the kernel takes them.")
      .def_prop_ro("outputs", [](const fuse::GeneratedKernel& k) { return arrays(k.outputs); })
      .def_prop_ro(
          "count", [](const fuse::GeneratedKernel& k) { return k.count; }, "Its last argument.")
      .def_prop_ro(
          "bytes", [](const fuse::GeneratedKernel& k) { return k.bytes; },
          "Inputs read once and outputs written once.");
  module.def("fuse", &fuse, "formula"_a, "inputs"_a, "output_dtypes"_a,
             "Raises ValueError with the place in the formula.");
}

}  // namespace warplens::python
