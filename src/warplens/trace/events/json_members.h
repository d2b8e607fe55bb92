// The members of a JSON object as they stand in its text.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace warplens {

/// Keys, escaped as they stand, without their quotes; and values. `object` is valid JSON and an object.
std::vector<std::pair<std::string_view, std::string_view>> json_members(std::string_view object);

}  // namespace warplens
