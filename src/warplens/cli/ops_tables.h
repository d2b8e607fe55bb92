// The tables of `warplens ops`: rows of the analyses as tables for people and for scripts.
#pragma once
#include <vector>

#include "warplens/output/table.h"
#include "warplens/program/analysis/operators/call_table.h"
#include "warplens/program/analysis/operators/cause_table.h"
#include "warplens/program/analysis/operators/operator_table.h"
#include "warplens/program/analysis/operators/patterns.h"
#include "warplens/program/analysis/operators/roofline.h"
#include "warplens/program/analysis/operators/torch_table.h"

namespace warplens::cli {

/// All fields under the names that scripts read.
Table full_table(const std::vector<analysis::TorchRow>& rows, bool with_stack);
Table full_table(const std::vector<analysis::OperatorRow>& rows);
/// The columns that have something to say, for people; shares are of `device_ns`, or of `cpu_ns` without a device.
Table brief_table(const std::vector<analysis::OperatorRow>& rows, int64_t device_ns, int64_t cpu_ns);
/// `for_people`: shapes and names shortened.
Table roofline_table(const Profile& profile, const std::vector<analysis::RooflineRow>& rows, bool for_people);
/// `for_people`: names shortened, long sequences cut.
Table pattern_table(const Profile& profile, const std::vector<analysis::KernelPattern>& patterns, int64_t device_ns,
                    bool for_people);
/// Shares are of the host time of all `rows`, which is that of the whole table.
Table call_rows(const std::vector<analysis::CallRow>& rows);
Table cause_rows(const analysis::CauseTable& causes, analysis::CauseBy by, bool for_people);

}  // namespace warplens::cli
