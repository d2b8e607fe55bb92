// warplens device: the GPUs that are known, with their peaks.
#include "warplens/gpu/device.h"

#include "warplens/base/text.h"
#include "warplens/cli/device_measure.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Cell positive(double value) { return value > 0 ? Cell{value} : Cell{}; }

Table devices_table() {
  Table table{{{"key", "--device"},
               {"name", "GPU"},
               {"arch", "arch"},
               {"sms", "SMs", Kind::kCount},
               {"boost_mhz", "MHz", Kind::kCount},
               {"fp32_tflops", "FP32 TFLOP/s", Kind::kNumber},
               {"fp64_tflops", "FP64", Kind::kNumber},
               {"tf32_tflops", "TF32", Kind::kNumber},
               {"half_tflops", "FP16/BF16", Kind::kNumber},
               {"fp8_tflops", "FP8", Kind::kNumber},
               {"dram_gbs", "DRAM GB/s", Kind::kNumber},
               {"l2_mb", "L2 MiB", Kind::kCount}},
              {}};
  for (const gpu::Device& d : gpu::all_devices()) {
    table.rows.push_back({std::string(d.key), std::string(d.name), std::string(d.arch), int64_t{d.sms},
                          int64_t{d.boost_mhz}, d.fp32_tflops, d.fp64_tflops, positive(d.tf32_tflops), d.half_tflops,
                          positive(d.fp8_tflops), d.dram_gbs, int64_t{d.l2_mb}});
  }
  return table;
}

Result<int> run_device(const Invocation& invocation) {
  if (invocation.operands.size() > 1)
    return usage_error(fmt::format("'{}': takes one subcommand, `list` or `measure`", invocation.operands[1]));
  const std::string what = invocation.operands.empty() ? "list" : invocation.operands[0];
  if (what == "measure") return device_measure(invocation);
  if (what != "list") return usage_error(fmt::format("device {}: the subcommands are `list` and `measure`", what));
  WL_TRY(invocation.emit(devices_table()));
  return kExitOk;
}

}  // namespace

extern const Verb kDevice;
const Verb kDevice = {
    "device",
    "list known GPUs and their peaks; measure the local GPU",
    "[list|measure]",
    "Peaks are dense, at the boost clock, from the data sheets. --device of other verbs takes the first column, or "
    "the GPU's full name. `measure` runs kernels for some seconds and stores the reached rates: memory, caches, "
    "arithmetic, tensor cores, launches.",
    {},
    {{"warplens device list", "every GPU and its peaks"},
     {"warplens device measure",
      "the rates that the local GPU "
      "reaches"}},
    run_device,
    {{"device measure", [](const Invocation& i) { return !i.operands.empty(); }, ""}}};

}  // namespace warplens::cli
