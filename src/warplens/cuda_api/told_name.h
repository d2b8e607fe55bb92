// A kernel's name in a message.
#pragma once
#include <string>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::cuda_api {

/// The short name of `kernel`, cut: names of templates can take thousands of characters.
inline std::string told_name(const std::string& kernel) {
  constexpr size_t kMost = 80;
  return ellipsis(short_name(kernel), kMost);
}

}  // namespace warplens::cuda_api
