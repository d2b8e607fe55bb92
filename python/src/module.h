// What each file of the extension adds to it.
#pragma once
#include <nanobind/nanobind.h>

namespace warplens::python {

/// dict[str, Any] and a list of them.
using Record = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;
using Records = nanobind::typed<nanobind::list, Record>;

void bind_query(nanobind::module_& module);
void bind_profile(nanobind::module_& module);
void bind_device(nanobind::module_& module);
void bind_compile(nanobind::module_& module);
void bind_emulator(nanobind::module_& module);
void bind_fuse(nanobind::module_& module);
void bind_tensor_map(nanobind::module_& module);
void bind_bench(nanobind::module_& module);
void bind_results(nanobind::module_& module);
void bind_gpu(nanobind::module_& module);
void bind_judge(nanobind::module_& module);

}  // namespace warplens::python
