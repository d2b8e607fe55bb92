#include "warplens/program/analysis/steps/steady_steps.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/analysis/steps/work_times.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {
namespace {

constexpr double kTornWork = 0.5;        // of the median step's launches: less is a part of a step
constexpr double kOtherWork = 1.5;       // of the median step's launches: more holds another kind of work, too
constexpr double kWhole = 0.8;           // of a quarter of the others: the last range is as long as they are
constexpr double kWarmsUp = 1.3;         // of three quarters of the later steps
constexpr double kWarmsUpAlone = 4;      // of the only later step, which shows no spread: cold caches alone make twice
constexpr double kFarLonger = 1.5;       // of the median, beside Tukey's outer fence
constexpr size_t kStepsPerOutlier = 20;  // more often it is how the program goes on

/// The value below which `share` of the values lie, between neighbours in proportion.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Steps of one rank that are still candidates: rows of the set, in order.
using Rows = std::vector<size_t>;

class RankRoles {
 public:
  RankRoles(const Profile& p, StepSet& set, size_t begin, size_t end) : p_(p), set_(set) {
    for (size_t i = begin; i < end; ++i) rows_.push_back(i);
    const WorkTimes work(p, set.steps[begin].rank);
    for (const size_t i : rows_)
      work_.push_back(static_cast<double>(work.count(set.steps[i].start_ns, set.steps[i].end_ns)));
    first_ = begin;
  }

  void run() {
    find_torn();
    find_kinds();
    if (set_.source == StepSource::kOptimizer) find_other_work();
    find_start();
    find_apart();
  }

 private:
  double length(size_t row) const { return static_cast<double>(set_.times[row].length_ns()); }
  double work(size_t row) const { return work_[row - first_]; }

  template <typename Value>
  std::vector<double> values(const Rows& rows, Value value) const {
    std::vector<double> out;
    for (const size_t row : rows) out.push_back(value(row));
    return out;
  }

  void leave_out(const Rows& rows, StepRole role) {
    for (const size_t row : rows) set_.roles[row] = role;
    std::erase_if(rows_, [&](size_t row) { return std::ranges::find(rows, row) != rows.end(); });
  }

  /// Steps that train and steps that do not are of different kinds, whatever they are called.
  std::map<size_t, bool> find_training() const {
    NameMemo is_backward(p_, [](std::string_view name) {
      return name.starts_with("autograd::engine::evaluate_function: ") || is_optimizer_step(name);
    });
    std::map<size_t, bool> trains;
    const uint32_t rank = set_.steps[first_].rank;
    for (uint32_t op = 0; op < p_.operators.size(); ++op) {
      if (!is_backward(p_.operators.name[op]) || rank_of_operator(p_, op) != rank) continue;
      const int64_t start_ns = p_.operators.start_ns[op];
      const auto after = std::upper_bound(rows_.begin(), rows_.end(), start_ns,
                                          [&](int64_t time, size_t row) { return time < set_.steps[row].start_ns; });
      if (after != rows_.begin() && start_ns < set_.steps[*(after - 1)].end_ns) trains[*(after - 1)] = true;
    }
    return trains;
  }

  /// The kind that most of the time goes to; a slow first step does not decide.
  void find_kinds() {
    const std::map<size_t, bool> trains = find_training();
    std::map<std::pair<std::string, bool>, Rows> kinds;
    for (const size_t row : rows_) kinds[{set_.steps[row].kind, trains.contains(row)}].push_back(row);
    if (kinds.size() < 2) return;
    const auto time = [&](const Rows& rows) {
      return quantile(values(rows, [&](size_t row) { return length(row); }), 0.5) * static_cast<double>(rows.size());
    };
    const auto main = std::ranges::max_element(kinds, {}, [&](const auto& kind) { return time(kind.second); });
    for (const auto& [kind, rows] : kinds) {
      if (kind != main->first) leave_out(rows, StepRole::kOther);
    }
  }

