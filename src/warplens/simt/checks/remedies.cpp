#include "warplens/simt/checks/remedies.h"

#include <algorithm>
#include <array>

#include "warplens/simt/checks/words.h"

namespace warplens::simt {

size_t strength_of(std::string_view remedy) {
  const std::array weakest_first = {kOrdersWarp, what_orders(true), what_orders(false)};
  return static_cast<size_t>(std::ranges::find(weakest_first, remedy) - weakest_first.begin());
}

}  // namespace warplens::simt
