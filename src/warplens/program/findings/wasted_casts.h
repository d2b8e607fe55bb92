// Conversions between 32 and 16 bits that no work needs.
#pragma once
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct WastedCasts {
  std::vector<uint32_t> events;     // indexes into Program::events of the conversions
  std::vector<uint32_t> operators;  // theirs
  Change change;                    // without them; work between two of them takes half the bytes
  bool undone = false;              // some convert to 32 bits, and others back
  bool by_rows = false;             // a softmax or a normalisation between computes in 32 bits inside
};

/// All conversions to 16 bits. A conversion to 32 bits is wasted if all work until one back also runs on 16 bits. The
/// one back is soon after, or in the backward pass.
WastedCasts wasted_casts(const Context& context);

}  // namespace warplens::findings
