// Nsight Systems: what `nsys export --type sqlite` writes, of every schema since 2021.
#include "warplens/trace/profile/append.h"
#include "warplens/trace/readers/nsys/recording.h"
#include "warplens/trace/readers/sqlite/kinds.h"

namespace warplens {
namespace nsys {
namespace {

bool fits(const sqlite::Database& database) {
  if (!database.has("StringIds", "value")) return false;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS",
                            "META_DATA_EXPORT", "EXPORT_META_DATA", "ANALYSIS_DETAILS", "ProcessStreams", "OSRT_API"}) {
    if (database.has(table)) return true;
  }
  return false;
}

Status read(const sqlite::Database& database, const std::string& file, Profile& profile) {
  WL_ASSIGN(std::vector<Profile> ranks, Recording(database, file).read());
  for (Profile& rank : ranks) {
    if (profile.ranks.size() == 0) {
      profile = std::move(rank);
      continue;
    }
    if (rank.ranks.rank[0] == 0) rank.ranks.rank.at(0) = static_cast<int32_t>(profile.ranks.size());
    append_profile(profile, rank);
  }
  return {};
}

}  // namespace
}  // namespace nsys

namespace sqlite {
extern const Kind kNsys;
const Kind kNsys = {"Nsight Systems", nsys::fits, nsys::read};
}  // namespace sqlite

}  // namespace warplens
