// Emulated counters beside the hardware's, for every metric of both, with the reasons for differences.
#pragma once
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/output/table.h"
#include "warplens/report/report.h"

namespace warplens::report {

struct VerifiedMetric {
  std::string kernel;
  size_t launch = 0;  // of this kernel, from 0
  std::string metric;
  double emulated = 0, hardware = 0;
  Fidelity fidelity = Fidelity::kExact;  // of the emulated one
  /// (emulated - hardware) / hardware; infinite if the hardware counted nothing.
  double difference() const;
  bool equal() const { return emulated == hardware; }
  /// "equal"; "modelled": caches, clocks and time come from a model; "adjusted": counted on PTX; "arbitration": the
  /// hardware counts repeated attempts; "combined": it joins atomics on their way; "unexplained".
  const char* reason() const;
};

/// Metrics that both sides have, launch by launch: a kernel's launches are matched in their order. `hardware` is the
/// JSON of counted launches; it may have each launch several times in a row, of which the first counts. Error: they
/// have no launch in common.
Result<std::vector<VerifiedMetric>> verify(const json::Value& hardware,
                                           const std::vector<const KernelReport*>& emulated);

/// Whether `launches` of a saved report were counted by hardware.
bool is_hardware(const json::Value& report);

Table verify_table(const std::vector<VerifiedMetric>& metrics);
/// How many are equal, and how the others differ, by reason.
std::string verify_summary(const std::vector<VerifiedMetric>& metrics);

}  // namespace warplens::report
