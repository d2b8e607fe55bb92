#include "warplens/program/analysis/timeline/matrix_work.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/program/analysis/operators/flops.h"
#include "warplens/program/analysis/operators/roofline.h"
#include "warplens/program/analysis/operators/shapes.h"

namespace warplens::analysis {
namespace {

class Collector {
 public:
  Collector(const Profile& p, const Causes& causes, const ClassRules& rules)
      : p_(p),
        causes_(causes),
        rules_(rules),
        classes_(classify(p, causes.links.event_operator, rules)),
        matrices_(rules.names.size()) {
    for (size_t c = 0; c < matrices_.size(); ++c)
      matrices_[c] = rules.names[c] == "gemm" || rules.names[c] == "convolution" || rules.names[c] == "attention";
  }

  std::vector<MatrixWork> run() {
    const auto& events = p_.device_events;
    for (uint32_t row = 0; row < events.size(); ++row) {
      if (is_matrix(row)) {
        if (const uint32_t op = counted_operator(row); op != kNone) time_of_op_[op] += events.duration_ns[row];
      }
    }
    for (uint32_t row = 0; row < events.size(); ++row) {
      if (is_matrix(row)) add(row);
    }
    std::stable_sort(out_.begin(), out_.end(),
                     [](const MatrixWork& a, const MatrixWork& b) { return a.device_ns > b.device_ns; });
    return std::move(out_);
  }

 private:
  bool is_matrix(uint32_t row) const {
    return p_.device_events.kind[row] == DeviceEventKind::kKernel && matrices_[classes_.of_event[row]];
  }

  /// The nearest operator around the launch whose operations can be counted, else the launching one.
  uint32_t counted_operator(uint32_t row) const {
    const uint32_t launcher = causes_.links.event_operator[row];
    for (uint32_t op = launcher; op != kNone; op = causes_.operators.parent[op]) {
      if (has_useful_flops(p_.text(p_.operators.name[op]))) return op;
    }
    return launcher;
  }

  double flops_of(uint32_t op) {
    const auto [at, added] = flops_.try_emplace(
        {p_.operators.name[op], p_.operators.input_shapes[op], p_.operators.concrete_inputs[op]}, 0.0);
    if (added) at->second = useful_flops(p_, op).value_or(0);
    return at->second;
  }

  void add(uint32_t row) {
    const auto& events = p_.device_events;
    const uint32_t op = counted_operator(row);
    const StringId none = StringId::kEmpty;
    const Key key{op == kNone ? none : p_.operators.name[op], op == kNone ? none : p_.operators.input_shapes[op],
                  op == kNone ? none : p_.operators.input_types[op], events.name[row], events.device[row]};
    const auto [at, added] = index_.try_emplace(key, out_.size());
    if (added) out_.push_back(described(row, op));
    MatrixWork& work = out_[at->second];
    ++work.count;
    work.device_ns += events.duration_ns[row];
    if (op != kNone && time_of_op_[op] > 0)
      work.flops += flops_of(op) * static_cast<double>(events.duration_ns[row]) / static_cast<double>(time_of_op_[op]);
  }

  MatrixWork described(uint32_t row, uint32_t op) const {
    MatrixWork work;
    if (op != kNone) {
      work.op = p_.text(p_.operators.name[op]);
      work.shapes = torch_shapes(p_.text(p_.operators.input_shapes[op]));
      work.dtype = element_type(p_.text(p_.operators.input_types[op]));
    }
    work.kernel = p_.text(p_.device_events.name[row]);
    work.class_name = rules_.names[classes_.of_event[row]];
    work.tensor_use = classes_.tensor_use[row];
    work.device = p_.device_events.device[row];
    work.peak_tflops = peak_tflops(p_, work.device, work.dtype, work.tensor_use);
    return work;
  }

  using Key = std::tuple<StringId, StringId, StringId, StringId, uint32_t>;
  using FlopsKey = std::tuple<StringId, StringId, StringId>;
  struct Hash {
    template <typename... Ids>
    size_t operator()(const std::tuple<Ids...>& key) const {
      size_t hash = 0;
      std::apply([&](const auto&... id) { ((hash = (hash ^ static_cast<size_t>(id)) * 0x9E3779B97F4A7C15u), ...); },
                 key);
      return hash;
    }
  };

  const Profile& p_;
  const Causes& causes_;
  const ClassRules& rules_;
  const Classes classes_;
  std::vector<uint8_t> matrices_;
  std::unordered_map<uint32_t, int64_t> time_of_op_;
  std::unordered_map<FlopsKey, double, Hash> flops_;
  std::unordered_map<Key, size_t, Hash> index_;
  std::vector<MatrixWork> out_;
};

}  // namespace

std::vector<MatrixWork> matrix_work(const Profile& profile, const Causes& causes, const ClassRules& rules) {
  const TimedScope timed("matrix work");
  return Collector(profile, causes, rules).run();
}

}  // namespace warplens::analysis
