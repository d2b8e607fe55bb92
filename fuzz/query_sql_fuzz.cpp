// SQL over a small profile: whatever it says, an answer or an error, within its limits.
#include "warplens/query/sql/session.h"

namespace {

warplens::Profile make_profile() {
  using namespace warplens;
  Profile p;
  append(p.ranks, {.file = p.strings.intern("a"), .rank = 0, .world_size = 1});
  append(p.threads, {.rank = 0, .process = p.strings.intern("1"), .thread = p.strings.intern("1")});
  append(p.devices, {.rank = 0, .ordinal = 0, .name = p.strings.intern("GPU")});
  for (int64_t i = 0; i < 40; ++i) {
    const StringId name = p.strings.intern(i % 3 == 0 ? "a" : "b'\"\n");
    append(p.operators, {.start_ns = i * 10, .duration_ns = 8, .name = name, .external_id = i + 1});
    append(p.calls,
           {.start_ns = i * 10 + 1, .duration_ns = 2, .name = name, .correlation = i + 1, .external_id = i + 1});
    append(p.device_events, {.start_ns = i * 11,
                             .duration_ns = i,
                             .name = name,
                             .correlation = i + 1,
                             .launch_config = kNone,
                             .collective = kNone});
  }
  return p;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const warplens::Profile profile = make_profile();
  static const auto session = warplens::query::Session::open(profile);  // for all questions, as in the shell
  if (!session.ok()) __builtin_trap();
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  const auto answer = session.value()->run(sql, {.rows = 1000, .time_ns = 20'000'000, .memory_bytes = 64 << 20});
  if (answer.ok()) warplens::query::table_of(*answer, 0, answer->rows);
  return 0;
}
