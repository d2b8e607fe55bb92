#include "warplens/program/analysis/steps/marked_steps.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "warplens/base/letter_case.h"
#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/program/analysis/forest.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/serving/phases.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/analysis/steps/work_times.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {
namespace {

constexpr size_t kLeastRanges = 3;      // of a name: fewer are no loop
constexpr double kMostOfTheWork = 0.8;  // up to the next range of the name; a pass without its data loading has that
constexpr double kHalfOfTheWork = 0.5;  // of modules: nothing else marks the pass, and the rest has no module
constexpr double kMostUpdates = 1.5, kLeastUpdates = 0.67;  // a pass, of steps: epochs have more, micro-batches less

struct Range {
  int64_t start_ns, end_ns;
  StringId name;
};

/// Ranges of one kind on one thread.
struct Family {
  std::string name;
  std::vector<Range> ranges;  // by start
  int64_t length_ns() const {
    int64_t sum = 0;
    for (const Range& range : ranges) sum += range.end_ns - range.start_ns;
    return sum / static_cast<int64_t>(ranges.size());
  }
};

/// "train step" of "train step 12", "step" of "step[DECODE bs=32]": what ranges of one loop have in common.
std::string family_name(std::string_view name) {
  return std::string(trim(name.substr(0, name.find_first_of("0123456789[({=:#"))));
}

bool is_named_as_step(std::string_view name) {
  std::string word;
  const auto is_step = [&] {
    for (const char* known : {"step", "steps", "iter", "iteration", "batch", "token", "request", "frame"}) {
      if (word == known) return true;
    }
    return false;
  };
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += lower(c);
      continue;
    }
    if (is_step()) return true;
    word.clear();
  }
  return is_step();
}

int64_t last_number(std::string_view name, int64_t otherwise) {
  const size_t end = name.find_last_of("0123456789");
  if (end == std::string_view::npos) return otherwise;
  const size_t before = name.find_last_not_of("0123456789", end);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return parse_int(name.substr(begin, end + 1 - begin)).value_or(otherwise);
}

/// Those that come often enough and do not overlap, in order.
std::vector<Family> loops(std::map<std::pair<uint32_t, std::string>, Family> families) {
  std::vector<Family> out;
  for (auto& [key, family] : families) {
    std::sort(family.ranges.begin(), family.ranges.end(),
              [](const Range& a, const Range& b) { return a.start_ns < b.start_ns; });
    const auto overlap = [](const Range& a, const Range& b) { return b.start_ns < a.end_ns; };
    if (family.ranges.size() < kLeastRanges ||
        std::ranges::adjacent_find(family.ranges, overlap) != family.ranges.end())
      continue;
    family.name = key.second;
    out.push_back(std::move(family));
  }
  return out;
}

std::vector<Family> range_families(const Profile& p, uint32_t rank) {
  NameMemo names(p, family_name);
  std::map<std::pair<uint32_t, std::string>, Family> families;
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (p.operators.kind[row] != OperatorKind::kRange || rank_of_operator(p, row) != rank) continue;
    const StringId name = p.operators.name[row];
    if (is_optimizer_step(p.text(name))) continue;
    const int64_t start_ns = p.operators.start_ns[row];
    families[{p.operators.thread[row], names(name)}].ranges.push_back(
        {start_ns, start_ns + p.operators.duration_ns[row], name});
  }
  for (uint32_t row = 0; row < p.other_events.size(); ++row) {  // ranges that begin and end on any thread
    if (p.text(p.other_events.category[row]) != "nvtx_start_end" || p.threads.rank[p.other_events.thread[row]] != rank)
      continue;
    const StringId name = p.other_events.name[row];
    if (p.text(name).starts_with("warplens: ")) continue;  // the recorder's own
    const int64_t start_ns = p.other_events.start_ns[row];
    families[{kNone, names(name)}].ranges.push_back({start_ns, start_ns + p.other_events.duration_ns[row], name});
  }
  return loops(std::move(families));
}

