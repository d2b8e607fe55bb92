#include "warplens/collect/torch_shapes.h"

#include <algorithm>

namespace warplens::collect {
namespace {

void put_list(BoundedText& text, const Sizes& sizes, size_t first, size_t count) {
  text.put('[');
  for (size_t i = 0; i < count; ++i) {
    text.separate(i);
    put_shape(text, sizes[first + i]);
  }
  text.put(']');
}

/// Whether `lists` arguments from `place` on can be tensor lists: all else is as it is without them, and lists are
/// alike.
bool can_be_lists(const Sizes& without_lists, const Sizes& flattened, size_t place, size_t lists) {
  const size_t others = without_lists.size() - lists;
  if (flattened.size() < others || (flattened.size() - others) % lists != 0) return false;
  const auto length = static_cast<std::ptrdiff_t>((flattened.size() - others) / lists);
  const auto first = static_cast<std::ptrdiff_t>(place), count = static_cast<std::ptrdiff_t>(lists);
  const auto list = flattened.begin() + first;
  bool good = std::equal(without_lists.begin(), without_lists.begin() + first, flattened.begin()) &&
              std::equal(without_lists.begin() + first + count, without_lists.end(), list + count * length);
  for (std::ptrdiff_t i = 0; good && i < count; ++i)
    good = without_lists[place + static_cast<size_t>(i)].empty() && std::equal(list, list + length, list + i * length);
  return good;
}

}  // namespace

ListArgument ListArgument::find(const Sizes& without_lists, const Sizes& flattened) {
  const size_t arguments = without_lists.size();
  if (without_lists == flattened) return {kNone, arguments};
  for (size_t lists = 1; lists <= arguments; ++lists) {
    for (size_t place = 0; place + lists <= arguments; ++place) {
      if (can_be_lists(without_lists, flattened, place, lists)) return {static_cast<int>(place), arguments, lists};
    }
  }
  return {kSeveral, arguments};
}

void put_shape(BoundedText& text, std::span<const int64_t> shape) {
  text.put('[');
  for (size_t i = 0; i < shape.size(); ++i) {
    text.separate(i);
    text.number(shape[i]);
  }
  text.put(']');
}

size_t put_sizes(const Sizes& sizes, ListArgument list, char* begin, char* end) {
  if (sizes.empty()) return 0;
  const size_t others = list.arguments - list.lists, in_lists = sizes.size() - others;
  const bool has_list = list.place >= 0 && sizes.size() >= others && in_lists % list.lists == 0;
  const auto place = static_cast<size_t>(list.place);
  const size_t arguments = has_list ? list.arguments : sizes.size(), length = in_lists / list.lists;
  BoundedText text(begin, end);
  size_t next = 0;
  text.put('[');
  for (size_t i = 0; i < arguments; ++i) {
    text.separate(i);
    if (!has_list || i < place || i >= place + list.lists) {
      put_shape(text, sizes[next++]);
      continue;
    }
    put_list(text, sizes, next, length > kLongestList ? 0 : length);
    next += length;
  }
  text.put(']');
  return text.bytes();
}

}  // namespace warplens::collect
