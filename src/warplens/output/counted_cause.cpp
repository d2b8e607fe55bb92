#include "warplens/output/counted_cause.h"

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens {
namespace {

constexpr size_t kLabelColumns = 60;

}  // namespace

std::string cause_text(const CountedCause& cause) {
  std::string out = fmt::format("{} ({}, {}): ", ellipsis(cause.label, kLabelColumns),
                                cause.events == 1 ? "once" : fmt::format("{} times", cause.events),
                                format_ns(static_cast<double>(cause.device_ns)));
  out += cause.id.empty() ? "no finding for this kernel" : fmt::format("{}: {}", cause.id, cause.title);
  if (!cause.where.empty()) out += " at " + join(cause.where, "; ");
  if (!cause.bound_by.empty()) out += "; limited by " + cause.bound_by;
  if (cause.saving_fraction) out += fmt::format("; a fix saves {} of a launch", format_share(*cause.saving_fraction));
  out += " (counted on " + cause.counted_by;
  if (cause.joined_by == "name") out += ", joined only by its name";
  return out + (cause.ambiguous.empty() ? "" : ", " + cause.ambiguous) + ")";
}

void write_causes(json::Writer& w, const std::vector<CountedCause>& causes) {
  w.key("kernels").begin_array();
  for (const CountedCause& cause : causes) {
    w.begin_object().member("kernel", cause.kernel);
    w.list("grid", cause.grid);
    w.list("block", cause.block);
    w.member("events", cause.events).member("device_ns", cause.device_ns).member("joined_by", cause.joined_by);
    w.member("ambiguous", cause.ambiguous).member("counted_by", cause.counted_by);
    w.member("counted_ns", static_cast<int64_t>(cause.counted_ns)).member("bound_by", cause.bound_by);
    w.member("id", cause.id).member("title", cause.title).member("advice", cause.advice).key("saving_fraction");
    cause.saving_fraction ? w.value(*cause.saving_fraction) : w.null();
    w.list("where", cause.where).end_object();
  }
  w.end_array();
}

}  // namespace warplens
