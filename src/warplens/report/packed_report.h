// A report as bytes, for another process of the same build: an emulated program sends its counts to its parent.
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
