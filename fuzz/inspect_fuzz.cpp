// PTX and cubins counted, explained and written in every form.
#include <cstdint>
#include <cstdlib>

#include "warplens/base/json.h"
#include "warplens/inspect/count.h"
#include "warplens/inspect/render.h"
#include "warplens/isa/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warplens;
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  inspect::Report report;
  report.source = "fuzz";
  if (const auto cubin = cubin::read_cubin(bytes); cubin.ok()) inspect::count_sass(*cubin, report);
  else if (const auto module = ptx::parse(bytes, "fuzz"); module.ok())
    inspect::count_ptx(*module, std::string(bytes), report);
  else return 0;
  for (inspect::Kernel& kernel : report.kernels) inspect::explain(kernel);
  (void)inspect::to_text(report, {.lines = true, .width = 80});
  (void)inspect::to_table(report);
  if (!json::parse(inspect::to_json(report)).ok()) std::abort();
  return 0;
}
