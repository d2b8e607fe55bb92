// Why a kernel of a timeline takes its time, by that kernel's counters.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/json.h"

namespace warplens {

/// One of the kernels of a program's finding, with the results of counting that kernel.
struct CountedCause {
  std::string kernel, label;               // as the timeline names it, and as people say it
  std::array<int64_t, 3> grid{}, block{};  // as counted
  int64_t events = 0, device_ns = 0;       // in the timeline
  std::string joined_by;                   // "order", "shape" or "name"
  std::string ambiguous;                   // why other counted launches may belong to it instead; empty where none may
  double counted_ns = 0;                   // of the counted launch, by counters or by the model
  std::string counted_by;                  // "an H200 SXM" or "an emulated H200 SXM"
  std::string bound_by;                    // the unit or limit that holds the launch; empty where it is not known
  std::string id, title, advice;           // of the launch's first finding; empty if it has none
  std::optional<double> saving_fraction;   // of the launch, by that finding
  std::vector<std::string> where;          // its "file:line", most costly first
};

/// "scale (12 times, 1.2 ms): uncoalesced-access: ... at probe.cu:27; limited by L2 (counted by H200 SXM)".
std::string cause_text(const CountedCause& cause);

/// The member "kernels" of the object at hand.
void write_causes(json::Writer& writer, const std::vector<CountedCause>& causes);

}  // namespace warplens
