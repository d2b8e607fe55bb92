// Host operators that take long without launching anything: which of them make data.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::analysis {

inline constexpr int64_t kLongOperatorNs = 100'000;  // an operator without launches this long makes data

/// Views, allocations, autograd's and a compiler's frames, collectives: they compute nothing. Where one takes long the
/// host was slow, held up or compiling, and its time is no input that another process could make.
bool only_arranges(std::string_view op);

}  // namespace warplens::analysis