  double usual_work() const {
    return quantile(values(rows_, [&](size_t row) { return work(row); }), 0.5);
  }

  /// A recording begins and ends anywhere. Several with little work in a row are of another kind.
  void find_torn() {
    const size_t count = rows_.size();
    if (count < 2) return;
    const double usual = count == 2 ? std::max(work(rows_[0]), work(rows_[1])) : usual_work();
    const auto little = [&](size_t place) { return work(rows_[place]) < kTornWork * usual; };
    const bool same_kind = set_.steps[rows_[count - 1]].kind == set_.steps[rows_[count - 2]].kind;
    Rows torn;
    if (little(0) && !little(1)) torn.push_back(rows_.front());
    if ((little(count - 1) && !little(count - 2)) || (same_kind && lacks_its_end())) torn.push_back(rows_.back());
    leave_out(torn, StepRole::kTorn);
  }

  /// The last range of a loop ends itself, where those before it last until the next begins.
  bool lacks_its_end() const {
    if (set_.source != StepSource::kRange && set_.source != StepSource::kModule) return false;
    const Rows others(rows_.begin(), rows_.end() - 1);
    return length(rows_.back()) < kWhole * quantile(values(others, [&](size_t row) { return length(row); }), 0.25);
  }

  void find_other_work() {
    const double most = kOtherWork * usual_work();
    Rows rows;
    for (const size_t row : rows_) {
      if (work(row) > most) rows.push_back(row);
    }
    if (!rows.empty() && rows.front() == rows_.front()) rows.erase(rows.begin());  // the start judges of it
    if (2 * rows.size() < rows_.size()) leave_out(rows, StepRole::kOther);
  }

  void find_start() {
    Rows start;
    for (size_t i = 0; i + 1 < rows_.size(); ++i) {
      const Rows later(rows_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rows_.end());
      const double usual = quantile(values(later, [&](size_t row) { return length(row); }), 0.75);
      if (length(rows_[i]) <= (later.size() == 1 ? kWarmsUpAlone : kWarmsUp) * usual) break;
      start.push_back(rows_[i]);
    }
    leave_out(start, StepRole::kStart);
  }

  /// Beyond Tukey's outer fence, if there are few of them.
  void find_apart() {
    if (rows_.size() < 4) return;
    const std::vector<double> lengths = values(rows_, [&](size_t row) { return length(row); });
    const double upper = quantile(lengths, 0.75), lower = quantile(lengths, 0.25);
    const double most = std::max(upper + 3 * (upper - lower), kFarLonger * quantile(lengths, 0.5));
    Rows rows;
    for (const size_t row : rows_) {
      if (length(row) > most) rows.push_back(row);
    }
    if (rows.size() <= 1 + rows_.size() / kStepsPerOutlier) leave_out(rows, StepRole::kApart);
  }

  const Profile& p_;
  StepSet& set_;
  size_t first_ = 0;
  Rows rows_;
  std::vector<double> work_;
};

int64_t mean(const std::vector<int64_t>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), int64_t{0}) / static_cast<int64_t>(values.size());
}

}  // namespace

std::string_view role_name(StepRole role) {
  switch (role) {
    case StepRole::kStart: return "start";
    case StepRole::kTorn: return "torn";
    case StepRole::kApart: return "apart";
    case StepRole::kOther: return "other work";
    case StepRole::kSteady: break;
  }
  return "steady";
}

StepSet step_set(const Profile& profile, const RowLinks& event_call) {
  Steps found = find_steps(profile);
  StepSet set{found.source, std::move(found.list), {}, {}};
  set.times = step_times(profile, event_call, set.steps);
  set.roles.assign(set.steps.size(), StepRole::kSteady);
  for (size_t begin = 0; begin < set.steps.size();) {
    size_t end = begin + 1;
    while (end < set.steps.size() && set.steps[end].rank == set.steps[begin].rank) ++end;
    RankRoles(profile, set, begin, end).run();
    begin = end;
  }
  return set;
}

