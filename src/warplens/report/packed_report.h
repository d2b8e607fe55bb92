// A report as bytes, for another process of the same build: what an emulated program counted reaches who started it.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/report/report.h"

namespace warplens::report {

std::string pack(KernelReport report);
/// Errors: cut short; of a GPU that this build does not know.
Result<KernelReport> unpack(std::string_view bytes);

}  // namespace warplens::report
