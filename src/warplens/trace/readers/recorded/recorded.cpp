// Recordings of `warplens record`, finished or not.
#include "warplens/base/files.h"
#include "warplens/trace/profile/append.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/recorded/builder.h"

namespace warplens {
namespace {

Status read(Input& input, const ReadOptions&, Profile& profile) {
  WL_ASSIGN(const std::string bytes, input.read_all(Input::kAnySize));
  if (!input.damage().ok()) return input.damage().in(input.name());
  recorded::Builder builder(input.name());
  Result<stream::Damage> damage = stream::decode(bytes, builder);
  if (!damage.ok()) return damage.status().in(input.name());
  Profile rank = builder.finish(*damage);
  if (profile.ranks.size() == 0) {
    profile = std::move(rank);
  } else {
    if (rank.ranks.world_size[0] == 0) rank.ranks.rank.at(0) = static_cast<int32_t>(profile.ranks.size());
    append_profile(profile, rank);
  }
  return {};
}

}  // namespace

extern const TraceFormat kRecorded;
const TraceFormat kRecorded = {"warplens recordings (.wlens)", stream::sniff, read};

}  // namespace warplens
