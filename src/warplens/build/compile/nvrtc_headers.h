// C and C++ headers that kernels include and NVRTC does not have.
#pragma once
#include <vector>

namespace warplens::compile {

/// Names and texts side by side, as nvrtcCreateProgram takes them.
struct ServedHeaders {
  std::vector<const char*> names, texts;
};

const ServedHeaders& served_headers();

}  // namespace warplens::compile
