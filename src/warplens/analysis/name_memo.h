// A yes or no about names, asked once a name.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "warplens/profile/profile.h"

namespace warplens::analysis {

/// `test(name)` for interned names: traces hold millions of events and a few thousand names.
template <typename Test>
class NameMemo {
 public:
  NameMemo(const Profile& profile, Test test)
      : profile_(profile), test_(std::move(test)), known_(profile.strings.size(), kUnknown) {}

  bool operator()(StringId name) {
    uint8_t& known = known_[static_cast<uint32_t>(name)];
    if (known == kUnknown) known = test_(profile_.text(name));
    return known != 0;
  }

 private:
  static constexpr uint8_t kUnknown = 255;
  const Profile& profile_;
  Test test_;
  std::vector<uint8_t> known_;
};

}  // namespace warplens::analysis
