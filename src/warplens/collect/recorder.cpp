#include "warplens/collect/recorder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "warplens/collect/counters/counter.h"
#include "warplens/collect/host_sampler.h"
#include "warplens/collect/process/clock.h"
#include "warplens/collect/process/journal.h"
#include "warplens/collect/process/ticks.h"
#include "warplens/collect/stacks/launch_stacks.h"
#include "warplens/collect/torch_observer.h"
#include "warplens/collect/writer.h"

namespace warplens::collect {
namespace {

void on_tick();

struct Recorder {
  Recorder()
      : settings(settings_from_environment()),
        buffers(settings.memory_limit_bytes / 2),
        logs(settings.memory_limit_bytes / 4),
        writer(settings, buffers, logs, session, on_tick),
        schedule(settings.plan),
        steps(settings.slow_step),
        start_ns(clock_ns(CLOCK_MONOTONIC)) {}

  Settings settings;
  BufferPool buffers;
  HostLogs logs;
  cupti::Session session;
  Writer writer;
  std::mutex schedule_mutex;
  Schedule schedule;
  StepWatch steps;
  uint64_t start_ns;
  StepWord step_word = StepWord::kOptimizer;
};

// Never destroyed: threads of the program may still hand in ranges while the process ends.
Recorder* recorder = nullptr;
std::atomic<bool> running{false};    // started, and neither stopped nor in a forked child
std::atomic<bool> recording{false};  // and the schedule says so
std::atomic<bool> watches_ranges{false};
std::atomic<bool> signalled{false};
std::atomic<const HostSink*> sink{nullptr};  // whose recording this is instead
uint64_t open_step = 0;                      // its number + 1 while a range of ours is open; 0: none

const std::string kStepName = "ProfilerStep#";
constexpr uint64_t kStepRange = uint64_t{1} << 63;  // ids of steps' ranges; NVTX's own begin at 1

bool has_sink() { return sink.load(std::memory_order_acquire) != nullptr; }

void end_step() {
  if (open_step > 0) record_host_event(HostEvent::kEnd, 0, kStepRange | open_step, {});
}
void begin_step(uint64_t number) {
  open_step = number + 1;
  record_host_event(HostEvent::kStart, 0, kStepRange | open_step, kStepName + std::to_string(number));
}
/// The first that is told by itself is number 1: what came before it is step 0.
uint64_t next_step() { return open_step > 0 ? open_step : 1; }

/// A thread's place in the recorder. It has no destructor: a thread that ends may still call CUDA, from those of
/// others, and each access would first ask whether it is made.
struct ThreadState {
  ThreadLog* log = nullptr;
  ThreadLog* rehearsal = nullptr;  // takes what would go to `log`
  bool refused = false;            // there is no log for it
  bool ended = false;
  uint32_t depth = 0;
};
constinit thread_local ThreadState state;

/// Gives a thread's place back when the thread ends.
struct ThreadEnd {
  std::vector<uint32_t> captures;  // depths of the ranges that began a capture
  std::unique_ptr<ThreadLog> rehearsal;
  ThreadLog* log = nullptr;
  ~ThreadEnd() {
    state = {.refused = true, .ended = true};
    if (log != nullptr) log->close();
  }
};
thread_local ThreadEnd thread_end;

/// `me`: `state`, whose place is looked up once for an event: that is a call of the loader.
ThreadLog* log_of_thread(ThreadState& me) {
  if (me.log != nullptr || me.refused) return me.log;
  me.log = thread_end.log =
      recorder->logs.open(static_cast<uint32_t>(::syscall(SYS_gettid)), static_cast<uint32_t>(::pthread_self()));
  me.refused = me.log == nullptr;
  return me.log;
}
ThreadLog* log_of_thread() { return log_of_thread(state); }

/// The log that takes texts of operators by key; nullptr if operators may begin or end something, or go elsewhere.
ThreadLog* log_of_operators(const ThreadState& me) {
  if (me.rehearsal != nullptr) return me.rehearsal;
  const bool plain = recording.load(std::memory_order_relaxed) && !watches_ranges.load(std::memory_order_relaxed);
  return plain ? me.log : nullptr;
}

void wake_writer(const ThreadState& me, ThreadLog& log) {
  if (&log != me.rehearsal && log.take_quarter_filled()) recorder->writer.wake();
}

void apply_schedule() {
  const bool active = recorder->schedule.active();
  recorder->session.enable(active);
  if (recording.exchange(active) != active) recorder->writer.add_window_mark(now_ns(), active);
}

void watch_range(HostEvent event, std::string_view text) {
  if (event == HostEvent::kPush || event == HostEvent::kOperator) {
    ++state.depth;
    if (!recorder->schedule.is_capture_range(text) || state.ended) return;
    thread_end.captures.push_back(state.depth);
  } else if (event == HostEvent::kPop) {
    const bool ends = !state.ended && !thread_end.captures.empty() && thread_end.captures.back() == state.depth;
    if (state.depth > 0) --state.depth;
    if (!ends) return;
    thread_end.captures.pop_back();
  } else {
    return;
  }
  const std::lock_guard lock(recorder->schedule_mutex);
  recorder->schedule.on_capture(event == HostEvent::kPush);
  apply_schedule();
}

void on_signal(int) { signalled.store(true, std::memory_order_relaxed); }

/// Handlers of exit() run last made, first run: ours has to come before CUDA's and CUPTI's own, which are made while
/// they start. That it is made more than once does no harm.
void stop_at_exit() { std::atexit(stop_recorder); }

void on_tick() {
  if (!running.load(std::memory_order_acquire)) return;
  static bool saw_kernels = false;
  if (!std::exchange(saw_kernels, recorder->writer.saw_kernels()) && saw_kernels) stop_at_exit();
  recorder->session.look_for_guests();
  if (signalled.exchange(false)) recorder->writer.ask_dump("a signal");
  const std::lock_guard lock(recorder->schedule_mutex);
  if (!recorder->schedule.timed()) return;
  recorder->schedule.on_time(clock_ns(CLOCK_MONOTONIC) - recorder->start_ns);
  apply_schedule();
}

void request_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = recorder->buffers.take();
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *max_records = 0;
}

void complete_buffer(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t valid_bytes) {
  if (buffer != nullptr) {
    recorder->session.hand_on(buffer, valid_bytes);
    recorder->buffers.fill({buffer, valid_bytes});
  }
  if (const uint64_t dropped = recorder->session.dropped(context, stream)) recorder->writer.count_dropped(dropped);
  recorder->writer.wake();
}

void on_profiler(bool starts) {
  const std::lock_guard lock(recorder->schedule_mutex);
  recorder->schedule.on_capture(starts);
  apply_schedule();
}

/// When the program profiles itself is a range of the recording.
void on_guest(bool begins) {
  constexpr uint64_t kGuestRange = uint64_t{1} << 62;
  record_host_event(begins ? HostEvent::kStart : HostEvent::kEnd, 0, kGuestRange, begins ? stream::kGuestRange : "");
}

void on_graph_node(uint64_t node, uint64_t original) {
  recorder->writer.add_graph_node(node, original, original == 0 ? current_operator() : std::string_view());
}

void record_launch_stack(uint64_t at, std::string_view stack) {
  ThreadLog* log = log_of_thread();
  if (log != nullptr)
    log->write({HostEvent::kSample, static_cast<uint32_t>(HostState::kLaunches), at, log->thread(), stack});
}

/// Now and then, so that what launches has a name.
void sample_launch(uint64_t at) {
  thread_local uint64_t taken_ns = 0;
  const uint64_t time_ns = now_ns();
  if (time_ns - taken_ns < recorder->settings.stack_ns) return;
  taken_ns = time_ns;
  take_launch_stack(at, record_launch_stack);
}

void on_call(cupti::Domain domain, uint32_t id, uint64_t start, uint64_t end, uint32_t correlation,
             const cupti::Wait* wait) {
  if (!recording.load(std::memory_order_relaxed)) return;
  ThreadLog* log = log_of_thread();
  if (log == nullptr) return recorder->logs.count_lost();
  const CallEnd ended = {end, wait != nullptr ? *wait : cupti::Wait{}};
  log->write({domain == cupti::kDriverApi ? HostEvent::kDriverCall : HostEvent::kRuntimeCall,
              id,
              start,
              correlation,
              {reinterpret_cast<const char*>(&ended), wait != nullptr ? sizeof ended : sizeof ended.ticks}});
  if (recorder->settings.stack_ns > 0) sample_launch(start);
  if (log->take_quarter_filled()) recorder->writer.wake();
}

void in_forked_child() {
  running.store(false);
  recording.store(false);
  watches_ranges.store(false);
  recorder->writer.leave();
}

void create_recorder() {
  recorder = new Recorder;
  watches_ranges = recorder->schedule.captures_ranges();
  if (recorder->settings.without_cuda) recorder->writer.open_file();
  recorder->writer.start();
  ::pthread_atfork(nullptr, nullptr, in_forked_child);
  stop_at_exit();
  if (recorder->settings.dump_signal > 0) ::signal(recorder->settings.dump_signal, on_signal);
  if (recorder->settings.stack_ns > 0) prepare_launch_stacks();
  if (recorder->settings.sample_ns > 0) prepare_host_sampler();
  running = true;
  apply_schedule();
  const bool has_python = ::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr;  // whose sampler calls ours
  if (recorder->settings.sample_ns > 0 && !has_python) start_host_sampler(recorder->settings.sample_ns);
}

}  // namespace

