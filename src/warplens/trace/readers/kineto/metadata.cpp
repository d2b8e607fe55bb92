// What a trace says beside its events: the devices, the rank, the time base.
#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/kineto/rank_builder.h"
#include "warplens/trace/readers/latest_time.h"

namespace warplens::kineto {

RankBuilder::RankBuilder(Profile& profile, const std::string& name)
    : profile_(profile), name_(name), rank_(static_cast<uint32_t>(profile.ranks.size())) {
  for_each_table(profile,
                 [&](const char* table_name, auto& table, const char*) { first_rows_[table_name] = table.size(); });
  append(profile.ranks, {.file = profile.strings.intern(name), .rank = static_cast<int32_t>(rank_)});
}

bool RankBuilder::is_empty() {
  bool empty = true;
  for_each_table(profile_, [&](std::string_view table_name, auto& table, const char*) {
    const bool of_events = table_name != "ranks" && table_name != "metadata" && table_name != "devices";
    empty = empty && !(of_events && table.size() > first_rows_[table_name]);
  });
  return empty;
}

void RankBuilder::add_metadata(std::string_view key, std::string_view value) {
  append(profile_.metadata,
         {.rank = rank_, .key = profile_.strings.intern(key), .value = profile_.strings.intern(value)});
  if (key == "deviceProperties") add_devices(value);
  if (key == "distributedInfo") add_distributed_info(value);
  if (key == "baseTimeNanoseconds") base_ns_ = parse_int(value).value_or(0);
  if (!is_time(base_ns_)) base_ns_ = 0;
}

void RankBuilder::add_devices(std::string_view json) {
  const Result<json::Value> parsed = json::parse(json);
  if (!parsed.ok() || parsed.value().array() == nullptr) return;
  for (const json::Value& device : *parsed.value().array()) {
    const auto number = [&](std::initializer_list<const char*> keys) -> int64_t {
      for (const char* key : keys) {
        if (const json::Value* found = device.find(key)) return found->integer().value_or(0);
      }
      return 0;
    };
    const auto small = [&](std::initializer_list<const char*> keys) { return static_cast<int32_t>(number(keys)); };
    const uint32_t row = device_row(small({"id"}));
    devices_table& table = profile_.devices;
    const json::Value* name = device.find("name");
    if (name != nullptr && name->string() != nullptr) table.name.at(row) = profile_.strings.intern(*name->string());
    table.memory_bytes.at(row) = number({"totalGlobalMem"});
    table.sm_count.at(row) = small({"numSms"});
    table.compute_major.at(row) = small({"computeMajor"});
    table.compute_minor.at(row) = small({"computeMinor"});
    table.max_threads_per_sm.at(row) = small({"maxThreadsPerMultiprocessor"});
    table.registers_per_sm.at(row) = small({"regsPerMultiprocessor", "regsPerBlock"});
    table.shared_bytes_per_sm.at(row) = small({"sharedMemPerMultiprocessor", "maxSharedMemoryPerMultiProcessor"});
    table.warp_size.at(row) = small({"warpSize"});
  }
}

void RankBuilder::describe_numbered_otherwise() {
  devices_table& table = profile_.devices;
  uint32_t described = kNone;
  for (const auto& [ordinal, row] : devices_) {
    if (table.name[row] == StringId::kEmpty) continue;
    if (described != kNone && table.name[row] != table.name[described]) return;
    described = row;
  }
  if (described == kNone) return;
  for (const auto& [ordinal, row] : devices_) {
    if (table.name[row] != StringId::kEmpty) continue;
    table.name.at(row) = table.name[described];
    table.memory_bytes.at(row) = table.memory_bytes[described];
    for (auto* column : {&table.sm_count, &table.compute_major, &table.compute_minor, &table.max_threads_per_sm,
                         &table.registers_per_sm, &table.shared_bytes_per_sm, &table.warp_size})
      column->at(row) = (*column)[described];
  }
}

void RankBuilder::add_distributed_info(std::string_view json) {
  const Result<json::Value> parsed = json::parse(json);
  if (!parsed.ok()) return;
  const auto number = [&](const char* key) {
    const json::Value* found = parsed.value().find(key);
    return found ? found->integer() : std::nullopt;
  };
  if (const auto rank = number("rank")) profile_.ranks.rank.at(rank_) = static_cast<int32_t>(*rank);
  if (const auto size = number("world_size")) profile_.ranks.world_size.at(rank_) = static_cast<int32_t>(*size);
}

}  // namespace warplens::kineto
