#include "warplens/trace/profile/append.h"

#include <string_view>
#include <vector>

namespace warplens {
namespace {

bool is_time(std::string_view column) {
  return column == "start_ns" || column == "time_ns" || column == "window_start_ns" || column == "window_end_ns";
}

struct Renumbering {
  std::vector<StringId> texts;
  uint32_t ranks, threads, devices, launch_configs, collectives;
  int64_t shift_ns;

  uint32_t offset(std::string_view column) const {
    if (column == "rank") return ranks;
    if (column == "thread") return threads;
    if (column == "device") return devices;
    return column == "launch_config" ? launch_configs : collectives;
  }

  template <typename T>
  void append(std::string_view name, Column<T>& to, const Column<T>& from) const {
    to.reserve(to.size() + from.size());
    for (const T value : from) {
      if constexpr (std::is_same_v<T, StringId>) to.push_back(texts[static_cast<uint32_t>(value)]);
      else if constexpr (std::is_same_v<T, uint32_t>) to.push_back(value == kNone ? kNone : value + offset(name));
      else if constexpr (std::is_same_v<T, int64_t>) to.push_back(value + (is_time(name) ? shift_ns : 0));
      else to.push_back(value);
    }
  }
};

}  // namespace

void append_profile(Profile& to, const Profile& from) {
  const auto size = [](const auto& table) { return static_cast<uint32_t>(table.size()); };
  Renumbering renumbering{{},
                          size(to.ranks),
                          size(to.threads),
                          size(to.devices),
                          size(to.launch_configs),
                          size(to.collectives),
                          from.base_ns - to.base_ns};
  for (uint32_t id = 0; id < from.strings.size(); ++id)
    renumbering.texts.push_back(to.strings.intern(from.strings[StringId{id}]));
#define WL_TABLE(name, first, what) \
  {                                 \
    auto& into = to.name;           \
    const auto& out_of = from.name;
#define WL_COLUMN(type, name, what) renumbering.append(#name, into.name, out_of.name);
#define WL_END() }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
  for (const IntegrityIssue& issue : from.integrity.issues())
    to.integrity.add(issue.id, issue.severity, issue.count, issue.detail, issue.advice);
}

}  // namespace warplens
