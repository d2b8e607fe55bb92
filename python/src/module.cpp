#include "module.h"

#include "warplens/output/terminal.h"

NB_MODULE(_core, module) {
  // Triton and torch keep compiled kernels until the interpreter ends: what is alive then is no leak of ours.
  nanobind::set_leak_warnings(false);
  warplens::set_color("never");  // texts may go anywhere, into notebooks and logs
  module.attr("VERSION") = WARPLENS_VERSION;
  warplens::python::bind_query(module);
  warplens::python::bind_profile(module);
  warplens::python::bind_device(module);
  warplens::python::bind_compile(module);
  warplens::python::bind_emulator(module);
  warplens::python::bind_fuse(module);
  warplens::python::bind_tensor_map(module);
  warplens::python::bind_bench(module);
  warplens::python::bind_results(module);
  warplens::python::bind_gpu(module);
  warplens::python::bind_judge(module);
}