std::vector<Family> module_families(const Profile& p, uint32_t rank) {
  constexpr std::string_view kModule = "nn.Module: ";
  const Forest frames = frame_forest(p);
  std::map<std::pair<uint32_t, std::string>, Family> families;
  std::vector<bool> inside(p.python_frames.size());  // below a module
  for (const uint32_t row : frames.order) {
    const uint32_t parent = frames.parent[row];
    const bool is_module = p.text(p.python_frames.name[row]).starts_with(kModule);
    inside[row] = is_module || (parent != kNone && inside[parent]);
    if (!is_module || (parent != kNone && inside[parent]) || p.threads.rank[p.python_frames.thread[row]] != rank)
      continue;
    const int64_t start_ns = p.python_frames.start_ns[row];
    families[{p.python_frames.thread[row], std::string(p.text(p.python_frames.name[row]))}].ranges.push_back(
        {start_ns, start_ns + p.python_frames.duration_ns[row], StringId::kEmpty});
  }
  return loops(std::move(families));
}

/// Whether each call of `a` has one of `b` between it and the next call of `a`.
bool alternate(const Family& a, const Family& b) {
  if (a.ranges.size() != b.ranges.size()) return false;
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    if (b.ranges[i].start_ns < a.ranges[i].end_ns) return false;
    if (i + 1 < a.ranges.size() && b.ranges[i].end_ns > a.ranges[i + 1].start_ns) return false;
  }
  return true;
}

/// Modules that a pass calls one after the other, such as a cell and its head, are one family.
std::vector<Family> passes(std::vector<Family> families) {
  std::ranges::sort(families, {}, [](const Family& family) { return family.ranges.front().start_ns; });
  std::vector<Family> out;
  for (Family& family : families) {
    const auto pass = std::ranges::find_if(out, [&](const Family& each) { return alternate(each, family); });
    if (pass == out.end()) {
      out.push_back(std::move(family));
      continue;
    }
    for (size_t i = 0; i < family.ranges.size(); ++i) pass->ranges[i].end_ns = family.ranges[i].end_ns;
  }
  return out;
}

/// Whether ranges hold most of the work up to the next of their name, as passes of a loop do.
bool holds_the_work(const Family& family, const WorkTimes& work, double least = kMostOfTheWork) {
  std::vector<double> shares;
  for (size_t i = 0; i + 1 < family.ranges.size(); ++i) {
    const size_t all = work.count(family.ranges[i].start_ns, family.ranges[i + 1].start_ns);
    if (all == 0) continue;
    shares.push_back(static_cast<double>(work.count(family.ranges[i].start_ns, family.ranges[i].end_ns)) /
                     static_cast<double>(all));
  }
  return 2 * shares.size() > family.ranges.size() && middle_of(std::move(shares)) >= least;
}

std::vector<int64_t> starts_of_backward(const Profile& p, uint32_t rank) {
  NameMemo evaluates(p,
                     [](std::string_view name) { return name.starts_with("autograd::engine::evaluate_function: "); });
  std::vector<int64_t> out;
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (evaluates(p.operators.name[row]) && rank_of_operator(p, row) == rank) out.push_back(p.operators.start_ns[row]);
  }
  std::ranges::sort(out);
  return out;
}

/// Whether a backward pass follows each range before the next of its name: then it is the forward pass of a step.
bool leads_to_backward(const Family& family, const std::vector<int64_t>& backward_ns) {
  for (size_t i = 0; i + 1 < family.ranges.size(); ++i) {
    const auto first = std::ranges::lower_bound(backward_ns, family.ranges[i].end_ns);
    if (first == backward_ns.end() || *first >= family.ranges[i + 1].start_ns) return false;
  }
  return true;
}

/// Updates of the weights a pass of the loop.
double updates_a_pass(const Family& family, const std::vector<int64_t>& updates_ns) {
  const auto inside = std::ranges::lower_bound(updates_ns, family.ranges.back().end_ns) -
                      std::ranges::lower_bound(updates_ns, family.ranges.front().start_ns);
  return static_cast<double>(inside) / static_cast<double>(family.ranges.size());
}

