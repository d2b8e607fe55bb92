// The whole program: arguments in, exit code out.
#pragma once
#include <string>
#include <vector>

namespace warplens::cli {

int run(const std::vector<std::string>& arguments);

}  // namespace warplens::cli
