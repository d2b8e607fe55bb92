#include "warplens/program/findings/kernel_classes.h"

#include "warplens/base/text.h"
#include "warplens/program/analysis/classify/classify.h"

namespace warplens::findings {
namespace {

const analysis::ClassRules& shipped() {
  static const analysis::ClassRules rules = *analysis::class_rules("");
  return rules;
}

}  // namespace

bool is_compiled(std::string_view name) { return name.starts_with("triton_") || contains(name, "fusion"); }

const analysis::Classes& Context::classes() const {
  if (!classes_)
    classes_ = std::make_shared<const analysis::Classes>(analysis::classify(p, joined.links.event_operator, shipped()));
  return *classes_;
}

std::string_view class_of(const Context& context, const ProgramEvent& event) {
  return shipped().names[context.classes().of_event[event.row]];
}

bool moves_memory(const Context& context, const ProgramEvent& event) {
  const bool host_copy = context.p.device_events.kind[event.row] == DeviceEventKind::kCopy &&
                         !context.is_copy(event, CopyKind::kDeviceToDevice);
  if (host_copy || is_compiled(context.event_name(event))) return false;
  const std::string_view name = class_of(context, event);
  return name == "elementwise" || name == "normalisation" || name == "reduction" || name == "copy";
}

bool is_own_kernel(const Context& c, const ProgramEvent& event) {
  const uint32_t op = c.op_of(event);
  return op == kNone || c.p.operators.kind[op] != OperatorKind::kOperator;
}

}  // namespace warplens::findings
