#include "warplens/collect/host_events.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "warplens/collect/nvtx.h"
#include "warplens/collect/stacks/host_state.h"
#include "warplens/trace/stream/torch_text.h"

namespace warplens::collect {
namespace {

/// Values differ from call to call; when there is no room for more of them, shapes remain.
uint32_t inputs_text(stream::Encoder& encoder, std::string_view inputs) {
  const uint32_t whole = encoder.text(inputs);
  return whole != 0 ? whole : encoder.text(inputs.substr(0, inputs.find(stream::kInputsSeparator)));
}

void begin_range(stream::Encoder& encoder, uint32_t thread, uint64_t at, const HostRecord& record) {
  const stream::TorchText torch = stream::parse_torch_text(record.text);
  if (torch.is_operator)
    encoder.begin_operator(thread, at, encoder.text(torch.name), encoder.text(torch.sizes), torch.sequence);
  else encoder.push(thread, at, encoder.text(record.text), encoder.text(nvtx_domain_name(record.domain)));
}

/// An operator's name and its inputs.
std::pair<uint32_t, uint32_t> texts_of(stream::Encoder& encoder, std::string_view text, size_t name_bytes) {
  name_bytes = std::min(name_bytes, text.size());
  const uint32_t name = encoder.text(text.substr(0, name_bytes));
  return {name, inputs_text(encoder, text.substr(name_bytes))};
}

void begin_operator(stream::Encoder& encoder, uint32_t thread, uint64_t at, const HostRecord& record) {
  const auto [name, inputs] = texts_of(encoder, record.text, record.domain);
  encoder.begin_operator(thread, at, name, inputs, static_cast<int64_t>(record.id) - 1);
}

void add_sample(stream::Encoder& encoder, uint64_t at, const HostRecord& record) {
  const std::string domain =
      std::string(stream::kSampleDomain) + std::string(host_state_name(static_cast<HostState>(record.domain)));
  encoder.mark(static_cast<uint32_t>(record.id), at, encoder.text(record.text), encoder.text(domain));
}

}  // namespace

void OperatorTexts::learn(stream::Encoder& encoder, const HostRecord& record) {
  texts_.resize(kOperatorTexts);
  texts_[record.domain % kOperatorTexts] = texts_of(encoder, record.text, record.id);
}

void OperatorTexts::begin(stream::Encoder& encoder, uint32_t thread, uint64_t time_ns, const HostRecord& record) const {
  const auto [name, inputs] = texts_.at(record.domain);
  encoder.begin_operator(thread, time_ns, name, inputs, static_cast<int64_t>(record.id) - 1);
}

void encode_host_event(stream::Encoder& encoder, uint32_t thread, uint64_t time_ns, const HostRecord& record) {
  const auto text = [&] { return encoder.text(record.text); };
  const auto domain = [&] { return encoder.text(nvtx_domain_name(record.domain)); };
  switch (record.event) {
    case HostEvent::kPush: return begin_range(encoder, thread, time_ns, record);
    case HostEvent::kOperator: return begin_operator(encoder, thread, time_ns, record);
    case HostEvent::kPop: return encoder.pop(thread, time_ns);
    case HostEvent::kMark: return encoder.mark(thread, time_ns, text(), domain());
    case HostEvent::kStart: return encoder.range_start(thread, time_ns, record.id, text(), domain());
    case HostEvent::kEnd: return encoder.range_end(thread, time_ns, record.id);
    case HostEvent::kThreadName: return encoder.thread_name(static_cast<uint32_t>(record.id), record.text);
    case HostEvent::kSample: return add_sample(encoder, time_ns, record);
    case HostEvent::kArguments: return encoder.mark(thread, time_ns, text(), encoder.text(stream::kArgumentsDomain));
    case HostEvent::kOperatorText:
    case HostEvent::kKnownOperator:
    case HostEvent::kRuntimeCall:
    case HostEvent::kDriverCall:
    case HostEvent::kSkip: break;
  }
}

}  // namespace warplens::collect
