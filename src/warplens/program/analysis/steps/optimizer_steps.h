// Where optimizers end steps.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// "Optimizer.step#AdamW.step", as PyTorch names it.
bool is_optimizer_step(std::string_view range);

/// When the host had updated the weights, once an iteration of the program's loop, in order. Calls with no backward
/// pass between them are one update. Of several optimizers that take turns (a GAN's two), the rarest ends the
/// iteration. Gradients accumulated over several passes make one update.
std::vector<int64_t> optimizer_step_ends(const Profile& profile, uint32_t rank);

}  // namespace warplens::analysis
