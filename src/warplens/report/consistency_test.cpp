// No report contradicts itself, over every launch whose counts are kept.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/source_path.h"
#include "warplens/base/json.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/model/mended.h"
#include "warplens/model/time_model.h"
#include "warplens/report/builders/kept_launch.h"
#include "warplens/report/findings/findings.h"
#include "warplens/report/writers/text.h"
#include "warplens/report/writers/write_json.h"

namespace warplens::report {
namespace {

std::string inflated(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string out;
  char buffer[65536];
  for (int n = 0; (n = gzread(file, buffer, sizeof buffer)) > 0;) out.append(buffer, static_cast<size_t>(n));
  gzclose(file);
  return out;
}

const std::vector<KeptLaunch>& kept_launches() {
  static const std::vector<KeptLaunch> all = [] {
    std::vector<KeptLaunch> out;
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_path("tests/data/launches"))) {
      const std::string lines = inflated(entry.path());
      for (size_t at = 0; at < lines.size();) {
        const size_t end = lines.find('\n', at);
        auto read = read_kept_launch(std::string_view(lines).substr(at, end - at));
        EXPECT_TRUE(read.ok()) << entry.path() << ": " << read.status().message();
        if (read.ok()) out.push_back(std::move(*read));
        at = end + 1;
      }
    }
    return out;
  }();
  return all;
}

double left(const KernelReport& r, double saving) { return r.time.ns * (1 - saving); }

TEST(Consistency, AllLaunchesAreThere) { EXPECT_GE(kept_launches().size(), 900u); }

TEST(Consistency, NoSavingLeavesLessThanTheBoundOfTheMendedLaunch) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    EXPECT_LE(r.mended_bound_ns, r.time.bound_ns) << r.kernel;
    for (const Finding& f : r.findings)
      EXPECT_GE(left(r, f.saving_fraction.value_or(0)), 0.999 * r.mended_bound_ns) << r.kernel << " " << f.id;
  }
}

TEST(Consistency, FindingsTogetherSaveLessThanAllAndNoLessThanTheBest) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    double best = 0;
    for (const Finding& f : r.findings) {
      ASSERT_TRUE(f.beside_fraction.has_value());
      best = std::max(best, f.saving_fraction.value_or(0));
      EXPECT_GE(*f.beside_fraction, 0) << r.kernel << " " << f.id;
      EXPECT_LE(*f.beside_fraction, f.saving_fraction.value_or(0) + 1e-9) << r.kernel << " " << f.id;
    }
    const double together = saved_together(r.findings, r.findings.size());
    EXPECT_GE(together, best - 1e-9) << r.kernel;
    EXPECT_GE(left(r, together), 0.999 * r.mended_bound_ns) << r.kernel;
    if (r.findings.empty()) continue;
    EXPECT_EQ(r.findings[0].beside_fraction, r.findings[0].saving_fraction) << r.kernel;
  }
}

TEST(Consistency, NoSavingLeavesLessThanTheBusiestUnitTakes) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    for (const Defect& defect : defects_of(r)) {
      const TimeEstimate mended = model::estimate_time(defect.mended, *r.device);
      ASSERT_FALSE(mended.resources.empty()) << r.kernel << " " << defect.id;
      EXPECT_GE(left(r, defect.saving_fraction.value_or(0)), 0.999 * mended.resources.front().ns)
          << r.kernel << " " << defect.id << ": " << mended.resources.front().name;
    }
  }
}

TEST(Consistency, TheFirstThreeTogetherLeaveWhatTheModelSaysOfAllThreeMended) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    const std::vector<Defect> defects = defects_of(r);
    Work mended = r.work;
    double best = 0;
    for (size_t k = 0; k < std::min<size_t>(defects.size(), 3); ++k) {
      mended = model::with_both(r.work, mended, defects[k].mended);
      best = std::max({best, defects[k].saving_fraction.value_or(0), saving(r, mended)});
    }
    // No more than the model says of them fixed together: of all three, or of fewer where a further one brings
    // nothing.
    EXPECT_LE(saved_together(r.findings, 3), best + 1e-9) << r.kernel;
  }
}

TEST(Consistency, EveryTimeHasABandThatHoldsFourFifthsOfTheMeasuredOnes) {
  double in_band = 0, all = 0;
  for (const auto& [r, measured_ns] : kept_launches()) {
    EXPECT_LE(r.time.bound_ns, r.time.low_ns) << r.kernel;
    EXPECT_LE(r.time.low_ns, r.time.ns) << r.kernel;
    EXPECT_LT(r.time.ns, r.time.high_ns) << r.kernel;
    if (measured_ns <= 0) continue;
    ++all;
    in_band += r.time.low_ns <= measured_ns && measured_ns <= r.time.high_ns;
  }
  EXPECT_GE(in_band / all, 0.8);
}

TEST(Consistency, OneUnitIsNamedAsTheLimit) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    const std::string text = summary_text(r);
    EXPECT_NE(text.find("limited by " + r.time.limited_by + ";"), std::string::npos) << text;
    EXPECT_EQ(text.find("bound by"), std::string::npos) << text;
    ASSERT_FALSE(r.time.resources.empty());
    EXPECT_EQ(r.time.limited_by, r.time.resources.front().name);
  }
}

TEST(Consistency, TimesAreInTheOrderOfTheirMeanings) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    const TimeEstimate& time = r.time;
    EXPECT_GE(time.ns, time.bound_ns) << r.kernel;
    EXPECT_GE(time.high_ns, time.cold_bound_ns) << r.kernel << ": the band ends below what cold caches take at least";
    EXPECT_LE(time.recorded_ns, time.ns) << r.kernel;
    EXPECT_GE(time.between_events_ns, time.ns) << r.kernel;
    for (const Resource& unit : time.resources) {
      const double halved = model::estimate_with_half(r.work, *r.device, unit.name);
      EXPECT_LE(halved, 1.001 * time.ns) << r.kernel << " with half the " << unit.name;
      EXPECT_GE(halved, 0.5 * time.ns - 1) << r.kernel << ": half of one unit saves more than half, " << unit.name;
    }
  }
}

TEST(Consistency, TextAndJsonTellTheSame) {
  for (const auto& [r, measured_ns] : kept_launches()) {
    json::Writer w;
    w.begin_object();
    write_report(w, r);
    w.end_object();
    const auto data = json::parse(w.text());
    ASSERT_TRUE(data.ok()) << r.kernel;
    const json::Value* found = data->find("time");
    ASSERT_NE(found, nullptr) << w.text().substr(0, 300);
    const json::Value& time = *found;
    EXPECT_EQ(*time.find("limited_by")->string(), r.time.limited_by);
    // Half of the unit that limits the launch changes its time, but where the launch itself takes most of it.
    const json::Value::Array& units = *time.find("units")->array();
    if (r.time.ns > 2 * model::kLaunchNs) {
      ASSERT_FALSE(units.empty()) << r.kernel;
      EXPECT_EQ(*units[0].find("unit")->string(), r.time.limited_by) << r.kernel;
    }
    const std::string text = summary_text(r);
    double before = 1;
    for (const Finding& f : r.findings) {
      const double share = f.saving_fraction.value_or(0);
      EXPECT_LE(share, before) << r.kernel << ": a larger saving after a smaller one, " << f.id;
      EXPECT_NE(text.find(f.id), std::string::npos) << r.kernel;
      EXPECT_NE(text.find("would save about " + format_share(share)), std::string::npos) << r.kernel << " " << f.id;
      before = share;
    }
  }
}

}  // namespace
}  // namespace warplens::report
