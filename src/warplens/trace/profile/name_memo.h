// Facts that follow from a name, computed once a name.
#pragma once
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "warplens/trace/profile/profile.h"

namespace warplens {

/// `judge(name)` for interned names: traces hold millions of events and a few thousand names.
template <typename Judge>
class NameMemo {
 public:
  using Value = std::invoke_result_t<Judge&, std::string_view>;

  NameMemo(const Profile& profile, Judge judge)
      : profile_(profile), judge_(std::move(judge)), known_(profile.strings.size()) {}

  Value operator()(StringId name) {
    std::optional<Value>& known = known_[static_cast<uint32_t>(name)];
    if (!known) known = judge_(profile_.text(name));
    return *known;
  }

 private:
  const Profile& profile_;
  Judge judge_;
  std::vector<std::optional<Value>> known_;
};

}  // namespace warplens
