// Files of the checkout, for tests.
#pragma once
#include <string>
#include <string_view>

namespace warplens::tests {

/// The absolute path of `relative`, a path from the root of the checkout.
std::string source_path(std::string_view relative);

}  // namespace warplens::tests
