#include "warplens/program/analysis/python_stack.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

constexpr std::string_view kModule = "nn.Module: ";

/// The parts of Python's library that call back into user code; the profiler writes them without their folder.
constexpr std::array<std::string_view, 16> kStandardLibrary = {
    "asyncio",         "collections",  "concurrent", "contextlib.py", "copy.py",  "dataclasses.py",
    "enum.py",         "functools.py", "importlib",  "inspect.py",    "queue.py", "runpy.py",
    "multiprocessing", "threading.py", "typing.py",  "weakref.py"};

}  // namespace

std::vector<uint32_t> operator_frames(const Profile& profile, const Forest& frames) {
  const auto& ops = profile.operators;
  const auto& t = profile.python_frames;
  std::vector<uint32_t> out(ops.size(), kNone);
  if (t.size() == 0) return out;
  for (size_t row = 0; row < out.size(); ++row) {
    out[row] = innermost_at(frames, t.start_ns.values(), t.duration_ns.values(), ops.thread[row], ops.start_ns[row]);
  }
  return out;
}

std::string_view module_of_frame(std::string_view frame_name) {
  return frame_name.starts_with(kModule) ? frame_name.substr(kModule.size()) : std::string_view();
}

bool is_user_frame(std::string_view frame_name) {
  const size_t line = frame_name.find("): ");
  if (line == std::string_view::npos || frame_name.starts_with('<')) return false;
  const std::string_view file = frame_name.substr(0, frame_name.rfind('(', line));
  if (file.starts_with("torch/") || contains(file, "/torch/") || contains(file, "lib/python")) return false;
  return std::find(kStandardLibrary.begin(), kStandardLibrary.end(), file.substr(0, file.find('/'))) ==
         kStandardLibrary.end();
}

uint32_t enclosing_module(const Profile& profile, const Forest& frames, uint32_t frame) {
  while (frame != kNone && module_of_frame(profile.text(profile.python_frames.name[frame])).empty())
    frame = frames.parent[frame];
  return frame;
}

uint32_t enclosing_user_frame(const Profile& profile, const Forest& frames, uint32_t frame) {
  while (frame != kNone && !is_user_frame(profile.text(profile.python_frames.name[frame])))
    frame = frames.parent[frame];
  return frame;
}

std::string module_path(const Profile& profile, const Forest& frames, uint32_t frame) {
  std::string path;
  for (uint32_t at = enclosing_module(profile, frames, frame); at != kNone;
       at = enclosing_module(profile, frames, frames.parent[at])) {
    const std::string name(module_of_frame(profile.text(profile.python_frames.name[at])));
    path = path.empty() ? name : name + "/" + path;
  }
  return path;
}

}  // namespace warplens::analysis
