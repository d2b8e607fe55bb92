#include "warplens/cli/carried_ptx.h"

#include "warplens/base/files.h"
#include "warplens/base/process.h"
#include "warplens/isa/fatbin/choose.h"

namespace warplens::cli {

CarriedPtx::CarriedPtx(const std::string& program) {
  const std::string path = program.find('/') != std::string::npos ? program : find_program(program);
  if (Result<std::string> bytes = read_file(path); bytes.ok()) file_ = std::move(*bytes);
}

std::vector<report::PtxLine> CarriedPtx::kernel(std::string_view mangled, int cc) const {
  if (!fatbin::may_carry(file_)) return {};
  Result<std::vector<fatbin::Image>> images = fatbin::images_of_file(file_);
  return images.ok() ? report::ptx_listing(fatbin::ptx_texts(std::move(*images), cc), mangled)
                     : std::vector<report::PtxLine>();
}

}  // namespace warplens::cli
