#include "warplens/program/findings/chains.h"

#include <algorithm>
#include <unordered_set>

#include "warplens/base/text.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/tensor_loops.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

constexpr size_t kLongestInstance = 64;
constexpr int64_t kMostHostNs = 300'000;  // of one pointwise operator: a longer one was held up by something else

bool is_convolution(std::string_view name) { return name.starts_with("aten::conv"); }

bool is_update(std::string_view name) {
  return analysis::is_optimizer_step(name) || is_gradient_zeroing(name) || name.ends_with("AccumulateGrad");
}

/// A reduction over rows keeps the chain; one to a single number ends it.
bool keeps_rows(const Context& c, uint32_t op) {
  const std::string_view name = c.op_name(op);
  if (contains(name, "softmax") || contains(name, "logsumexp")) return true;
  const auto concrete = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  const size_t dims = contains(name, "norm") ? 2 : 1;  // norms have their order first
  return concrete.size() > dims && concrete[dims] != "[]" && !concrete[dims].empty();
}

/// Elements that a pointwise operator computes: its inputs are broadcast against each other.
int64_t computed_elements(const Context& c, uint32_t op) {
  analysis::Shape out;
  for (const analysis::InputShape& input : c.shapes(op)) {
    if (input.is_list) return c.largest_input(op);
    out.resize(std::max(out.size(), input.dims.size()), 1);
    for (size_t i = 0; i < input.dims.size(); ++i) {
      int64_t& size = out[out.size() - input.dims.size() + i];
      if (size != input.dims[i] && size != 1 && input.dims[i] != 1) return c.largest_input(op);
      if (size == 1) size = input.dims[i];
    }
  }
  return out.empty() ? 0 : analysis::element_count(out);
}

int64_t input_elements(const Context& c, uint32_t op) {
  int64_t elements = 0;
  for (const analysis::InputShape& input : c.shapes(op))
    elements += input.dims.empty() ? 0 : analysis::element_count(input.dims);
  return elements;
}

struct Item {
  uint32_t event, op;
  int64_t elements;
  bool reduces;
};

class Finder {
 public:
  explicit Finder(const Context& context) : c(context) {
    for (const TensorLoop& loop : c.tensor_loops()) {
      for (const Turn& turn : loop.turns) {
        for (const uint32_t event : events_within(c, span_of(c, turn))) of_loops_.insert(event);
      }
    }
  }

  std::vector<Chain> run() {
    for (uint32_t i = 0; i < c.program.events.size(); ++i) {
      const ProgramEvent& event = c.program.events[i];
      if (c.p.device_events.kind[event.row] == DeviceEventKind::kSet) continue;  // clears a reduction's scratch space
      if (!take(i, event)) close();
    }
    close();
    return std::move(chains_);
  }

 private:
  bool take(uint32_t i, const ProgramEvent& event) {
    const uint32_t op = c.op_of(event);
    if (op == kNone || of_loops_.contains(i)) return false;
    const bool copy = c.p.device_events.kind[event.row] == DeviceEventKind::kCopy;
    if (copy && !c.is_copy(event, CopyKind::kDeviceToDevice)) return false;
    const StringId id = c.p.operators.name[op];
    const bool reduces = reduces_(id);
    if (!reduces && !pointwise_(id)) return false;
    const int64_t elements = reduces ? c.largest_input(op) : computed_elements(c, op);
    if (elements < 2 || in_optimizer(op) || of_convolution_(c.p.operators.name[c.root_of(op)])) return false;
    const std::string_view name = c.op_name(op);
    if (reduces && !keeps_rows(c, op)) return false;
    if (!items_.empty() && (event.stream != c.program.events[items_[0].event].stream || !belongs(name, elements)))
      close();
    items_.push_back({i, op, elements, reduces});
    reduced_ |= reduces;
    largest_ = std::max(largest_, elements);
    return true;
  }

  bool in_optimizer(uint32_t op) {
    while (op != kNone && !updates_(c.p.operators.name[op])) op = c.joined.operators.parent[op];
    return op != kNone;
  }

  /// Tensors of the chain's size, or its rows' statistics once it has reduced.
  bool belongs(std::string_view name, int64_t elements) const {
    return elements == largest_ ||
           (reduced_ && !name.starts_with("aten::copy") && elements < largest_ && largest_ % elements == 0);
  }

  size_t period() const {
    const size_t n = items_.size();
    auto key = [&](size_t i) { return std::pair{c.p.operators.name[items_[i].op], items_[i].elements}; };
    for (size_t p = kLeastChain; p <= n / 2; ++p) {
      bool repeats = true;
      for (size_t i = p; i < n && repeats; ++i) repeats = key(i) == key(i - p);
      if (repeats) return p;
    }
    return std::min(n, kLongestInstance);
  }

  /// The first operator makes the largest tensor of much smaller ones, and it is reduced again.
  bool passes_through() const {
    return items_.size() >= 2 && reduced_ && 2 * input_elements(c, items_[0].op) <= items_[0].elements &&
           items_[0].elements == largest_;
  }

  /// What one kernel for an instance reads and writes.
  void set_traffic(Chain& chain) const {
    chain.read = chain.written = largest_;
    const Item& first = items_[0];
    if (first.elements == largest_) chain.read = std::min(largest_, input_elements(c, first.op));
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(std::min(chain.period, items_.size()));
    const auto whole = [&](const Item& item) { return item.elements == largest_ && !item.reduces; };
    const auto reduction = std::find_if(items_.begin(), end, [](const Item& item) { return item.reduces; });
    if (reduction != end && std::none_of(reduction, end, whole) && !contains(c.op_name(reduction->op), "softmax"))
      chain.written = (end - 1)->elements == largest_ ? 0 : (end - 1)->elements;
  }

