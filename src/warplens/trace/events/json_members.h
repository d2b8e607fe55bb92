// The members of a JSON object, unparsed.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace warplens {

/// Keys, still escaped, without their quotes; and values. `object` is valid JSON and an object.
std::vector<std::pair<std::string_view, std::string_view>> json_members(std::string_view object);

}  // namespace warplens
