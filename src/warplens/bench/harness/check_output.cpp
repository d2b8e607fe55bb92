#include "warplens/bench/harness/check_output.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warplens/base/text.h"

namespace warplens::bench {
namespace {

/// What is wrong at single places: counted, the first one kept.
struct Fault {
  const char* what;
  size_t count = 0, first = 0;
  void at(size_t place) {
    if (count++ == 0) first = place;
  }
};

std::string sentence(const Fault& fault, size_t size) {
  return fmt::format("{} of {} elements {}, first at [{}]", fault.count, size, fault.what, fault.first);
}

bool same_class(double a, double b) {
  return std::isnan(a) == std::isnan(b) && (!std::isinf(a) || a == b) && (!std::isinf(b) || a == b);
}

bool all_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
}

OutputCheck failed(OutputCheck check, std::string detail) {
  check.passed = false;
  check.detail = std::move(detail);
  return check;
}

/// For outputs without a reference.
OutputCheck check_alone(const Output& output, OutputCheck check) {
  Fault nan{"are NaN"}, infinite{"are infinite"};
  for (size_t i = 0; i < output.values.size(); ++i) {
    if (std::isnan(output.values[i])) nan.at(i);
    else if (std::isinf(output.values[i])) infinite.at(i);
  }
  for (const Fault& fault : {nan, infinite}) {
    if (fault.count > 0) return failed(check, sentence(fault, output.values.size()));
  }
  if (output.values.size() > 1 && all_equal(output.values))
    return failed(check, fmt::format("every element is {}, for any inputs", output.values[0]));
  check.passed = true;
  check.detail = "no reference: searched only for NaN, infinities, unwritten places and constants";
  return check;
}

OutputCheck check_against(const Output& output, const std::vector<double>& want, OutputCheck check) {
  const size_t n = output.values.size();
  if (want.size() != n) return failed(check, fmt::format("has {} elements, its reference {}", n, want.size()));
  Fault misplaced{"are NaN or infinite and the reference is not, or the reverse"};
  double difference = 0, norm = 0, largest = -1;
  size_t where = 0;
  for (size_t i = 0; i < n; ++i) {
    const double got = output.values[i];
    if (!same_class(got, want[i])) {
      misplaced.at(i);
    } else if (std::isfinite(got)) {
      const double d = std::fabs(got - want[i]);
      difference += d * d;
      norm += want[i] * want[i];
      if (d > largest) {
        largest = d;
        where = i;
      }
    }
  }
  if (misplaced.count > 0) {
    const size_t i = misplaced.first;
    return failed(check, fmt::format("{}: {} for {}", sentence(misplaced, n), output.values[i], want[i]));
  }
  check.error = norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  check.passed = check.error <= check.tolerance;
  if (largest >= 0)
    check.detail = fmt::format("largest error at [{}]: {} for {}", output.places.empty() ? where : output.places[where],
                               output.values[where], want[where]);
  return check;
}

}  // namespace

double default_tolerance(std::string_view dtype) {
  struct Row {
    std::string_view dtype;
    double tolerance;
  };
  static constexpr Row kRows[] = {{"f64", 1e-12}, {"f32", 1e-5}, {"tf32", 1e-3}, {"f16", 4e-3}, {"bf16", 2e-2}};
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.tolerance;
  }
  return 0;  // whole numbers
}

OutputCheck check_output(const Output& output) {
  OutputCheck check{output.name, "", true, 0, output.tolerance};
  if (output.values.empty()) return failed(check, "is empty");
  if (output.poison.size() == output.values.size()) {
    Fault unwritten{"were not written"};
    for (size_t i = 0; i < output.values.size(); ++i) {
      if (output.values[i] == output.poison[i] && (!output.reference || (*output.reference)[i] != output.values[i]))
        unwritten.at(i);
    }
    // One value in 65,536 may hit its poison by chance in the narrowest types; a run of them is no chance.
    if (unwritten.count > 2 + output.values.size() / 8192)
      return failed(check, sentence(unwritten, output.values.size()));
  }
  return output.reference ? check_against(output, *output.reference, check) : check_alone(output, check);
}

std::vector<OutputCheck> check_outputs(const std::vector<Output>& outputs) {
  std::vector<OutputCheck> checks;
  for (const Output& output : outputs) checks.push_back(check_output(output));
  return checks;
}

std::vector<std::string> failures(const std::vector<OutputCheck>& checks, const std::string& when) {
  std::vector<std::string> out;
  for (const OutputCheck& c : checks) {
    if (c.passed) continue;
    const std::string error =
        c.error > 0 ? fmt::format("relative error {:.3g}, {:.3g} allowed; ", c.error, c.tolerance) : "";
    out.push_back(fmt::format("{}: output '{}': {}{}", when, c.output, error, c.detail));
  }
  return out;
}

}  // namespace warplens::bench
