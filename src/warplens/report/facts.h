// Facts of a report, a line each.
#pragma once
#include <string>
#include <vector>

#include "warplens/report/measured.h"

namespace warplens::report {

/// A line of a report for people: "name: text", or "name text" where the text continues from the name.
struct Fact {
  std::string name, text;
  bool colon = true;
};
/// Each on a line of its own, two columns in.
std::string lines_of(const std::vector<Fact>& facts);

std::vector<Fact> measured_facts(const Measured& measured);

}  // namespace warplens::report