void send_host_events(HostSink to) { sink.store(new HostSink(to), std::memory_order_release); }

void start_recorder() {
  if (has_sink()) return;
  static std::once_flag once;
  std::call_once(once, create_recorder);
}

void attach_cuda() {
  start_recorder();
  log_of_thread();  // so that the calls of this thread have its system id
  Recorder& r = *recorder;
  const cupti::Levels levels = {r.settings.calls, r.settings.all_calls, r.settings.memory,
                                r.schedule.captures_profiler()};
  const cupti::Listener listener = {request_buffer, complete_buffer, on_profiler, on_guest,
                                    on_graph_node,  ticks,           on_call};
  if (const std::string problem = r.session.attach(r.settings.cupti_paths, levels, listener); !problem.empty())
    return tell_journal(r.settings.journal, "refused", problem);
  r.writer.open_file();
  stop_at_exit();
  const std::lock_guard lock(r.schedule_mutex);
  apply_schedule();
}

void record_host_event(HostEvent event, uint32_t domain, uint64_t id, std::string_view text) {
  ThreadState& me = state;
  if (me.rehearsal != nullptr) return static_cast<void>(me.rehearsal->write({event, domain, ticks(), id, text}));
  count_host_event(event, text);
  if (const HostSink* const to = sink.load(std::memory_order_acquire))
    return to->take({event, domain, 0, id, text.substr(0, kMaxRangeText)});
  if (watches_ranges.load(std::memory_order_relaxed)) watch_range(event, text);
  if (!recording.load(std::memory_order_relaxed)) return;
  ThreadLog* log = log_of_thread(me);
  if (log == nullptr) return recorder->logs.count_lost();
  log->write({event, domain, ticks(), id, text});
  if (log->take_quarter_filled()) recorder->writer.wake();
}

