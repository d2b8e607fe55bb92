#include "warplens/trace/profile/checks/cuts.h"

#include "warplens/base/json.h"
#include "warplens/base/text.h"

namespace warplens::checks {

void check_cut(const Profile& profile, const RankRows& rows, Integrity& out) {
  for (size_t i = 0; i < profile.metadata.size(); ++i) {
    if (profile.metadata.rank[i] != rows.rank || profile.text(profile.metadata.key[i]) != kCutKey) continue;
    const Result<json::Value> note = json::parse(profile.text(profile.metadata.value[i]));
    if (!note.ok()) continue;
    const json::Value *to = note.value().find("to"), *left_out = note.value().find("left_out");
    if (to == nullptr || !to->string() || left_out == nullptr || !left_out->integer()) continue;
    out.add("left-out-by-the-cut", Severity::kInfo, *left_out->integer(),
            fmt::format("cut to {}: {} events are left out", *to->string(), *left_out->integer()),
            "everything below covers only this part");
  }
}

}  // namespace warplens::checks
