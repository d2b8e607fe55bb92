// Shapes of an operator's inputs as torch's own traces write them: "[[4, 8], []]", tensor lists as lists of their own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warplens/collect/bounded_text.h"

namespace warplens::collect {

using Sizes = std::vector<std::vector<int64_t>>;
inline constexpr size_t kLongestList = 30;  // torch writes longer ones as []

/// Finds the arguments of an operator that are tensor lists. PyTorch gives sizes either without lists ("[]") or with
/// their tensors in a row. Both answers for one call show the position of the lists, for all later calls.
struct ListArgument {
  static constexpr int kNone = -1, kSeveral = -2;
  int place = kNone;  // kSeveral: lists are written as []
  size_t arguments = 0;
  size_t lists = 1;  // from there on, of one length and equal shapes, as the _foreach operators take them
  static ListArgument find(const Sizes& without_lists, const Sizes& flattened);
};

void put_shape(BoundedText& text, std::span<const int64_t> shape);

/// Writes them to [begin, end). Returns the bytes written, 0 if they do not fit or there are none.
size_t put_sizes(const Sizes& sizes, ListArgument list, char* begin, char* end);

}  // namespace warplens::collect
