// Shapes of an operator's inputs as torch's own traces write them: "[[4, 8], []]", tensor lists as lists of their own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warplens::collect {

using Sizes = std::vector<std::vector<int64_t>>;

/// Which argument of an operator is a tensor list. PyTorch gives sizes with lists left out ("[]") or with their tensors
/// in a row; what both say of one call tells where the list stands, for all later ones.
struct ListArgument {
  static constexpr int kNone = -1, kSeveral = -2;
  int place = kNone;  // kSeveral: lists are written as []
  size_t arguments = 0;
  static ListArgument find(const Sizes& without_lists, const Sizes& flattened);
};

/// Writes them to [begin, end); the bytes written, 0 where they do not fit and where there are none.
size_t put_sizes(const Sizes& sizes, ListArgument list, char* begin, char* end);

}  // namespace warplens::collect
