#include "warplens/trace/readers/kineto/document.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::kineto {
namespace {

constexpr size_t kMaxEventBytes = size_t{64} << 20;
constexpr std::string_view kEventsKey = "\"traceEvents\"";

}  // namespace

void Document::take(Chunk& chunk, const Stop& stop, std::string_view text) {
  rank_.merge(chunk);
  const std::string_view left = text.substr(static_cast<size_t>(stop.at - text.data()));
  offset_ += text.size() - left.size();
  rest_ = left;
  if (stop.why == Stop::kArrayEnd) {
    state_ = in_object_ ? State::kTop : State::kDone;
    advance();
  }
}

void Document::feed(std::string_view text) {
  rest_ += text;
  if (rest_.size() >= retry_at_) advance();
}

void Document::advance() {
  const size_t size = rest_.size();
  rest_.append(kTextPadding, '\0');
  const char* const begin = rest_.data();
  const char* const end = begin + size;
  const char* p = begin;
  for (bool moved = true; moved && p < end;) {
    const char* const before = p;
    const State state = state_;
    p = state_ == State::kStart    ? advance_start(p, end)
        : state_ == State::kTop    ? advance_top(p, end)
        : state_ == State::kEvents ? advance_events(p, end)
                                   : advance_done(p, end);
    moved = p != before || state != state_;
  }
  const auto used = static_cast<size_t>(p - begin);
  rest_.resize(size);
  rest_.erase(0, used);
  offset_ += used;
  retry_at_ = rest_.size() < (size_t{1} << 20) ? 0 : rest_.size() * 2;
}

const char* Document::advance_start(const char* p, const char* end) {
  if (std::string_view(p, static_cast<size_t>(end - p)).starts_with("\xEF\xBB\xBF")) p += 3;
  p = skip_space(p);
  if (p >= end) return end;
  in_object_ = *p != '[';
  found_events_ = found_events_ || !in_object_;
  state_ = in_object_ ? State::kTop : State::kEvents;
  if (*p == '{' || *p == '[') return p + 1;
  note_syntax(p);
  return p;
}

const char* Document::advance_top(const char* p, const char* end) {
  p = skip_space(p);
  if (*p == ',') p = skip_space(p + 1);
  if (p >= end) return end;
  if (*p == '}') {
    state_ = State::kDone;
    return p + 1;
  }
  const char* const member = p;
  Value key, value;
  Scan scan{p, false};
  if (*p == '"') scan = scan_string(p + 1, key);
  if (scan.ok) {
    p = skip_space(scan.at);
    scan = {p, *p == ':'};
  }
  if (scan.ok) {
    p = skip_space(p + 1);
    if (key.text == "traceEvents" && *p == '[') {
      state_ = State::kEvents;
      found_events_ = true;
      return p + 1;
    }
    scan = scan_value(p, value);
  }
  if (scan.ok) {
    rank_.add_metadata(unescape(key.text), value.raw());
    after_damage_ = false;
    return scan.at;
  }
  const bool may_go_on = scan.at >= end && !ended_ && end - member < static_cast<ptrdiff_t>(kMaxEventBytes);
  if (may_go_on) return member;
  if (!after_damage_) note_syntax(scan.at);
  after_damage_ = true;
  const std::string_view left(scan.at, static_cast<size_t>(end - scan.at));
  const size_t found = left.find(kEventsKey);
  if (found != std::string_view::npos) return left.data() + found;
  return end - std::min(left.size(), ended_ ? 0 : kEventsKey.size());  // the key may stand across two pieces
}

const char* Document::advance_events(const char* p, const char* end) {
  Stop stop{};
  const uint64_t offset = offset_ + static_cast<uint64_t>(p - rest_.data());
  rank_.merge(*parser_.parse({p, static_cast<size_t>(end - p)}, offset, stop));
  if (stop.why == Stop::kArrayEnd) state_ = in_object_ ? State::kTop : State::kDone;
  if (stop.why == Stop::kInsideEvent && end - stop.at > static_cast<ptrdiff_t>(kMaxEventBytes)) {
    note_syntax(stop.at);
    return end;
  }
  return stop.at;
}

const char* Document::advance_done(const char* p, const char* end) {
  p = skip_space(p);
  if (p < end && *p == '{' && in_object_) {  // Proton writes an object a stream, one behind the other
    state_ = State::kStart;
    return p;
  }
  if (p < end && !after_damage_) {
    note_syntax(p);
    after_damage_ = true;
  }
  return end;
}

void Document::note_syntax(const char* at) {
  rank_.integrity().add(
      "invalid-json", Severity::kWarning, 1,
      fmt::format("{}: not valid JSON at byte {}", rank_.name(), offset_ + static_cast<uint64_t>(at - rest_.data())),
      "the rest is read as far as possible; check the program that wrote the trace");
}

void Document::end(bool input_damaged) {
  ended_ = true;
  advance();
  const bool inside_event = state_ == State::kEvents && !rest_.empty();
  const bool array_may_stay_open = state_ == State::kEvents && !in_object_ && !inside_event;
  if (state_ == State::kDone || array_may_stay_open || input_damaged) return;
  const bool events_lost = state_ != State::kTop || !found_events_;
  rank_.integrity().add(
      "truncated", events_lost ? Severity::kError : Severity::kInfo, 1,
      fmt::format("{}: the file ends {} at byte {}; {} whole events were read", rank_.name(),
                  inside_event  ? "inside an event that begins"
                  : events_lost ? "before the list of events does,"
                                : "after its events, without a closing brace,",
                  offset_, rank_.events()),
      events_lost ? "the end of the recording is missing: copy or record the trace again" : "all events are there");
}

}  // namespace warplens::kineto
