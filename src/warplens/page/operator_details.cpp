#include "warplens/page/operator_details.h"

#include "warplens/base/text.h"
#include "warplens/program/analysis/python_stack.h"

namespace warplens::page {
namespace {

constexpr size_t kFrames = 8;  // of a stack, the innermost of the user's code

}  // namespace

OperatorDetails::OperatorDetails(const Profile& profile, const analysis::Causes& causes)
    : p_(profile), causes_(causes), known_(profile.operators.size()) {
  if (profile.python_frames.size() == 0) return;
  frames_ = analysis::frame_forest(profile);
  frame_of_ = analysis::operator_frames(profile, frames_);
}

const std::string& OperatorDetails::of(uint32_t op) {
  if (known_[op].empty()) known_[op] = describe(op);
  return known_[op];
}

std::string OperatorDetails::stack(uint32_t cause) const {
  std::vector<std::string> out;
  if (!frame_of_.empty()) {
    uint32_t frame = analysis::enclosing_user_frame(p_, frames_, frame_of_[cause]);
    while (frame != kNone && out.size() < kFrames) {
      out.emplace_back(p_.text(p_.python_frames.name[frame]));
      frame = analysis::enclosing_user_frame(p_, frames_, frames_.parent[frame]);
    }
  }
  if (out.empty()) {
    for (const std::string_view text : split(p_.text(p_.operators.call_stack[cause]), ';')) {
      if (out.size() < kFrames && analysis::is_user_frame(text)) out.emplace_back(text);
    }
  }
  return join(out, ", called by ");
}

std::string OperatorDetails::describe(uint32_t op) const {
  std::string out;
  const auto line = [&](const char* name, std::string_view text) {
    if (!text.empty()) out += fmt::format("{}{}: {}", out.empty() ? "" : "\n", name, text);
  };
  const uint32_t cause = causes_.backward.cause[op];
  line("shapes", p_.text(p_.operators.input_shapes[op]));
  std::string module = frame_of_.empty() ? "" : analysis::module_path(p_, frames_, frame_of_[cause]);
  if (module.empty()) module = p_.text(p_.operators.module[cause]);
  line("module", module);
  if (causes_.backward.is_backward[op])
    line("pass", cause == op ? "backward" : fmt::format("backward of {}", p_.text(p_.operators.name[cause])));
  line("stack", stack(cause));
  return out;
}

}  // namespace warplens::page
