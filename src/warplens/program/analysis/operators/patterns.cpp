#include "warplens/program/analysis/operators/patterns.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/steps/steps.h"

namespace warplens::analysis {
namespace {

constexpr size_t kLongest = size_t{1} << 20;
constexpr size_t kClassesOfALevel = 48;  // candidates looked at for each length: those with most device time

/// Events of all streams one behind the other. A boundary between streams has a token of its own.
struct Sequence {
  std::vector<uint32_t> tokens, events;  // events: rows of device_events, kNone at boundaries
  size_t size() const { return tokens.size(); }
};

Sequence sequence_of(const Profile& p) {
  const auto& e = p.device_events;
  std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> streams;
  for (uint32_t row = 0; row < e.size(); ++row) {
    if (is_device_work(e.kind[row])) streams[{e.device[row], e.stream[row]}].push_back(row);
  }
  Sequence out;
  uint32_t boundary = kNone;
  for (auto& [stream, rows] : streams) {
    std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return e.start_ns[a] < e.start_ns[b]; });
    for (const uint32_t row : rows) {
      out.tokens.push_back(static_cast<uint32_t>(e.name[row]));
      out.events.push_back(row);
    }
    out.tokens.push_back(boundary--);
    out.events.push_back(kNone);
  }
  return out;
}

struct Candidate {
  size_t length = 0;
  std::vector<uint32_t> at;  // positions in the sequence, ascending, not overlapping
  int64_t device_ns = 0;
  /// Device time that repeats what was seen before.
  double repeated_ns() const { return static_cast<double>(device_ns) * (1 - 1.0 / static_cast<double>(at.size())); }
};

class PatternFinder {
 public:
  PatternFinder(const Profile& p, Sequence sequence) : p_(p), s_(std::move(sequence)) {
    until_ns_.push_back(0);
    for (const uint32_t row : s_.events)
      until_ns_.push_back(until_ns_.back() + (row == kNone ? 0 : p_.device_events.duration_ns[row]));
  }

  std::vector<Candidate> run(size_t least_length) {
    std::vector<uint32_t> ids = s_.tokens;  // of the substring of `length` that begins at each position
    for (size_t length = 1; length <= std::min(kLongest, s_.size() / kLeastRepeats); length *= 2) {
      if (!add_level(ids, length)) break;
      ids = doubled(ids, length);
    }
    std::erase_if(found_, [&](const Candidate& c) { return c.length < least_length; });
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.repeated_ns() > b.repeated_ns(); });
    return std::move(found_);
  }

 private:
  int64_t device_ns(const Candidate& c) const {
    int64_t total = 0;
    for (const uint32_t at : c.at) total += until_ns_[at + c.length] - until_ns_[at];
    return total;
  }

  std::vector<uint32_t> doubled(const std::vector<uint32_t>& ids, size_t length) const {
    std::unordered_map<uint64_t, uint32_t> named;
    std::vector<uint32_t> out(s_.size() >= 2 * length ? s_.size() - 2 * length + 1 : 0);
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t both = uint64_t{ids[i]} << 32 | ids[i + length];
      out[i] = named.try_emplace(both, static_cast<uint32_t>(named.size())).first->second;
    }
    return out;
  }

  /// Candidates from substrings of one length; whether any repeats often enough.
  bool add_level(const std::vector<uint32_t>& ids, size_t length) {
    std::unordered_map<uint32_t, Candidate> classes;
    for (uint32_t i = 0; i < ids.size(); ++i) {
      Candidate& c = classes[ids[i]];
      c.length = length;
      if (c.at.empty() || i >= c.at.back() + length) c.at.push_back(i);
    }
    std::vector<Candidate> often;
    for (auto& [id, c] : classes) {
      if (c.at.size() < kLeastRepeats) continue;
      c.device_ns = device_ns(c);
      often.push_back(std::move(c));
    }
    const size_t kept = std::min(often.size(), kClassesOfALevel);
    std::partial_sort(often.begin(), often.begin() + static_cast<std::ptrdiff_t>(kept), often.end(),
                      [](const Candidate& a, const Candidate& b) {
                        return a.device_ns != b.device_ns ? a.device_ns > b.device_ns : a.at < b.at;
                      });
    for (size_t i = 0; i < kept; ++i) add(std::move(often[i]));
    return !often.empty();
  }

  /// As long as all occurrences agree, and no two overlap.
  void add(Candidate c) {
    const auto room = [&](size_t longer) {
      for (size_t i = 1; i < c.at.size(); ++i) {
        if (c.at[i] < c.at[i - 1] + longer) return false;
      }
      return true;
    };
    const auto agree = [&](auto position) {
      const uint32_t token = s_.tokens[position(c.at.front())];
      return std::all_of(c.at.begin(), c.at.end(), [&](uint32_t at) { return s_.tokens[position(at)] == token; });
    };
    while (c.at.back() + c.length < s_.size() && room(c.length + 1) &&
           agree([&](uint32_t at) { return at + c.length; }))
      ++c.length;
    while (c.at.front() > 0 && room(c.length + 1) && agree([](uint32_t at) { return at - 1; })) {
      for (uint32_t& at : c.at) --at;
      ++c.length;
    }
    if (repeats_itself(c)) return;
    c.device_ns = device_ns(c);
    found_.push_back(std::move(c));
  }

  /// "ABAB" is twice "AB".
  bool repeats_itself(const Candidate& c) const {
    const uint32_t* text = s_.tokens.data() + c.at.front();
    std::vector<size_t> border(c.length, 0);
    for (size_t i = 1, k = 0; i < c.length; ++i) {
      while (k > 0 && text[i] != text[k]) k = border[k - 1];
      k += text[i] == text[k];
      border[i] = k;
    }
    return 2 * border.back() >= c.length;
  }

  const Profile& p_;
  Sequence s_;
  std::vector<int64_t> until_ns_;  // device time of all events before a position
  std::vector<Candidate> found_;
};

