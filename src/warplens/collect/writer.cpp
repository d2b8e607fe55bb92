#include "warplens/collect/writer.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "warplens/base/json_quoted.h"
#include "warplens/collect/host_events.h"
#include "warplens/collect/metrics.h"
#include "warplens/collect/process/clock.h"
#include "warplens/collect/process/device_facts.h"
#include "warplens/collect/process/journal.h"
#include "warplens/trace/stream/torch_text.h"

namespace warplens::collect {
namespace {

using namespace std::chrono_literals;

constexpr auto kIdle = 100ms;                    // between looks at the logs when nobody wakes the writer
constexpr uint64_t kFlushNs = 1'000'000'000;     // what is older than this is on disk
constexpr uint64_t kFirstFlushNs = 200'000'000;  // while copies are checked for those that only the driver sees
constexpr int kFirstFlushes = 10;
constexpr size_t kKeptBeforeCuda = size_t{4} << 20;  // of ranges before the program uses CUDA

/// CUPTI's own walk over a buffer.
const cupti::Library* walker = nullptr;
bool next_record(uint8_t* buffer, size_t valid_bytes, void** record) {
  return walker->cuptiActivityGetNextRecord(buffer, valid_bytes, record) == cupti::kSuccess;
}

}  // namespace

Writer::Writer(const Settings& settings, BufferPool& buffers, HostLogs& logs, cupti::Session& session, void (*tick)())
    : settings_(settings),
      buffers_(buffers),
      logs_(logs),
      session_(session),
      tick_(tick),
      output_(settings.output, settings.ring_ns,
              settings.ring_ns > 0 ? settings.memory_limit_bytes / 4 : kKeptBeforeCuda,
              settings.plan.capture == Schedule::kByProgram),
      encoder_(output_),
      activities_(encoder_) {}

void Writer::start() {
  // The program's signals are the program's: none is delivered on this thread.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Writer::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (awake_) return;
    awake_ = true;
  }
  woken_.notify_one();
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = awake_ = true;
  }
  woken_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Writer::run() {
  ::pthread_setname_np(::pthread_self(), "warplens");
  buffers_.populate();
  describe_process();
  if (const std::string problem = control_.open(settings_.metrics_port); !problem.empty())
    tell_journal(settings_.journal, "note", problem);
  uint64_t last_flush_ns = now_ns();
  int flushed = 0;
  for (bool stopping = false; !stopping;) {
    {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, kIdle, [this] { return awake_; });
      awake_ = false;
      stopping = stopping_;
    }
    tick_();
    const uint64_t period_ns = flushed < kFirstFlushes ? kFirstFlushNs : kFlushNs;
    const bool flushes = stopping || now_ns() - last_flush_ns >= period_ns;
    flushed += flushes && session_.attached();
    if (flushes && !stopping) session_.flush(false);
    if (flushes) last_flush_ns = now_ns();
    turn(flushes);
    run_task();
    dump_if_asked();
    control_.serve(*this);
  }
  control_.leave();
  encoder_.end();
  encoder_.flush();
  begin_file();
  output_.end_file();
  if (output_.is_ring() && wants_file_) tell_journal(settings_.journal, "file", output_.dump());
}

std::string Writer::on_thread(std::function<std::string()> task) {
  std::unique_lock lock(mutex_);
  if (stopping_) return "recording is over";
  task_ = std::move(task);
  awake_ = true;
  woken_.notify_one();
  task_done_.wait(lock, [this] { return task_ == nullptr; });
  return task_result_;
}

void Writer::run_task() {
  std::unique_lock lock(mutex_);
  if (task_ == nullptr) return;
  const std::function<std::string()> task = task_;
  lock.unlock();
  std::string result = task();
  lock.lock();
  task_result_ = std::move(result);
  task_ = nullptr;
  task_done_.notify_all();
}

std::string Writer::begin_cycle(const std::string& path) {
  return on_thread([this, path] {
    turn(true);  // what came before is in no file
    gave_up_ = false;
    return output_.begin_file(path) ? std::string() : output_.failure();
  });
}

