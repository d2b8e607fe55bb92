#include "warplens/cli/counter_flags.h"

namespace warplens::cli {

std::vector<Flag> metric_flags() {
  return {{"--set",
           "SET",
           "the metrics to count; without --set and --metric: report",
           "",
           {"timing", "memory", "roofline", "stalls", "report", "full"}},
          {"--metric",
           "NAME",
           "count this metric, for example smsp__inst_executed.sum; with --set, in addition to it",
           "",
           {},
           true}};
}

std::vector<Flag> counter_report_flags() {
  return {{"--metrics", "", "print every counter, and how far you can trust it"},
          {"--roofline", "", "draw the roofline"},
          {"--roofline-svg", "FILE", "write the roofline as an SVG picture"},
          {"--page", "FILE", "write a page for a browser: roofline, findings, code side by side, memory requests"}};
}

std::vector<Flag> baseline_flags() {
  return {{"--baseline", "FILE",
           "compare with a file that --save wrote, or a report of Nsight Compute: the expected times, and the exact "
           "counters that explain the difference"},
          {"--as", "NAME", "compare with this kernel of the baseline, under any name"},
          {"--fail-on", "PERCENT|LEVEL",
           "exit with 3 if a launch takes this much longer than in the baseline (5%), or has a finding this "
           "severe (info, warn, critical)"}};
}

}  // namespace warplens::cli
