#include "module.h"

NB_MODULE(_core, module) {
  // Triton and torch keep compiled kernels until the interpreter ends: what is alive then is no leak of ours.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = WARPLENS_VERSION;
  warplens::python::bind_profile(module);
  warplens::python::bind_device(module);
  warplens::python::bind_compile(module);
  warplens::python::bind_emulator(module);
  warplens::python::bind_fuse(module);
  warplens::python::bind_tensor_map(module);
}