StepSet longest_run(const StepSet& set) {
  StepSet out{set.source, {}, {}, {}};
  const auto steady = [&](size_t i, uint32_t rank) {
    return i < set.steps.size() && set.steps[i].rank == rank && set.roles[i] == StepRole::kSteady;
  };
  size_t at = 0;
  while (at < set.steps.size()) {
    const uint32_t rank = set.steps[at].rank;
    size_t best = at, length = 0;
    for (; at < set.steps.size() && set.steps[at].rank == rank; ++at) {
      size_t end = at;
      while (steady(end, rank)) ++end;
      if (end - at > length) {
        best = at;
        length = end - at;
      }
      if (end > at) at = end - 1;
    }
    for (size_t i = best; i < best + length; ++i) {
      out.steps.push_back(set.steps[i]);
      out.times.push_back(set.times[i]);
      out.roles.push_back(set.roles[i]);
    }
  }
  return out;
}

std::optional<int64_t> step_at(const StepSet& set, uint32_t rank, int64_t time_ns) {
  const auto found = std::ranges::find_if(set.steps, [&](const Step& step) {
    return step.rank == rank && step.start_ns <= time_ns && time_ns < step.end_ns;
  });
  return found == set.steps.end() ? std::nullopt : std::optional(found->number);
}

StepSummary step_summary(const StepSet& set, uint32_t rank) {
  StepSummary out;
  std::vector<int64_t> steady, start, other;
  for (size_t i = 0; i < set.steps.size(); ++i) {
    if (set.steps[i].rank != rank) continue;
    ++out.steps;
    const int64_t ns = set.times[i].length_ns();
    switch (set.roles[i]) {
      case StepRole::kSteady: steady.push_back(ns); break;
      case StepRole::kStart: start.push_back(ns); break;
      case StepRole::kOther: other.push_back(ns); break;
      case StepRole::kTorn: ++out.torn; break;
      case StepRole::kApart: ++out.apart; break;
    }
  }
  out.start = start.size();
  out.other = other.size();
  out.start_ns = mean(start);
  out.other_ns = mean(other);
  if (steady.empty()) return out;
  std::sort(steady.begin(), steady.end());
  out.steady = steady.size();
  out.mean_ns = mean(steady);
  out.median_ns = steady[steady.size() / 2];
  out.shortest_ns = steady.front();
  out.longest_ns = steady.back();
  return out;
}

void write_steps(json::Writer& w, const StepSummary& s) {
  const auto count = [](size_t value) { return static_cast<int64_t>(value); };
  w.begin_object().member("all", count(s.steps)).member("steady", count(s.steady)).member("start", count(s.start));
  w.member("other", count(s.other)).member("apart", count(s.apart)).member("torn", count(s.torn));
  w.member("mean_ns", s.mean_ns).member("median_ns", s.median_ns).member("shortest_ns", s.shortest_ns);
  w.member("longest_ns", s.longest_ns).member("start_ns", s.start_ns).member("other_ns", s.other_ns).end_object();
}

std::string left_out_text(const StepSummary& summary) {
  const auto time = [](int64_t ns) { return format_ns(static_cast<double>(ns)); };
  std::vector<std::string> parts;
  if (summary.start > 0)
    parts.push_back(
        fmt::format("{} at the start ({}{})", summary.start, summary.start > 1 ? "mean " : "", time(summary.start_ns)));
  if (summary.other > 0)
    parts.push_back(fmt::format("{} with other work ({}{})", summary.other, summary.other > 1 ? "mean " : "",
                                time(summary.other_ns)));
  if (summary.apart > 0) parts.push_back(fmt::format("{} far longer than the rest", summary.apart));
  if (summary.torn > 0) parts.push_back(fmt::format("{} torn", summary.torn));
  return parts.empty() ? "" : "left out: " + join(parts, ", ");
}

}  // namespace warplens::analysis
