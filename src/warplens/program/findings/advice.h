// Advice that fits the program: no PyTorch advice for other programs, no compiler if it ran already.
#pragma once
#include "warplens/program/findings/engine.h"

namespace warplens::findings {

enum class ProgramKind { kTorch, kCompiled, kElsewhere };

/// By the operators that were recorded: ATen's, and regions that torch.compile made.
ProgramKind kind_of(const Profile& profile);

/// Replaces advice about things that the program does not use, or uses already.
void fit_advice(ProgramKind kind, std::vector<Finding>& findings);

}  // namespace warplens::findings