std::string Writer::end_cycle() {
  return on_thread([this] {
    session_.flush(false);
    turn(true);
    encoder_.end();
    encoder_.flush();
    output_.end_file();
    return output_.failure();
  });
}

void Writer::ask_dump(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    dump_wanted_ = why;
  }
  wake();
}

void Writer::tell_step(uint64_t steps, uint64_t last_ns, uint64_t median_ns) {
  steps_ = steps;
  step_ns_ = last_ns;
  median_step_ns_ = median_ns;
}

/// One ring is not written twice for two slow steps in it.
void Writer::dump_if_asked() {
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    why.swap(dump_wanted_);
  }
  if (why.empty() || !output_.is_ring() || now_ns() - last_dump_ns_ < settings_.ring_ns) return;
  dump(why);
}

std::string Writer::dump(const std::string& why) {
  session_.flush(false);
  turn(true);
  if (!output_.is_ring() || !wants_file_) return output_.path();
  encoder_.metadata("dumped_because", json::quoted_utf8(why));
  encoder_.flush();
  last_dump_ns_ = now_ns();
  const std::string path = output_.dump();
  if (!path.empty()) tell_journal(settings_.journal, "file", path);
  return path;
}

std::string Writer::metrics() {
  return open_metrics({activities_.totals(), steps_, step_ns_, median_step_ns_, all_dropped_});
}

void Writer::turn(bool flushes) {
  clock_.sample();
  take_graph_nodes();
  take_window_marks();
  take_costs();
  for (const ThreadLog* log : logs_.all()) activities_.name_thread(log->cupti_thread(), log->thread());
  take_activities();
  take_host_events();
  describe_devices();
  if (!flushes) return;
  if (activities_.misses_copies()) session_.enable_driver_calls();
  encoder_.clock(now_ns(), clock_ns(CLOCK_MONOTONIC_RAW));
  tell_losses();
  encoder_.flush();
  begin_file();
  give_up();
}

void Writer::begin_file() {
  if (!wants_file_.load(std::memory_order_acquire) || output_.is_open()) return;
  output_.open();
  if (!output_.is_ring() && output_.failure().empty()) tell_journal(settings_.journal, "file", output_.path());
}

/// The disk is full or gone: recording stops, the program goes on.
void Writer::give_up() {
  if (gave_up_ || output_.failure().empty()) return;
  gave_up_ = true;
  tell_journal(settings_.journal, "stopped", output_.failure());
  session_.enable(false);
}

void Writer::take_activities() {
  if (session_.attached() && !calls_named_) {
    calls_named_ = true;
    walker = &session_.library();
    for (const cupti::Domain domain : {cupti::kRuntimeApi, cupti::kDriverApi})
      activities_.name_calls(domain, session_.call_names(domain));
    encoder_.metadata("cupti_version", std::to_string(session_.library().version));
  }
  for (FilledBuffer buffer; buffers_.next_filled(buffer);) {
    activities_.write(buffer.data, buffer.valid_bytes, next_record,
                      [&](uint32_t kind) { return session_.records(kind); });
    const auto has_kernels = [](const cupti::ActivityWriter::Totals& device) { return device.kernels > 0; };
    if (!saw_kernels()) saw_kernels_ = std::ranges::any_of(activities_.totals(), has_kernels);
    buffers_.give_back(buffer.data);
  }
}

void Writer::take_host_events() {
  for (ThreadLog* log : logs_.all()) {
    const bool closed = log->closed();  // asked first: what came before it is read below
    OperatorTexts& texts = operator_texts_[log];
    for (HostRecord record; log->read(record);) take(*log, texts, record);
    if (const uint64_t lost = log->take_lost()) encoder_.lost(stream::Lost::kHostEvents, lost);
    if (closed) logs_.recycle(log);
  }
}

