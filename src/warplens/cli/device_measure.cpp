#include "warplens/cli/device_measure.h"

#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {

Result<int> device_measure(const Invocation& invocation) {
  WL_ASSIGN(const std::unique_ptr<bench::GpuTimer> timer, bench::GpuTimer::open());
  WL_ASSIGN(const bench::MeasuredCeilings measured, bench::measure_ceilings(*timer));
  const std::string path = bench::ceilings_path(measured.environment.device);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  WL_TRY(write_file(path, bench::to_json(measured), true));
  tell("{}: kept in {}\n", measured.environment.device, path);
  if (invocation.format() == Format::kJson) WL_TRY(invocation.emit(bench::to_json(measured)));
  else WL_TRY(invocation.emit(bench::ceilings_table(measured)));
  return kExitOk;
}

}  // namespace warplens::cli
