// Rows of flows, counters, names, and of all that has no table of its own.
#include "warplens/trace/readers/kineto/numbers.h"
#include "warplens/trace/readers/kineto/rows.h"

namespace warplens::kineto {

void RowBuilder::add_flow(const Event& event, int64_t time_ns) {
  append(chunk_.tables.flows, {.time_ns = time_ns,
                               .id = parse_integer(event.id).value_or(0),
                               .category = text(event.category),
                               .thread = thread_of(event),
                               .is_end = event.phase.text == "f"});
}

void RowBuilder::add_counter(const Event& event, int64_t time_ns) {
  const uint32_t thread = thread_of(event);
  for (const Member& series : event.members) {
    const auto value = parse_real(series.value);
    if (!value) continue;
    scratch_ = unescape(event.name.text);
    if (event.members.size() > 1 || series.key != event.name.text) scratch_.append(" ").append(series.key);
    append(chunk_.tables.counter_samples,
           {.time_ns = time_ns, .name = text(scratch_), .thread = thread, .value = *value});
  }
}

void RowBuilder::add_name(const Event& event) {
  const bool of_process = event.name.text == "process_name";
  if (!of_process && event.name.text != "thread_name") return;  // labels and sort order of viewers
  chunk_.names.push_back({{text(event.process), text(event.thread)}, of_process, text(event[Argument::kName])});
}

size_t RowBuilder::add_other(const Event& event, const Times& times) {
  append(chunk_.tables.other_events,
         {.start_ns = times.start_ns,
          .duration_ns = times.duration_ns,
          .name = text(event.name),
          .category = text(event.category),
          .thread = thread_of(event),
          .args = further_arguments(event, 0),
          .phase = static_cast<uint8_t>(event.phase.text == "B" ? 'X' : event.phase.text[0]),
          .id = text(event.id)});
  return chunk_.tables.other_events.size() - 1;
}

}  // namespace warplens::kineto
