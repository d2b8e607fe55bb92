#include "warplens/query/grouping/run.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/query/grouping/group_ids.h"

namespace warplens::query {
namespace {

constexpr uint32_t kBlockRows = 4096;

/// One aggregate of every group, so far.
struct Sums {
  std::vector<int64_t> count;  // of values that are not NULL; of rows for count(*)
  std::vector<int64_t> whole;  // sum, least or most
  std::vector<double> real;
};

class Run {
 public:
  Run(const GroupingPlan& plan, OpenTable& table) : plan_(plan), table_(table), sums_(plan.calls.size()) {
    for (const size_t key : plan.keys) keys_.push_back(&table.data(key));
    for (const AggregateCall& call : plan.calls)
      values_.push_back(call.column == kAllRows ? nullptr : &table.data(call.column));
    for (const Condition& condition : plan.conditions)
      predicates_.emplace_back(table.data(condition.column), condition.comparison,
                               Value{condition.kind, condition.integer, condition.real, condition.text},
                               table.strings());
    ids_of_key_.resize(keys_.size());
  }

  /// False where a sum overflows.
  bool all_rows() {
    const bool none = std::any_of(predicates_.begin(), predicates_.end(), [](const Predicate& p) { return p.never(); });
    for (uint32_t begin = 0, end = none ? 0 : table_.rows(); begin < end;) {
      const uint32_t last = end - begin > kBlockRows ? begin + kBlockRows : end;
      rows_.resize(last - begin);
      std::iota(rows_.begin(), rows_.end(), begin);
      for (const Predicate& predicate : predicates_) predicate.keep(rows_);
      if (!block()) return false;
      begin = last;
    }
    if (keys_.empty() && first_row_.empty()) open_group(kNone);  // without groups there is one answer, if of no rows
    return true;
  }

  std::unique_ptr<GroupedTable> finish() {
    auto out = std::make_unique<GroupedTable>();
    order_.resize(first_row_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return before(a, b); });
    out->table = {kGroupedTable, "groups of a query", Origin::kComputed, {}, {}, {}};
    out->table.rows = [n = static_cast<uint32_t>(order_.size())] { return n; };
    const size_t keys = keys_.size(), calls = plan_.calls.size();
    out->places.resize(keys), out->integers.resize(calls), out->reals.resize(calls), out->present.resize(calls);
    for (size_t k = 0; k < keys; ++k) add_key(*out, k);
    for (size_t c = 0; c < calls; ++c) add_value(*out, c);
    return out;
  }

 private:
  void open_group(uint32_t row) {
    first_row_.push_back(row);
    for (size_t c = 0; c < sums_.size(); ++c) {
      const Aggregate aggregate = plan_.calls[c].aggregate;
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      sums_[c].count.push_back(0);
      sums_[c].whole.push_back(aggregate == Aggregate::kMin ? INT64_MAX : aggregate == Aggregate::kMax ? INT64_MIN : 0);
      sums_[c].real.push_back(aggregate == Aggregate::kMin ? kInfinity : aggregate == Aggregate::kMax ? -kInfinity : 0);
    }
  }

  bool block() {
    ids_.assign(rows_.size(), 0);
    gathered_.resize(rows_.size());
    for (size_t k = 0; k < keys_.size(); ++k) {
      gather_keys(*keys_[k], rows_, gathered_.data());
      ids_of_key_[k].refine(gathered_, ids_);
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (ids_[i] >= first_row_.size()) open_group(rows_[i]);  // numbers are given in order
    }
    for (size_t c = 0; c < sums_.size(); ++c) {
      if (!add_block(plan_.calls[c].aggregate, values_[c], sums_[c])) return false;
    }
    return true;
  }

  bool add_block(Aggregate aggregate, const ColumnData* values, Sums& sums) {
    if (values == nullptr) {
      for (const uint32_t id : ids_) ++sums.count[id];
      return true;
    }
    if (values->physical == Physical::kReal) {
      add_reals(aggregate, *values, sums);
      return true;
    }
    gather_keys(*values, rows_, gathered_.data());
    if (aggregate == Aggregate::kMin || aggregate == Aggregate::kMax) {
      const bool least = aggregate == Aggregate::kMin;
      for (size_t i = 0; i < ids_.size(); ++i) {
        if (gathered_[i] == kNoValue) continue;
        int64_t& best = sums.whole[ids_[i]];
        best = least ? std::min(best, gathered_[i]) : std::max(best, gathered_[i]);
        ++sums.count[ids_[i]];
      }
      return true;
    }
    bool overflows = false;
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (gathered_[i] == kNoValue) continue;
      overflows |= __builtin_add_overflow(sums.whole[ids_[i]], gathered_[i], &sums.whole[ids_[i]]);
      ++sums.count[ids_[i]];
    }
    return !overflows || aggregate == Aggregate::kCount;
  }

