#include <algorithm>
#include <unordered_map>

#include "warplens/page/lanes.h"

namespace warplens::page {
namespace {

/// Of each row of `from` its row in `to`, which gets what it lacks.
std::vector<uint32_t> merged(const std::vector<std::string>& from, std::vector<std::string>* to) {
  std::unordered_map<std::string, uint32_t> known;
  for (uint32_t row = 0; row < to->size(); ++row) known.emplace((*to)[row], row);
  std::vector<uint32_t> out;
  for (const std::string& text : from) {
    const auto [at, is_new] = known.try_emplace(text, static_cast<uint32_t>(to->size()));
    if (is_new) to->push_back(text);
    out.push_back(at->second);
  }
  return out;
}

}  // namespace

Lanes beside(Lanes base, Lanes fresh) {
  const std::vector<uint32_t> texts = merged(fresh.texts, &base.texts), classes = merged(fresh.classes, &base.classes);
  const auto first = static_cast<uint32_t>(base.lanes.size());
  for (Lane& lane : base.lanes) lane.side = "base";
  for (Lane& lane : fresh.lanes) {
    lane.side = "new";
    for (uint32_t& row : lane.name_of) row = texts[row];
    for (uint32_t& row : lane.detail_of) row = texts[row];
    for (uint32_t& row : lane.class_of) row = classes[row];
    for (uint32_t& launch : lane.launch_lane) launch += launch > 0 ? first : 0;
    base.lanes.push_back(std::move(lane));
  }
  base.window_ns = std::max(base.window_ns, fresh.window_ns);
  return base;
}

}  // namespace warplens::page
