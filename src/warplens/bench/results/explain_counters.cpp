// Counters in words. A key is a metric's name, and for one source line `NAME@FILE:LINE`.
#include <algorithm>
#include <array>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/bench/results/compare_results.h"

namespace warplens::bench {
namespace {

struct Word {
  std::string_view metric, words;
};

constexpr std::array kWords = {
    Word{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global-load sectors"},
    Word{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global-store sectors"},
    Word{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global-load requests"},
    Word{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global-store requests"},
    Word{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local-load sectors"},
    Word{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local-store sectors"},
    Word{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared-load wavefronts"},
    Word{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared-store wavefronts"},
    Word{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "bank conflicts of shared loads"},
    Word{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "bank conflicts of shared stores"},
    Word{"smsp__inst_executed.sum", "warp instructions"},
    Word{"smsp__thread_inst_executed.sum", "thread instructions"},
    Word{"smsp__thread_inst_executed_pred_on.sum", "thread instructions that no predicate switched off"},
    Word{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "FP64 adds"},
    Word{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "FP64 multiplies"},
    Word{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "FP64 multiply-adds"},
};

std::string words_for(std::string_view key) {
  const std::string_view metric = key.substr(0, key.find('@'));
  std::string words(metric);
  for (const Word& w : kWords) {
    if (w.metric == metric) words = w.words;
  }
  if (metric.size() == key.size()) return words;
  const std::string_view place = key.substr(metric.size() + 1);
  return fmt::format("{} in line {}", words, place.substr(place.rfind(':') + 1));
}

struct Change {
  std::string key;
  double base, now, weight;
};

std::string times(double factor) {
  return factor >= 10 ? fmt::format("{:.0f}x", factor) : fmt::format("{}x", std::round(factor * 100) / 100);
}

/// " in line 42" for a total whose largest part one source line makes; "" when lines are not known.
std::string place_of(const std::string& key, const std::map<std::string, double>& now) {
  std::string line;
  double most = 0;
  for (auto it = now.lower_bound(key + "@"); it != now.end() && it->first.starts_with(key + "@"); ++it) {
    if (it->second > most) {
      most = it->second;
      line = it->first.substr(it->first.rfind(':') + 1);
    }
  }
  return line.empty() ? "" : " in line " + line;
}

std::string sentence(const Change& c, const std::map<std::string, double>& all) {
  const std::string numbers = fmt::format("({:.0f} -> {:.0f})", c.base, c.now);
  if (c.base == 0) return fmt::format("new: {} {}", words_for(c.key), numbers);
  if (c.now == 0) return fmt::format("gone: {} {}", words_for(c.key), numbers);
  return fmt::format("{} the {}{} {}", times(c.now / c.base), words_for(c.key), place_of(c.key, all), numbers);
}

}  // namespace

std::string explain_counters(const std::map<std::string, double>& base, const std::map<std::string, double>& now,
                             Verdict verdict, size_t limit) {
  std::vector<Change> changes;
  constexpr double kKnown = 100, kGuilty = 1000;  // far above any change itself
  const auto add = [&](const std::string& key, double was, double is) {
    if (was < 0 || is < 0 || was == is) return;
    const double change = std::fabs(std::log((is + 1) / (was + 1)));
    // A metric that has a word says more than one that has none; a total names its line itself.
    const bool known = words_for(key) != key, line = key.find('@') != std::string::npos;
    const bool guilty = verdict == Verdict::kFaster ? is < was : is > was;
    if (change >= std::log(1.05))
      changes.push_back({key, was, is, change + (guilty ? kGuilty : 0) + (known ? kKnown : 0) - (line ? 0.01 : 0)});
  };
  for (const auto& [key, value] : base) {
    const auto other = now.find(key);
    if (other != now.end()) add(key, value, other->second);
    else if (key.find('@') == std::string::npos) add(key, value, 0);
  }
  for (const auto& [key, value] : now) {
    if (!base.contains(key) && key.find('@') == std::string::npos) add(key, 0, value);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.weight > b.weight; });
  std::vector<std::string> sentences;
  for (const Change& c : changes) {
    if (sentences.size() == limit) break;
    sentences.push_back(sentence(c, now));
  }
  return join(sentences, "; ");
}

}  // namespace warplens::bench
