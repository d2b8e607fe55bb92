// Which code caused an operator: the Python frames and modules around it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

/// The innermost Python frame around each row of operators (row of python_frames, or kNone).
std::vector<uint32_t> operator_frames(const Profile& profile, const Forest& frames);

/// "nn.Module: Linear_3" -> "Linear_3"; empty for other frames.
std::string_view module_of_frame(std::string_view frame_name);

/// Whether a frame "file(line): function" belongs to the program or its model library rather than to torch, Python
/// itself or a builtin.
bool is_user_frame(std::string_view frame_name);

/// Answers for one frame, walking outwards; kNone if there is none.
uint32_t enclosing_module(const Profile& profile, const Forest& frames, uint32_t frame);
uint32_t enclosing_user_frame(const Profile& profile, const Forest& frames, uint32_t frame);

/// "GPT2LMHeadModel_0/GPT2Model_0/GPT2Block_3" for the modules around a frame; empty if there are none.
std::string module_path(const Profile& profile, const Forest& frames, uint32_t frame);

}  // namespace warplens::analysis
