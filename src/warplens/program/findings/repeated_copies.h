// Copies of one size to the device again and again within a step.
#pragma once
#include "warplens/program/findings/copies.h"

namespace warplens::findings {

struct RepeatedCopies {
  CopyGroup group;
  int64_t largest_bytes = 0;
  Change without;  // them, and what the host makes for them
};

RepeatedCopies repeated_copies(const Context& context);

}  // namespace warplens::findings
