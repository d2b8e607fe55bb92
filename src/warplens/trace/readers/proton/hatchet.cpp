// Proton's trees (.hatchet): total times of kernels by call path, without a time at which anything ran.
#include <algorithm>

#include "warplens/base/demangle.h"
#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/events/event_text.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/input/growth.h"

namespace warplens {
namespace proton {
namespace {

constexpr const char *kTime = "time (ns)", *kCount = "count", *kDevice = "device_id";
constexpr int64_t kMostLaunches = 1'000'000;  // a file says how many there were; rows take memory
constexpr uint64_t kEventBytes = 160;         // of an event's text beside its name, at most
constexpr uint64_t kMostBytes = uint64_t{1} << 40;

int64_t number(const json::Value* value) {
  if (value == nullptr) return 0;
  if (value->string() != nullptr) return parse_int(*value->string()).value_or(0);
  if (const auto whole = value->integer()) return *whole;
  const auto real = value->number();
  const bool fits = real && *real > 0 && *real < 9.2e18;
  return fits ? static_cast<int64_t>(*real) : 0;
}

const json::Value* metric(const json::Value& node, const char* key) {
  const json::Value* metrics = node.find("metrics");
  return metrics == nullptr ? nullptr : metrics->find(key);
}

std::string name_of(const json::Value& node) {
  const json::Value* frame = node.find("frame");
  const json::Value* name = frame == nullptr ? nullptr : frame->find("name");
  return name != nullptr && name->string() != nullptr ? *name->string() : std::string();
}

const json::Value::Array& children_of(const json::Value& node) {
  static const json::Value::Array none;
  const json::Value* children = node.find("children");
  return children == nullptr || children->array() == nullptr ? none : *children->array();
}

/// One tree on its way to events: kernels one behind the other, in the ranges that are their call path.
class Converter {
 public:
  explicit Converter(uint64_t file_bytes) : growth_(file_bytes), keep_(growth_.into(text_)), events_(held_, keep_) {}

  void tree(const json::Value& root) {
    count(root);
    as_totals_ = launches_ > kMostLaunches || !Growth(growth_).takes(bytes_);
    for (const json::Value& child : children_of(root)) node(child, 0);
    if (children_of(root).empty()) node(root, 0);
  }

  /// {"CUDA": {"0": {"arch": "90", "num_sms": 132, ...}}}
  void devices(const json::Value& value) {
    if (value.object() == nullptr) return;
    json::Writer w(false);
    w.begin_array();
    for (const auto& [kind, numbered] : *value.object()) {
      if (numbered.object() == nullptr) continue;
      for (const auto& [id, facts] : *numbered.object()) {
        const json::Value* arch = facts.find("arch");
        const std::string name = arch != nullptr && arch->string() != nullptr ? *arch->string() : std::string();
        w.begin_object().member("id", parse_int(id).value_or(0));
        w.member("name", std::string_view(fmt::format("{} device{}", kind, name.empty() ? "" : " of arch " + name)));
        w.member("numSms", number(facts.find("num_sms"))).end_object();
      }
    }
    devices_ = w.end_array().take();
  }

  Result<std::string> take(const std::string& file) {
    (void)events_.flush();
    WL_TRY(growth_.check(file));
    return "{" + (devices_.empty() ? "" : "\"deviceProperties\": " + devices_ + ", ") + "\"traceEvents\": [" + text_ +
           "]}";
  }
  int64_t launches() const { return launches_; }
  int64_t paths() const { return paths_; }
  int64_t untimed() const { return untimed_; }
  bool as_totals() const { return as_totals_; }

 private:
  void count(const json::Value& node) {
    if (number(metric(node, kTime)) > 0) {
      const int64_t launches = std::clamp<int64_t>(number(metric(node, kCount)), 1, INT32_MAX);
      launches_ += launches;
      if (bytes_ < kMostBytes)
        bytes_ += static_cast<uint64_t>(launches) * (kEventBytes + demangled(name_of(node)).size());
      ++paths_;
    } else if (children_of(node).empty()) {
      ++untimed_;
    }
    for (const json::Value& child : children_of(node)) count(child);
  }