  void close() {
    if (items_.size() >= kLeastChain || passes_through()) {
      Chain chain;
      chain.period = period();
      chain.elements = largest_;
      set_traffic(chain);
      bool reduces = false, roots = false, scales = false;
      for (size_t i = 0; i < items_.size(); ++i) {
        chain.events.push_back(items_[i].event);
        if (items_[i].elements == largest_) chain.element_bytes = c.element_bytes(items_[i].op);
        if (i >= chain.period) continue;
        const std::string_view name = c.op_name(items_[i].op);
        scales |= reduces && items_[i].elements == largest_ && !items_[i].reduces;
        reduces |= is_row_reduction(name) && !contains(name, "softmax");
        roots |= contains(name, "sqrt") || contains(name, "var") || contains(name, "std") ||
                 (name == "aten::pow" && contains(c.p.text(c.p.operators.concrete_inputs[items_[i].op]), "-0.5"));
      }
      chain.backward =
          c.around(items_[0].op, [](std::string_view name) { return contains(name, "evaluate_function"); }) != kNone;
      chain.normalises = chain.backward ? differentiates_normalisation() : reduces && roots && scales;
      if (chain.normalises && !chain.backward) note_normalised();
      chains_.push_back(std::move(chain));
    }
    items_.clear();
    largest_ = 0;
    reduced_ = false;
  }

  /// Autograd's numbers of what an operator is part of.
  std::vector<int64_t> sequences(uint32_t op) const {
    std::vector<int64_t> out;
    for (; op != kNone; op = c.joined.operators.parent[op]) {
      if (c.p.operators.sequence_number[op] >= 0) out.push_back(c.p.operators.sequence_number[op]);
    }
    return out;
  }
  void note_normalised() {
    for (const Item& item : items_) {
      for (const int64_t sequence : sequences(item.op)) normalised_.insert(sequence);
    }
  }
  /// Whether most of what the backward pass does here is for normalisations by hand of the forward pass.
  bool differentiates_normalisation() const {
    const auto of_one = std::ranges::count_if(items_, [&](const Item& item) {
      return std::ranges::any_of(sequences(item.op), [&](int64_t sequence) { return normalised_.contains(sequence); });
    });
    return 2 * static_cast<size_t>(of_one) > items_.size();
  }

  const Context& c;
  NameMemo<bool (*)(std::string_view)> pointwise_{c.p, is_pointwise}, reduces_{c.p, is_row_reduction},
      updates_{c.p, is_update}, of_convolution_{c.p, is_convolution};  // which adds its bias by itself
  std::unordered_set<uint32_t> of_loops_;  // indexes into Program::events: kernels for one tensor after the other
  std::vector<Item> items_;
  int64_t largest_ = 0;
  bool reduced_ = false;
  std::unordered_set<int64_t> normalised_;  // autograd's numbers of forward operators in such chains
  std::vector<Chain> chains_;
};

}  // namespace

const std::vector<Chain>& Context::chains() const {
  if (!chains_) chains_ = std::make_shared<const std::vector<Chain>>(Finder(*this).run());
  return *chains_;
}

int64_t fused_ns(const Context& c, const Chain& chain) {
  // A normalisation's backward pass reads both tensors again for the weights' gradients.
  const int more = !chain.backward ? 0 : chain.normalises ? 3 : 1;
  const double elements = static_cast<double>(chain.read + chain.written + more * chain.elements);
  const double operations = static_cast<double>(chain.elements) * static_cast<double>(chain.period);
  const double compute_ns = c.hardware.fp32_flops_per_ns > 0 ? operations / c.hardware.fp32_flops_per_ns : 0;
  return static_cast<int64_t>(std::max(moving_ns(c, elements * chain.element_bytes), compute_ns));
}

void fuse(const Context& c, const Chain& chain, Change& change) {
  for (size_t begin = 0; begin < chain.events.size(); begin += chain.period) {
    const size_t end = std::min(begin + chain.period, chain.events.size());
    const std::vector<uint32_t> instance(chain.events.begin() + static_cast<std::ptrdiff_t>(begin),
                                         chain.events.begin() + static_cast<std::ptrdiff_t>(end));
    run_as_one(c, instance, static_cast<double>(std::max(fused_ns(c, chain), chain.least_ns)), change);
    const int64_t first_end = c.span_of(c.root_of(c.op_of(c.program.events[chain.events[begin]]))).end_ns;
    for (size_t i = begin + 1; i < end; ++i) {
      const ProgramEvent& event = c.program.events[chain.events[i]];
      analysis::Span span = c.span_of(c.root_of(c.op_of(event)));
      span.end_ns = std::min(span.end_ns, span.start_ns + kMostHostNs);
      change.host_removed.push_back(
          {i == begin + 1 ? std::max(first_end, c.span_of(c.op_of(event)).start_ns) : span.start_ns, span.end_ns});
    }
  }
}

std::string chain_names(const Context& c, const Chain& chain) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(chain.period, 12); ++i) {
    std::string_view name = c.op_name(c.op_of(c.program.events[chain.events[i]]));
    if (name.starts_with("aten::")) name.remove_prefix(6);
    names.emplace_back(name);
  }
  if (chain.period > 12) names.emplace_back("...");
  return join(names, ", ");
}

}  // namespace warplens::findings
