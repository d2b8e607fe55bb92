#include "warplens/program/analysis/cut/keep.h"

#include <algorithm>
#include <type_traits>

namespace warplens::analysis {
namespace {

/// The new number of each row that stays.
std::vector<uint32_t> numbers_of(const std::vector<bool>& keep) {
  std::vector<uint32_t> out;
  uint32_t next = 0;
  for (const bool stays : keep) out.push_back(stays ? next++ : kNone);
  return out;
}

bool all(const std::vector<bool>& keep) { return std::find(keep.begin(), keep.end(), false) == keep.end(); }

std::vector<bool> with_rank(const Column<uint32_t>& ranks, const std::vector<bool>& keep) {
  std::vector<bool> out;
  for (const uint32_t rank : ranks) out.push_back(keep[rank]);
  return out;
}

/// In every table: the column `name`, which holds row numbers.
void renumber(Profile& profile, std::string_view name, const std::vector<uint32_t>& numbers) {
  for_each_table(profile, [&](std::string_view, auto& table, const char*) {
    for_each_column(table, [&](std::string_view column_name, auto& column, const char*) {
      if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Column<uint32_t>>) {
        if (column_name != name) return;
        for (size_t row = 0; row < column.size(); ++row) {
          if (column[row] != kNone) column.at(row) = numbers[column[row]];
        }
      }
    });
  });
}

}  // namespace

void keep_ranks(Profile& profile, const std::vector<bool>& ranks, const std::vector<bool>& devices) {
  if (!all(devices)) {
    keep_rows(profile.devices, devices);
    renumber(profile, "device", numbers_of(devices));
  }
  if (all(ranks)) return;
  const std::vector<bool> threads = with_rank(profile.threads.rank, ranks);
  keep_rows(profile.threads, threads);
  renumber(profile, "thread", numbers_of(threads));
  keep_rows(profile.metadata, with_rank(profile.metadata.rank, ranks));
  keep_rows(profile.ranks, ranks);
  renumber(profile, "rank", numbers_of(ranks));
}

}  // namespace warplens::analysis