  void node(const json::Value& value, int64_t parent) {
    const int64_t id = ++next_id_, begin_ns = now_ns_;
    if (number(metric(value, kTime)) > 0) kernel(value, parent);
    if (children_of(value).empty()) return;
    for (const json::Value& child : children_of(value)) node(child, id);
    events_.begin('X', "user_annotation", name_of(value), "proton", "call paths", begin_ns);
    events_.duration(now_ns_ - begin_ns).argument("External id", id).end();
  }

  void kernel(const json::Value& value, int64_t parent) {
    const int64_t total_ns = number(metric(value, kTime));
    const int64_t launches = as_totals_ ? 1 : std::clamp<int64_t>(number(metric(value, kCount)), 1, INT32_MAX);
    const int64_t device = number(metric(value, kDevice));
    const std::string name = demangled(name_of(value)), more = other_metrics(value);
    for (int64_t i = 0; i < launches; ++i) {
      const int64_t duration_ns = total_ns / launches + (i < total_ns % launches);
      events_.begin('X', "kernel", name, fmt::format("{}", device), "0", now_ns_).duration(duration_ns);
      events_.argument("device", device).argument("stream", int64_t{0});
      if (parent != 0) events_.argument("External id", parent);
      if (i == 0 && !more.empty()) events_.members(more);
      events_.end();
      now_ns_ += duration_ns;
    }
  }

  /// What a path says beside its time: FLOPs, bytes, what the program gave. Of all its launches together.
  std::string other_metrics(const json::Value& node) const {
    std::string out;
    const json::Value* metrics = node.find("metrics");
    if (metrics == nullptr || metrics->object() == nullptr) return out;
    for (const auto& [key, value] : *metrics->object()) {
      const bool is_own = key == kTime || key == kDevice || key == "device_type" || (key == kCount && !as_totals_);
      const auto real = value.number();
      if (is_own || !real) continue;
      out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", json::quoted(key), json::Writer().value(*real).take());
    }
    return out;
  }

  Growth growth_;
  std::string held_, text_, devices_;
  ByteSink keep_;
  EventText events_;
  int64_t now_ns_ = 0, next_id_ = 0, launches_ = 0, paths_ = 0, untimed_ = 0;
  uint64_t bytes_ = 0;  // of the events, if each launch is one
  bool as_totals_ = false;
};

bool sniff(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '[' && contains(head, "\"frame\"") &&
         (contains(head, "\"children\"") || contains(head, "\"metrics\"")) && !contains(head, "\"ph\"");
}

Status read(Input& input, const ReadOptions& options, Profile& profile) {
  WL_ASSIGN(const std::string bytes, input.read_all());
  if (!input.damage().ok()) return input.damage().in(input.name());
  const Result<json::Value> parsed = json::parse(bytes);
  if (!parsed.ok()) return parsed.status().in(input.name() + ": a tree of Proton that is cut off or damaged");
  Converter converter(bytes.size());
  for (const json::Value& item : *parsed->array()) {
    if (item.find("frame") != nullptr) converter.tree(item);
    else converter.devices(item);
  }
  if (converter.paths() == 0)
    return invalid_input(input.name() +
                         ": a tree of Proton without a kernel's time (ns): its other metrics (cycles, samples) are not "
                         "read");
  WL_ASSIGN(std::string json, converter.take(input.name()));
  Input events = Input::of_bytes(input.name(), std::move(json));
  WL_TRY(read_input(events, options, profile));
  profile.integrity.add(
      "no-timeline", Severity::kWarning, converter.paths(),
      fmt::format(
          "{}: Proton's tree has total times of {} call paths, but not when each launch ran: {}", input.name(),
          converter.paths(),
          converter.as_totals()
              ? fmt::format("{} launches are shown as one event for each call path", converter.launches())
              : fmt::format("{} launches are shown one after the other, each with the mean duration of its path",
                            converter.launches())),
      "sums and counts are correct; for gaps, order and spread, record with proton.start(data=\"trace\") or "
      "torch.profiler");
  if (converter.untimed() > 0)
    profile.integrity.add(
        "paths-without-time", Severity::kInfo, converter.untimed(),
        fmt::format("{}: {} call paths end without a kernel's time", input.name(), converter.untimed()),
        "they are left out");
  return {};
}

}  // namespace
}  // namespace proton

extern const TraceFormat kHatchet;
const TraceFormat kHatchet = {"Proton's trees (.hatchet)", proton::sniff, proton::read};

}  // namespace warplens
