// The writer thread: takes the buffers of CUPTI and of the program's threads, encodes them, and writes the file.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warplens/collect/buffers.h"
#include "warplens/collect/control.h"
#include "warplens/collect/cupti/activities.h"
#include "warplens/collect/cupti/session.h"
#include "warplens/collect/host_events.h"
#include "warplens/collect/log/host_logs.h"
#include "warplens/collect/output.h"
#include "warplens/collect/process/ticks.h"
#include "warplens/collect/settings/settings.h"
#include "warplens/trace/stream/encoder.h"

namespace warplens::collect {

class Writer : private Control::Answers {
 public:
  /// `tick` is called on the writer's thread at each of its turns.
  Writer(const Settings& settings, BufferPool& buffers, HostLogs& logs, cupti::Session& session, void (*tick)());

  void start();
  /// Whether a kernel of the program has been written.
  bool saw_kernels() const { return saw_kernels_.load(std::memory_order_relaxed); }
  void wake();
  /// Writes everything pending, then ends; the file gets its end mark.
  void stop();

  /// The ring is written out soon, unless it was a moment ago.
  void ask_dump(const std::string& why);
  /// For monitoring: the times of the last step.
  void tell_step(uint64_t steps, uint64_t last_ns, uint64_t median_ns);
  /// A file for everything recorded until end_cycle(), which returns once it is complete. The text describes the error.
  std::string begin_cycle(const std::string& path);
  std::string end_cycle();
  /// In a forked child.
  void leave() { control_.leave(); }

  void count_dropped(uint64_t activities) {
    dropped_ += activities;
    all_dropped_ += activities;
  }
  void tell_cost(std::string_view key, uint64_t cost_ns);
  void add_graph_node(uint64_t node, uint64_t original, std::string_view operator_name);
  /// Recording starts or pauses, as the schedule says.
  void add_window_mark(uint64_t time_ns, bool starts);
  /// Begins the file, once CUDA is used.
  void open_file() { wants_file_.store(true, std::memory_order_release); }
  const std::string& file() const { return output_.path(); }

 private:
  std::string snapshot() override { return dump("asked for from outside"); }
  std::string metrics() override;
  std::string dump(const std::string& why);
  void dump_if_asked();
  std::string on_thread(std::function<std::string()> task);
  void run_task();
  void run();
  void turn(bool flushes);
  void take_activities();
  void take_host_events();
  void take(const ThreadLog& log, OperatorTexts& texts, const HostRecord& record);
  void take_call(const ThreadLog& log, const HostRecord& record);
  void take_graph_nodes();
  void take_window_marks();
  void take_costs();
  void describe_devices();
  void describe_process();
  void tell_losses();
  void begin_file();
  void give_up();

  struct WindowMark {
    uint64_t time_ns;
    bool starts;
  };
  struct NamedNode {
    uint64_t node, original;
    std::string name;
  };

  Settings settings_;
  BufferPool& buffers_;
  HostLogs& logs_;
  cupti::Session& session_;
  void (*tick_)();
  Output output_;
  stream::Encoder encoder_;
  cupti::ActivityWriter activities_;
  TickClock clock_;
  std::unordered_map<const ThreadLog*, OperatorTexts> operator_texts_;
  bool calls_named_ = false, gave_up_ = false;
  std::atomic<bool> wants_file_{false};
  std::atomic<bool> saw_kernels_{false};
  std::atomic<uint64_t> dropped_{0}, all_dropped_{0};
  std::atomic<uint64_t> steps_{0}, step_ns_{0}, median_step_ns_{0};
  Control control_;
  uint64_t last_dump_ns_ = 0;

  std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false, stopping_ = false;
  std::string dump_wanted_;
  std::function<std::string()> task_;  // of another thread that waits for its result
  std::string task_result_;
  std::condition_variable task_done_;
  std::vector<NamedNode> nodes_;
  std::vector<WindowMark> window_marks_;
  std::vector<std::pair<std::string, uint64_t>> costs_;
  std::thread thread_;
};

}  // namespace warplens::collect