/// Leaves out what is another view of a loop that is already there: as often, and mostly the same events.
std::vector<Candidate> distinct(std::vector<Candidate> all, size_t sequence_size, size_t limit) {
  std::vector<Candidate> out;
  std::vector<std::vector<bool>> covered;
  for (Candidate& c : all) {
    if (out.size() >= limit) break;
    const bool seen = [&] {
      for (size_t i = 0; i < out.size(); ++i) {
        if (2 * c.at.size() <= out[i].at.size() || c.at.size() >= 2 * out[i].at.size()) continue;
        size_t shared = 0;
        for (const uint32_t at : c.at) {
          for (size_t k = 0; k < c.length; ++k) shared += covered[i][at + k];
        }
        if (2 * shared > c.at.size() * c.length) return true;
      }
      return false;
    }();
    if (seen) continue;
    std::vector<bool>& mine = covered.emplace_back(sequence_size, false);
    for (const uint32_t at : c.at) std::fill_n(mine.begin() + at, c.length, true);
    out.push_back(std::move(c));
  }
  return out;
}

/// A step's own range says nothing of a sequence.
uint32_t common_operator(const Profile& p, const Forest& operators, const Links& links,
                         const std::vector<uint32_t>& events) {
  std::vector<uint32_t> around;
  for (size_t i = 0; i < events.size(); ++i) {
    std::vector<uint32_t> path;
    for (uint32_t op = links.event_operator[events[i]]; op != kNone; op = operators.parent[op]) path.push_back(op);
    if (i == 0) around = path;
    else std::erase_if(around, [&](uint32_t op) { return std::find(path.begin(), path.end(), op) == path.end(); });
  }
  return around.empty() || step_number(p.text(p.operators.name[around.front()])) ? kNone : around.front();
}

}  // namespace

std::vector<KernelPattern> kernel_patterns(const Profile& p, const Causes& causes, size_t least_length, size_t limit) {
  const TimedScope timed("patterns");
  const Sequence sequence = sequence_of(p);
  const auto& e = p.device_events;
  std::vector<KernelPattern> out;
  for (const Candidate& c : distinct(PatternFinder(p, sequence).run(least_length), sequence.size(), limit)) {
    KernelPattern& pattern = out.emplace_back();
    pattern.device_ns = c.device_ns;
    const auto begin = sequence.events.begin() + c.at.front();
    pattern.first.assign(begin, begin + static_cast<std::ptrdiff_t>(c.length));
    for (const uint32_t at : c.at) {
      pattern.starts.push_back(sequence.events[at]);
      int64_t end_ns = e.start_ns[sequence.events[at]];
      for (size_t k = 0; k < c.length; ++k) {
        const uint32_t row = sequence.events[at + k];
        pattern.gap_ns += std::max<int64_t>(0, e.start_ns[row] - end_ns);
        end_ns = std::max(end_ns, e.start_ns[row] + e.duration_ns[row]);
      }
      pattern.span_ns += end_ns - e.start_ns[sequence.events[at]];
    }
    pattern.around = common_operator(p, causes.operators, causes.links, pattern.first);
  }
  return out;
}

}  // namespace warplens::analysis