void record_operator(std::string_view text, size_t name_bytes, int64_t sequence, uint64_t key) {
  const auto id = static_cast<uint64_t>(sequence + 1);
  const ThreadState& me = state;
  ThreadLog* const log = log_of_operators(me);
  if (log == nullptr || key == 0)
    return record_host_event(HostEvent::kOperator, static_cast<uint32_t>(name_bytes), id, text);
  log->write_operator(key, ticks(), id, text, name_bytes);
  wake_writer(me, *log);
}

bool record_known_operator(uint64_t key, int64_t sequence) {
  const ThreadState& me = state;
  ThreadLog* const log = log_of_operators(me);
  if (log == nullptr || !log->write_known_operator(key, ticks(), static_cast<uint64_t>(sequence + 1))) return false;
  wake_writer(me, *log);
  return true;
}

bool is_recording() { return recording.load(std::memory_order_relaxed) || has_sink() || state.rehearsal != nullptr; }

void rehearse(bool begins) {
  if (!running.load(std::memory_order_acquire) && !has_sink()) return;
  thread_end.rehearsal = begins ? std::make_unique<ThreadLog>() : nullptr;
  state.rehearsal = thread_end.rehearsal.get();
}

void tell_cost(std::string_view key, uint64_t cost_ns) {
  if (const HostSink* const to = sink.load(std::memory_order_acquire)) return to->tell_cost(key, cost_ns);
  if (running.load(std::memory_order_acquire)) recorder->writer.tell_cost(key, cost_ns);
}