/// The family whose ranges are steps; nullptr where there is none.
const Family* chosen(const std::vector<Family>& families, const std::vector<int64_t>& updates_ns) {
  const Family* best = nullptr;
  const bool trains = updates_ns.size() >= kLeastRanges;
  const auto distance = [&](const Family& f) {  // from one update a pass; the nearer the better
    const double updates = updates_a_pass(f, updates_ns);
    return updates > 0 ? std::fabs(std::log(updates)) : 10.0;
  };
  for (const Family& family : families) {
    if (best == nullptr) {
      best = &family;
    } else if (trains) {
      const double nearer = distance(*best) - distance(family);
      if (nearer > 0.1 || (nearer > -0.1 && family.length_ns() < best->length_ns())) best = &family;
    } else {
      const bool named = is_named_as_step(family.name), best_named = is_named_as_step(best->name);
      const bool inner = family.length_ns() < best->length_ns();
      if (named != best_named ? named : (named ? inner : !inner)) best = &family;
    }
  }
  const double updates = best != nullptr && trains ? updates_a_pass(*best, updates_ns) : 1;
  return updates < kLeastUpdates || updates > kMostUpdates ? nullptr : best;
}

bool apart(const Family& a, const Family& b) {
  return std::ranges::none_of(a.ranges, [&](const Range& range) {
    const auto next = std::ranges::lower_bound(b.ranges, range.end_ns, {}, &Range::start_ns);
    return next != b.ranges.begin() && (next - 1)->end_ns > range.start_ns;
  });
}

/// What kind of step a range marks: a phase of serving where its name says one, else its family.
std::string kind_of(const Profile& p, const Family& family, const Range& range) {
  const auto phase = parse_iteration(p.text(range.name));
  return phase ? std::string(phase_name(phase->phase)) : family.name;
}

std::vector<Step> as_steps(const Profile& p, uint32_t rank, const std::vector<const Family*>& families) {
  std::vector<std::pair<Range, std::string>> all;
  for (const Family* family : families) {
    for (const Range& range : family->ranges) all.emplace_back(range, kind_of(p, *family, range));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first.start_ns < b.first.start_ns; });
  std::vector<Step> steps;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [range, kind] = all[i];
    const int64_t end_ns = i + 1 < all.size() ? std::max(range.end_ns, all[i + 1].first.start_ns) : range.end_ns;
    steps.push_back({rank, last_number(p.text(range.name), static_cast<int64_t>(i) + 1), range.start_ns, end_ns, kind});
  }
  return steps;
}

}  // namespace

std::vector<Step> range_steps(const Profile& p, uint32_t rank, const std::vector<int64_t>& updates_ns) {
  std::vector<Family> families = range_families(p, rank);
  if (families.empty()) return {};
  const WorkTimes work(p, rank);
  std::erase_if(families, [&](const Family& family) { return !holds_the_work(family, work); });
  const Family* steps = chosen(families, updates_ns);
  if (steps == nullptr) return {};
  std::vector<const Family*> all = {steps};  // passes over training and validation data stand side by side
  for (const Family& family : families) {
    if (&family != steps && std::ranges::all_of(all, [&](const Family* each) { return apart(*each, family); }))
      all.push_back(&family);
  }
  return as_steps(p, rank, all);
}

std::vector<Step> module_steps(const Profile& p, uint32_t rank) {
  std::vector<Family> families = passes(module_families(p, rank));
  if (families.empty()) return {};
  const WorkTimes work(p, rank);
  const std::vector<int64_t> backward_ns = starts_of_backward(p, rank);
  std::erase_if(families, [&](const Family& family) {
    return !holds_the_work(family, work, kHalfOfTheWork) && !leads_to_backward(family, backward_ns);
  });
  const auto longest = std::ranges::max_element(families, {}, &Family::length_ns);
  if (longest == families.end()) return {};
  return as_steps(p, rank, {&*longest});
}

}  // namespace warplens::analysis
