// Builds small profiles by hand for tests: one rank, GPU 0, thread rows made as they are named.
#pragma once
#include <string_view>

#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

constexpr int64_t kUs = 1000;  // nanoseconds

class TestProfile {
 public:
  TestProfile() {
    profile.ranks.file.push_back(text("test.json"));
    profile.ranks.rank.push_back(0);
    profile.ranks.world_size.push_back(1);
    profile.ranks.clock_shift_ns.push_back(0);
    profile.ranks.window_start_ns.push_back(0);
    profile.ranks.window_end_ns.push_back(1000);
    auto& d = profile.devices;
    d.rank.push_back(0);
    d.ordinal.push_back(0);
    d.name.push_back(text("NVIDIA H200"));
    d.memory_bytes.push_back(int64_t{141} << 30);
    d.sm_count.push_back(132);
    d.compute_major.push_back(9);
    d.compute_minor.push_back(0);
    d.max_threads_per_sm.push_back(2048);
    d.registers_per_sm.push_back(65536);
    d.shared_bytes_per_sm.push_back(233472);
    d.warp_size.push_back(32);
  }

  uint32_t thread(std::string_view name) {
    auto& t = profile.threads;
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (profile.text(t.thread[row]) == name) return row;
    }
    t.rank.push_back(0);
    t.process.push_back(text("1"));
    t.thread.push_back(text(name));
    t.name.push_back(StringId::kEmpty);
    return static_cast<uint32_t>(t.size() - 1);
  }

  struct Op {
    OperatorKind kind = OperatorKind::kOperator;
    int64_t sequence = -1, forward_thread = 0;
    std::string_view shapes = {}, types = {}, concrete = {};
  };
  /// Its external id is its row + 1.
  uint32_t op(std::string_view on_thread, std::string_view name, int64_t start_ns, int64_t duration_ns) {
    return op(on_thread, name, start_ns, duration_ns, Op{});
  }
  uint32_t op(std::string_view on_thread, std::string_view name, int64_t start_ns, int64_t duration_ns,
              const Op& more) {
    auto& t = profile.operators;
    const auto row = static_cast<uint32_t>(t.size());
    t.start_ns.push_back(start_ns);
    t.duration_ns.push_back(duration_ns);
    t.name.push_back(text(name));
    t.thread.push_back(thread(on_thread));
    t.kind.push_back(more.kind);
    t.external_id.push_back(row + 1);
    t.sequence_number.push_back(more.sequence);
    t.forward_thread.push_back(more.forward_thread);
    t.input_shapes.push_back(text(more.shapes));
    t.input_types.push_back(text(more.types));
    t.concrete_inputs.push_back(text(more.concrete));
    for (auto* column : {&t.input_strides, &t.call_stack, &t.module, &t.args}) column->push_back(StringId::kEmpty);
    return row;
  }

  uint32_t call(std::string_view on_thread, std::string_view name, int64_t start_ns, int64_t duration_ns,
                int64_t correlation, int64_t external_id = 0) {
    auto& t = profile.calls;
    t.start_ns.push_back(start_ns);
    t.duration_ns.push_back(duration_ns);
    t.name.push_back(text(name));
    t.thread.push_back(thread(on_thread));
    t.kind.push_back(CallKind::kRuntime);
    t.correlation.push_back(correlation);
    t.external_id.push_back(external_id);
    return static_cast<uint32_t>(t.size() - 1);
  }

  uint32_t kernel(std::string_view name, int64_t start_ns, int64_t duration_ns, int64_t correlation,
                  int64_t external_id = 0, int64_t stream = 7, DeviceEventKind kind = DeviceEventKind::kKernel) {
    auto& t = profile.device_events;
    t.start_ns.push_back(start_ns);
    t.duration_ns.push_back(duration_ns);
    t.name.push_back(text(name));
    t.kind.push_back(kind);
    t.device.push_back(0);
    t.context.push_back(1);
    t.stream.push_back(stream);
    t.correlation.push_back(correlation);
    t.external_id.push_back(external_id);
    t.graph_id.push_back(0);
    t.graph_node_id.push_back(0);
    t.bytes.push_back(0);
    t.copy_kind.push_back(CopyKind::kNone);
    t.launch_config.push_back(kNone);
    t.collective.push_back(kNone);
    t.args.push_back(StringId::kEmpty);
    return static_cast<uint32_t>(t.size() - 1);
  }

  void flow(std::string_view on_thread, int64_t time_ns, int64_t id, bool is_end) {
    auto& t = profile.flows;
    t.time_ns.push_back(time_ns);
    t.id.push_back(id);
    t.category.push_back(text("fwdbwd"));
    t.thread.push_back(thread(on_thread));
    t.is_end.push_back(is_end);
  }

  StringId text(std::string_view s) { return profile.strings.intern(s); }

  Profile profile;
};

}  // namespace warplens::analysis