void Writer::take(const ThreadLog& log, OperatorTexts& texts, const HostRecord& record) {
  switch (record.event) {
    case HostEvent::kRuntimeCall:
    case HostEvent::kDriverCall: return take_call(log, record);
    case HostEvent::kOperatorText: return texts.learn(encoder_, record);
    case HostEvent::kKnownOperator: return texts.begin(encoder_, log.thread(), clock_.ns(record.ticks), record);
    default: encode_host_event(encoder_, log.thread(), clock_.ns(record.ticks), record);
  }
}

void Writer::take_call(const ThreadLog& log, const HostRecord& record) {
  CallEnd ended{};
  std::memcpy(&ended, record.text.data(), std::min(record.text.size(), sizeof ended));
  const stream::Activity call = {
      .start_ns = clock_.ns(record.ticks), .end_ns = clock_.ns(ended.ticks), .correlation = record.id};
  activities_.write_call(call, record.domain, record.event == HostEvent::kDriverCall, log.thread());
  if (ended.wait.type != 0) activities_.write_wait(call, ended.wait);
}

void Writer::tell_cost(std::string_view key, uint64_t cost_ns) {
  const std::lock_guard lock(mutex_);
  costs_.emplace_back(key, cost_ns);
}

void Writer::take_costs() {
  std::vector<std::pair<std::string, uint64_t>> costs;
  {
    const std::lock_guard lock(mutex_);
    costs.swap(costs_);
  }
  for (const auto& [key, cost_ns] : costs) encoder_.metadata(key, std::to_string(cost_ns));
}

void Writer::add_graph_node(uint64_t node, uint64_t original, std::string_view operator_name) {
  const std::lock_guard lock(mutex_);
  nodes_.push_back({node, original, std::string(operator_name)});
}

void Writer::add_window_mark(uint64_t time_ns, bool starts) {
  const std::lock_guard lock(mutex_);
  window_marks_.push_back({time_ns, starts});
}

void Writer::take_window_marks() {
  std::vector<WindowMark> marks;
  {
    const std::lock_guard lock(mutex_);
    marks.swap(window_marks_);
  }
  for (const WindowMark& mark : marks) {
    mark.starts ? activities_.open_window(mark.time_ns) : activities_.close_window(mark.time_ns);
    encoder_.pause(mark.time_ns, !mark.starts);
  }
}

void Writer::take_graph_nodes() {
  std::vector<NamedNode> nodes;
  {
    const std::lock_guard lock(mutex_);
    nodes.swap(nodes_);
  }
  for (const NamedNode& node : nodes)
    encoder_.graph_node(node.node, node.original, stream::parse_torch_text(node.name).name);
}

void Writer::describe_devices() {
  for (const uint32_t ordinal : activities_.take_new_devices()) {
    stream::Device device{};
    std::string name;
    if (device_facts(ordinal, device, name)) encoder_.device(device);
  }
}

void Writer::describe_process() {
  encoder_.metadata("process", std::to_string(::getpid()));
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  encoder_.metadata("host", json::quoted_utf8(host));
  if (const uint64_t period_ns = settings_.sample_ns > 0 ? settings_.sample_ns : settings_.stack_ns; period_ns > 0)
    encoder_.metadata(stream::kSamplePeriod, std::to_string(period_ns));
  constexpr std::pair<const char*, const char*> kJob[] = {{"RANK", "rank"}, {"WORLD_SIZE", "world_size"}};
  for (const auto& [variable, key] : kJob) {
    if (const char* value = std::getenv(variable)) encoder_.metadata(key, std::to_string(std::atoi(value)));
  }
  encoder_.clock(now_ns(), clock_ns(CLOCK_MONOTONIC_RAW));
}

void Writer::tell_losses() {
  if (const uint64_t count = dropped_.exchange(0)) encoder_.lost(stream::Lost::kActivities, count);
  if (const uint64_t count = logs_.take_lost()) encoder_.lost(stream::Lost::kHostEvents, count);
  if (const uint64_t count = activities_.take_unknown()) encoder_.lost(stream::Lost::kUnknownRecords, count);
  if (const uint64_t count = output_.take_overwritten())
    encoder_.lost(output_.is_ring() ? stream::Lost::kRing : stream::Lost::kHostEvents, count);
}

}  // namespace warplens::collect
