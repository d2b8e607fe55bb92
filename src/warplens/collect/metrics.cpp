#include "warplens/collect/metrics.h"

#include <cstdio>

namespace warplens::collect {
namespace {

std::string seconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%llu.%09llu", static_cast<unsigned long long>(ns / 1'000'000'000),
                static_cast<unsigned long long>(ns % 1'000'000'000));
  return text;
}

std::string family(const char* name, const char* type, const char* help) {
  return std::string("# TYPE warplens_") + name + " " + type + "\n# HELP warplens_" + name + " " + help + "\n";
}

}  // namespace

std::string open_metrics(const Headline& headline) {
  using Totals = cupti::ActivityWriter::Totals;
  const auto of_devices = [&](const char* name, const char* help, auto value) {
    std::string out = family(name, "counter", help);
    for (size_t i = 0; i < headline.devices.size(); ++i) {
      if (const Totals& of = headline.devices[i]; of.kernels + of.copies > 0)
        out += std::string("warplens_") + name + "_total{device=\"" + std::to_string(i) + "\"} " + value(of) + "\n";
    }
    return out;
  };
  std::string out;
  out += of_devices("kernels", "Kernels that ended.", [](const Totals& t) { return std::to_string(t.kernels); });
  out += of_devices("kernel_seconds", "Time of kernels; each of several kernels that run at the same time counts.",
                    [](const Totals& t) { return seconds(t.kernel_ns); });
  out += of_devices("copies", "Copies that ended.", [](const Totals& t) { return std::to_string(t.copies); });
  out += of_devices("copied_bytes", "Bytes copied.", [](const Totals& t) { return std::to_string(t.copied_bytes); });
  out +=
      family("steps", "counter", "Steps that ended.") + "warplens_steps_total " + std::to_string(headline.steps) + "\n";
  if (headline.step_ns > 0)
    out +=
        family("step_seconds", "gauge", "The last step.") + "warplens_step_seconds " + seconds(headline.step_ns) + "\n";
  if (headline.median_step_ns > 0)
    out += family("median_step_seconds", "gauge", "Median of the last steps.") + "warplens_median_step_seconds " +
           seconds(headline.median_step_ns) + "\n";
  out += family("dropped_records", "counter", "Records that found no room.") + "warplens_dropped_records_total " +
         std::to_string(headline.dropped) + "\n";
  return out + "# EOF\n";
}

}  // namespace warplens::collect
