// Chunks into the profile: columns are appended, with references to strings and to other tables' rows renumbered.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/trace/readers/kineto/rank_builder.h"

namespace warplens::kineto {
namespace {

std::vector<StringId> merge_texts(const Chunk& chunk, Strings& strings) {
  std::vector<StringId>& merged = chunk.pool->merged;
  std::vector<StringId> ids = {StringId::kEmpty};
  ids.reserve(chunk.texts.size() + 1);
  for (const UsedText& used : chunk.texts) {
    if (used.number >= merged.size())
      merged.resize(std::max<size_t>(used.number + 1, merged.size() * 2), StringId::kEmpty);
    if (merged[used.number] == StringId::kEmpty) merged[used.number] = strings.intern(used.text);
    ids.push_back(merged[used.number]);
  }
  return ids;
}

template <typename T, typename Renumber>
void append_renumbered(Column<T>& to, const Column<T>& from, Renumber&& renumber) {
  T* out = to.extend(from.size());
  for (const T value : from) *out++ = renumber(value);
}

}  // namespace

void RankBuilder::merge(Chunk& chunk) {
  const std::vector<StringId> texts = merge_texts(chunk, profile_.strings);
  const std::vector<uint32_t> threads = merge_threads(chunk, texts);
  const std::vector<uint32_t> configs = merge_launch_configs(chunk);
  const auto first_collective = static_cast<uint32_t>(profile_.collectives.size());
  merge_marks(chunk, texts, threads, configs);
  note_damage(chunk);

  const auto text = [&](StringId id) { return texts[static_cast<uint32_t>(id)]; };
  const auto thread = [&](uint32_t row) { return threads[row]; };
  const auto config = [&](uint32_t row) { return row == kNone ? kNone : configs[row]; };
  const auto collective = [&](uint32_t row) { return row == kNone ? kNone : first_collective + row; };
  const auto device = [&](uint32_t ordinal) { return device_row(static_cast<int32_t>(ordinal)); };
  const auto column = [&]<typename T>(std::string_view name, Column<T>& to, const Column<T>& from) {
    if constexpr (std::is_same_v<T, StringId>) {
      append_renumbered(to, from, text);
    } else if constexpr (std::is_same_v<T, uint32_t>) {
      if (name == "thread") append_renumbered(to, from, thread);
      else if (name == "device") append_renumbered(to, from, device);
      else if (name == "launch_config") append_renumbered(to, from, config);
      else append_renumbered(to, from, collective);
    } else {
      to.append(from.values());
    }
  };
#define WL_TABLE(table, first, what) \
  {                                  \
    auto& to = profile_.table;       \
    const auto& from = chunk.tables.table;
#define WL_COLUMN(type, name, what) column(#name, to.name, from.name);
#define WL_END() }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
}

std::vector<uint32_t> RankBuilder::merge_threads(const Chunk& chunk, const std::vector<StringId>& texts) {
  std::vector<uint32_t> rows;
  for (const ThreadKey& local : chunk.threads) {
    const ThreadKey key{texts[static_cast<uint32_t>(local.process)], texts[static_cast<uint32_t>(local.thread)]};
    const auto [found, is_new] = threads_.try_emplace(key, static_cast<uint32_t>(profile_.threads.size()));
    if (is_new) append(profile_.threads, {.rank = rank_, .process = key.process, .thread = key.thread});
    rows.push_back(found->second);
  }
  return rows;
}

std::vector<uint32_t> RankBuilder::merge_launch_configs(Chunk& chunk) {
  std::vector<uint32_t> rows;
  const launch_configs_table from = std::exchange(chunk.tables.launch_configs, {});
  for (size_t i = 0; i < from.size(); ++i) {
    const launch_configs_row config = row_of(from, i);
    const auto [found, is_new] = configs_.try_emplace(config, static_cast<uint32_t>(profile_.launch_configs.size()));
    if (is_new) append(profile_.launch_configs, config);
    rows.push_back(found->second);
  }
  return rows;
}

void RankBuilder::merge_marks(const Chunk& chunk, const std::vector<StringId>& texts,
                              const std::vector<uint32_t>& threads, const std::vector<uint32_t>& configs) {
  for (SpanMark mark : chunk.spans) {
    mark.thread = threads[mark.thread];
    if (!mark.is_end) mark.row += span_columns(profile_, mark.table).starts.size();
    spans_.push_back(mark);
  }
  for (const NameMark& mark : chunk.names)
    names_.push_back(
        {{texts[static_cast<uint32_t>(mark.thread.process)], texts[static_cast<uint32_t>(mark.thread.thread)]},
         mark.of_process,
         texts[static_cast<uint32_t>(mark.name)]});
  for (LaunchMark mark : chunk.launches) {
    mark.launch_config = configs[mark.launch_config];
    launches_.push_back(mark);
  }
}

void RankBuilder::note_damage(const Chunk& chunk) {
  events_ += chunk.events;
  Integrity& integrity = profile_.integrity;
  if (chunk.syntax.count > 0)
    integrity.add("invalid-json", Severity::kWarning, chunk.syntax.count,
                  fmt::format("{}: events that are not valid JSON were skipped; the first breaks at byte {}, at `{}`",
                              name_, chunk.syntax.first_offset, chunk.syntax.what),
                  "record again with a newer PyTorch, or repair the file at that byte");
  if (chunk.unusable.count > 0)
    integrity.add(
        "unusable-events", Severity::kWarning, chunk.unusable.count,
        fmt::format("{}: events without a name, phase or valid time were skipped; the first is at byte {}: `{}`", name_,
                    chunk.unusable.first_offset, chunk.unusable.what),
        "check the program that wrote the trace");
  if (chunk.repaired_texts > 0)
    integrity.add("invalid-utf8", Severity::kInfo, chunk.repaired_texts,
                  name_ + ": texts that are not UTF-8; the wrong bytes are shown as U+FFFD",
                  "nothing to do: only those bytes are lost");
  if (chunk.negative_durations > 0)
    integrity.add("negative-durations", Severity::kWarning, chunk.negative_durations,
                  name_ + ": events that end before they begin; they count as 0 ns",
                  "their times are lost; record again");
}

uint32_t RankBuilder::device_row(int32_t ordinal) {
  if (last_device_ != kNone && ordinal == last_ordinal_) return last_device_;
  const auto [found, is_new] = devices_.try_emplace(ordinal, static_cast<uint32_t>(profile_.devices.size()));
  if (is_new) append(profile_.devices, {.rank = rank_, .ordinal = ordinal});
  last_ordinal_ = ordinal;
  return last_device_ = found->second;
}

SpanColumns span_columns(Tables& tables, SpanTable table) {
  switch (table) {
    case SpanTable::kOperators: return {"operators", tables.operators.start_ns, tables.operators.duration_ns};
    case SpanTable::kCalls: return {"calls", tables.calls.start_ns, tables.calls.duration_ns};
    case SpanTable::kDeviceEvents:
      return {"device_events", tables.device_events.start_ns, tables.device_events.duration_ns};
    case SpanTable::kSynchronizations:
      return {"synchronizations", tables.synchronizations.start_ns, tables.synchronizations.duration_ns};
    case SpanTable::kPythonFrames:
      return {"python_frames", tables.python_frames.start_ns, tables.python_frames.duration_ns};
    case SpanTable::kOverheads: return {"overheads", tables.overheads.start_ns, tables.overheads.duration_ns};
    case SpanTable::kOther: break;
  }
  return {"other_events", tables.other_events.start_ns, tables.other_events.duration_ns};
}

}  // namespace warplens::kineto
