// The catalogue of GPUs.
#include "warplens/gpu/device.h"

#include <nanobind/stl/string.h>

#include "module.h"
#include "status.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {

void bind_device(nb::module_& module) {
  module.def(
      "device",
      [](const std::string& name) -> Record {
        const gpu::Device& device = *take(gpu::find_device(name));
        const gpu::Arch& arch = device.architecture();
        nb::dict out;
        out["key"] = device.key, out["name"] = device.name, out["arch"] = device.arch, out["cc"] = arch.cc();
        out["sms"] = device.sms, out["boost_mhz"] = device.boost_mhz, out["registers_per_sm"] = arch.registers_per_sm;
        out["threads_per_sm"] = arch.warps_per_sm * 32;
        out["subpartitions"] = arch.subpartitions;
        out["shared_optin_bytes"] = arch.shared_optin_bytes, out["shared_bytes_per_sm"] = arch.shared_bytes_per_sm;
        return out;
      },
      "name"_a, "A GPU of the catalogue. Raises ValueError or FileNotFoundError with the nearest name.");
}

}  // namespace warplens::python