  void add_reals(Aggregate aggregate, const ColumnData& values, Sums& sums) {
    for (size_t i = 0; i < ids_.size(); ++i) {
      const uint32_t at = place_of(values, rows_[i]);
      if (at == kNone) continue;
      const double value = real_at(values, at);
      double& so_far = sums.real[ids_[i]];
      if (aggregate == Aggregate::kMin) so_far = std::min(so_far, value);
      else if (aggregate == Aggregate::kMax) so_far = std::max(so_far, value);
      else so_far += value;
      ++sums.count[ids_[i]];
    }
  }

  /// The order of SQL's group by: NULL first, texts by their bytes.
  bool before(uint32_t a, uint32_t b) const {
    for (const ColumnData* key : keys_) {
      const Value left = value_at(*key, table_.strings(), first_row_[a]);
      const Value right = value_at(*key, table_.strings(), first_row_[b]);
      const auto order =
          std::tie(left.kind, left.integer, left.text) <=> std::tie(right.kind, right.integer, right.text);
      if (order != 0) return order < 0;
    }
    return false;
  }

  void add_key(GroupedTable& out, size_t k) {
    const ColumnData& key = *keys_[k];
    for (const uint32_t group : order_) {
      const uint32_t row = first_row_[group];
      out.places[k].push_back(key.physical == Physical::kOwnRow ? row : place_of(key, row));
    }
    ColumnData data = key;
    data.through = out.places[k].data();
    if (key.physical == Physical::kOwnRow) data = {Physical::kRowNumber, out.places[k].data(), {}, nullptr};
    out.table.columns.push_back(
        {fmt::format("key{}", k), "", plan_.table->columns[plan_.keys[k]].type, "", [data] { return data; }});
  }

  void add_value(GroupedTable& out, size_t c) {
    const Aggregate aggregate = plan_.calls[c].aggregate;
    const Sums& sums = sums_[c];
    const bool is_real = values_[c] != nullptr && values_[c]->physical == Physical::kReal;
    const bool real_out =
        aggregate != Aggregate::kCount && (is_real || aggregate == Aggregate::kMean || aggregate == Aggregate::kTotal);
    for (const uint32_t group : order_) {
      const int64_t count = sums.count[group];
      const bool missing = count == 0 && aggregate != Aggregate::kCount && aggregate != Aggregate::kTotal;
      double value = is_real ? sums.real[group] : static_cast<double>(sums.whole[group]);
      if (aggregate == Aggregate::kMean && count > 0) value /= static_cast<double>(count);
      if (real_out) {
        out.present[c].push_back(missing ? kNone : static_cast<uint32_t>(out.reals[c].size()));
        out.reals[c].push_back(value);
      } else {
        out.integers[c].push_back(missing ? kNoValue : aggregate == Aggregate::kCount ? count : sums.whole[group]);
      }
    }
    const ColumnData data = real_out ? ColumnData{Physical::kReal, out.reals[c].data(), {}, out.present[c].data()}
                                     : ColumnData{Physical::kOptional, out.integers[c].data(), {}, nullptr};
    out.table.columns.push_back(
        {fmt::format("value{}", c), "", real_out ? SqlType::kReal : SqlType::kInteger, "", [data] { return data; }});
  }

  const GroupingPlan& plan_;
  OpenTable& table_;
  std::vector<const ColumnData*> keys_, values_;
  std::vector<Predicate> predicates_;
  std::vector<GroupIds> ids_of_key_;
  std::vector<Sums> sums_;
  std::vector<uint32_t> first_row_, order_;  // of each group; groups in the order of their keys
  std::vector<uint32_t> rows_, ids_;         // of the block at hand
  std::vector<int64_t> gathered_;
};

}  // namespace

std::optional<std::unique_ptr<GroupedTable>> run_grouping(const GroupingPlan& plan, OpenTable& table) {
  Run run(plan, table);
  if (!run.all_rows()) return std::nullopt;
  return run.finish();
}

}  // namespace warplens::query