bool is_running() { return running.load(std::memory_order_relaxed); }

void record_sample(uint32_t thread, HostState state, uint64_t at, std::string_view stack) {
  if (!recording.load(std::memory_order_relaxed)) return;
  ThreadLog* log = log_of_thread();
  if (log == nullptr) return recorder->logs.count_lost();
  log->write({HostEvent::kSample, static_cast<uint32_t>(state), at, thread, stack});
}

std::vector<uint32_t> recorded_threads() {
  std::vector<uint32_t> out;
  for (const ThreadLog* log : recorder->logs.all()) {
    if (!log->closed()) out.push_back(log->thread());
  }
  return out;
}

bool cuda_has_started() { return !recorder->session.attached() || recorder->writer.saw_kernels(); }

std::string begin_cycle(const std::string& path) {
  start_recorder();
  if (has_sink() || !recorder->schedule.by_program()) return "`warplens record` records this process already";
  recorder->writer.open_file();
  if (const std::string problem = recorder->writer.begin_cycle(path); !problem.empty()) return problem;
  on_profiler(true);
  return "";
}

std::string end_cycle() {
  if (!running.load(std::memory_order_acquire)) return "nothing is recorded";
  recorder->session.flush(false);  // while kinds are on: what is complete comes
  on_profiler(false);
  return recorder->writer.end_cycle();
}

void mark_step(int64_t number) {
  if (!running.load(std::memory_order_acquire) && !has_sink()) return;
  end_step();
  open_step = 0;
  if (number >= 0) begin_step(static_cast<uint64_t>(number));
}

void record_step(StepWord word) {
  const bool told = word == StepWord::kProgram;
  if (has_sink()) {
    if (told) end_step(), begin_step(next_step());
    return;
  }
  if (!running.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(recorder->schedule_mutex);
  if (word < recorder->step_word) return;
  recorder->step_word = word;
  if (told) end_step();
  StepWatch& steps = recorder->steps;
  if (const std::string slow = steps.on_step(clock_ns(CLOCK_MONOTONIC)); !slow.empty()) recorder->writer.ask_dump(slow);
  recorder->writer.tell_step(steps.steps(), steps.last_ns(), steps.median_ns());
  recorder->schedule.on_step();
  apply_schedule();
  if (told) begin_step(next_step());
}

void stop_recorder() {
  if (const HostSink* const to = sink.load(std::memory_order_acquire)) return to->stop();
  if (!running.exchange(false)) return;
  recorder->session.flush(true);
  recording = false;
  watches_ranges = false;
  recorder->writer.stop();
}

}  // namespace warplens::collect
