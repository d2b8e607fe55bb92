#include "warplens/writers/speedscope/speedscope.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/trace/events/event_sink.h"
#include "warplens/writers/events/profile_events.h"

namespace warplens::writers {
namespace {

class Spans final : public EventSink {
 public:
  Spans(const ByteSink& to, SpeedscopeLeftOut& left_out) : to_(to), left_out_(left_out) {}

  Spans& begin(char phase, std::string_view, std::string_view name, std::string_view process, std::string_view thread,
               int64_t time_ns) override {
    phase_ = phase;
    track_ = &tracks_[{std::string(process), std::string(thread)}];
    process_ = process;
    if (phase == 'X') span_ = {frame(name), time_ns, time_ns};
    return *this;
  }
  Spans& duration(int64_t ns) override {
    span_.end_ns = span_.start_ns + ns;
    return *this;
  }
  Spans& field(std::string_view, int64_t) override { return *this; }
  Spans& field(std::string_view, std::string_view) override { return *this; }
  Spans& argument(std::string_view, int64_t) override { return *this; }
  Spans& argument(std::string_view, double) override { return *this; }
  Spans& argument(std::string_view name, std::string_view text) override {
    if (phase_ == 'M') (name == "labels" ? labels_[process_] : track_->label) = text;
    return *this;
  }
  Spans& argument_json(std::string_view, std::string_view) override { return *this; }
  Spans& arguments_json(std::string_view) override { return *this; }
  Spans& argument_list(std::string_view, std::initializer_list<int64_t>) override { return *this; }
  void end() override {
    switch (phase_) {
      case 'X': track_->spans.push_back(span_); break;
      case 'C': ++left_out_.counters; break;
      case 's': ++left_out_.flows; break;
      case 'f':
      case 'M': break;
      default: ++left_out_.instants;
    }
  }

  Status flush() override {
    out_ = R"({"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "warplens",)";
    out_ += "\n\"shared\": {\"frames\": [";
    for (size_t i = 0; i < frames_.size(); ++i)
      put(fmt::format("{}\n{{\"name\": {}}}", i == 0 ? "" : ",", json::quoted(*frames_[i])));
    out_ += "]},\n\"profiles\": [";
    int64_t first_ns = INT64_MAX;
    for (const auto& [key, track] : tracks_) {
      for (const Span& span : track.spans) first_ns = std::min(first_ns, span.start_ns);
    }
    bool is_first = true;
    for (auto& [key, track] : tracks_) {
      if (track.spans.empty()) continue;
      if (!is_first) out_ += ",";
      is_first = false;
      const auto label = labels_.find(key.first);
      put_track(fmt::format("{}: {}", label == labels_.end() ? key.first : label->second,
                            track.label.empty() ? key.second : track.label),
                track, first_ns);
    }
    put("\n]}\n");
    hand_on();
    return status_;
  }

 private:
  struct Span {
    size_t frame = 0;
    int64_t start_ns = 0, end_ns = 0;
  };
  struct Track {
    std::vector<Span> spans;
    std::string label;
  };

  size_t frame(std::string_view name) {
    const auto [at, is_new] = frame_of_.try_emplace(std::string(name), frames_.size());
    if (is_new) frames_.push_back(&at->first);
    return at->second;
  }

  void hand_on() {
    if (status_.ok()) status_ = to_(out_);
    out_.clear();
  }
  void put(std::string_view text) {
    constexpr size_t kMostHeld = 1 << 18;
    out_ += text;
    if (out_.size() > kMostHeld) hand_on();
  }

  void put_track(const std::string& name, Track& track, int64_t first_ns) {
    std::stable_sort(track.spans.begin(), track.spans.end(), [](const Span& a, const Span& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    int64_t last_ns = INT64_MIN;
    for (const Span& span : track.spans) last_ns = std::max(last_ns, span.end_ns);
    put(
        fmt::format("\n{{\"type\": \"evented\", \"name\": {}, \"unit\": \"nanoseconds\", \"startValue\": {}, "
                    "\"endValue\": {}, \"events\": [",
                    json::quoted(name), track.spans.front().start_ns - first_ns, last_ns - first_ns));
    std::vector<const Span*> open;
    bool is_first = true;
    const auto event = [&](char type, const Span& span, int64_t time_ns) {
      put(fmt::format("{}\n{{\"type\": \"{}\", \"frame\": {}, \"at\": {}}}", is_first ? "" : ",", type, span.frame,
                      time_ns - first_ns));
      is_first = false;
    };
    const auto close_until = [&](int64_t time_ns) {
      for (; !open.empty() && open.back()->end_ns <= time_ns; open.pop_back())
        event('C', *open.back(), open.back()->end_ns);
    };
    for (const Span& span : track.spans) {
      close_until(span.start_ns);
      event('O', span, span.start_ns);
      open.push_back(&span);
    }
    close_until(INT64_MAX);
    put("]}");
  }

  const ByteSink& to_;
  SpeedscopeLeftOut& left_out_;
  Status status_;
  std::string out_, process_;
  std::unordered_map<std::string, size_t> frame_of_;
  std::vector<const std::string*> frames_;
  std::map<std::pair<std::string, std::string>, Track> tracks_;
  std::map<std::string, std::string> labels_;
  Track* track_ = nullptr;
  Span span_;
  char phase_ = 'X';
};

}  // namespace

Status speedscope_profile(const Profile& profile, const ByteSink& to, SpeedscopeLeftOut* left_out) {
  const TimedScope timed("write speedscope profile");
  Spans spans(to, *left_out);
  write_profile_events(profile, spans, true);
  return spans.flush();
}

}  // namespace warplens::writers
