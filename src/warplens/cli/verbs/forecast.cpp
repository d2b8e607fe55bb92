// warplens forecast: how long a program's step is expected to take on GPUs that are not there.
#include "warplens/program/findings/forecast.h"

#include <algorithm>
#include <functional>
#include <map>

#include "warplens/base/stand_in.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/base/text.h"
#include "warplens/cli/device_table.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/recorded_program.h"
#include "warplens/cli/recording_variables.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

using findings::DeviceForecast, findings::ForecastOperator;

struct Forecast {
  std::vector<std::string> devices;
  std::vector<Profile> recordings;
  std::vector<DeviceForecast> of_devices;
  int exit_code = 0;  // of the program, where it failed: nothing else is there then
};

/// The invocation of `record --emulate --torch --memory` on one GPU.
Invocation recording_of(const Invocation& invocation, const std::string& device) {
  Invocation one = on_device(invocation, device);
  for (const char* flag : {"--emulate", "--torch", "--memory"}) one.values[flag] = {""};
  one.values["--devices"] = {"1"};
  one.values["--api"] = {"work"};
  return one;
}

/// The program runs once as each GPU: what it launches may depend on it. Ends early where it fails.
Status record_each(const Invocation& invocation, Forecast& out) {
  WL_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
  for (const std::string& device : out.devices) {
    const Invocation one = recording_of(invocation, device);
    WL_ASSIGN(const Variables variables,
              variables_for_emulation(one, fmt::format("{}/{}.%p.wlens", folder.path(), device)));
    WL_ASSIGN(const RecordedProgram ran, run_recorded(one, variables));
    for (const std::string& refusal : ran.refusals) tell("warplens forecast: {}: not recorded: {}\n", device, refusal);
    for (const std::string& stop : ran.stops) tell("warplens forecast: {}: recording stopped: {}\n", device, stop);
    out.exit_code = ran.exit_code;
    if (ran.exit_code != 0) return {};
    if (ran.files.empty())
      return invalid_input(fmt::format("nothing to forecast: on {}, the program {}", device, without_cuda(ran)));
    WL_ASSIGN(Profile profile, read_profile(ran.files));
    out.recordings.push_back(std::move(profile));
  }
  return {};
}

/// The GPU that a recording was made on, which must be an emulated one.
Result<std::string> device_of(const Profile& profile, const std::string& file) {
  std::string_view name = profile.devices.size() != 0 ? profile.text(profile.devices.name[0]) : std::string_view();
  if (!name.ends_with(kEmulatedMark))
    return invalid_input(
        fmt::format("{} is no recording of an emulated GPU: make it with `warplens record --emulate "
                    "--torch --memory --devices-compare h200,a100 -- PROGRAM`",
                    file));
  name.remove_suffix(kEmulatedMark.size());
  WL_ASSIGN(const gpu::Device* const device, gpu::find_device(name));
  return std::string(device->key);
}

/// Recordings that exist, one for each GPU.
Status read_each(const std::vector<std::string>& files, Forecast& out) {
  for (const std::string& file : files) {
    WL_ASSIGN(Profile profile, read_profile({file}));
    WL_ASSIGN(std::string device, device_of(profile, file));
    out.devices.push_back(std::move(device));
    out.recordings.push_back(std::move(profile));
  }
  return {};
}

Table devices_table(const Forecast& f) {
  Table table{{{"device", "GPU"},
               {"step_ns", "step", Kind::kTimeNs},
               {"low_ns", "low", Kind::kTimeNs},
               {"high_ns", "high", Kind::kTimeNs},
               {"bound_by", "bound by"},
               {"host_ns", "host alone", Kind::kTimeNs},
               {"device_ns", "GPU alone", Kind::kTimeNs},
               {"memory_bytes", "GPU memory", Kind::kBytes},
               {"steps_count", "steps", Kind::kCount}},
              {}};
  for (size_t i = 0; i < f.devices.size(); ++i) {
    const DeviceForecast& d = f.of_devices[i];
    table.rows.push_back({f.devices[i], d.step_ns, d.low_ns, d.high_ns, d.bound_by, d.host_ns, d.device_ns,
                          d.memory_bytes, static_cast<int64_t>(d.steps)});
  }
  return table;
}

/// One row an operator, in the order of the longest that it takes on any GPU; a dash where it did not run.
Table operators_table(const Forecast& f, size_t limit) {
  struct Row {
    double launches = 0;
    int64_t most_ns = 0;
    std::vector<Cell> cells;
  };
  std::map<std::string, Row> rows;
  Table table{{{"name", "operator"}, {"launches", "launches", Kind::kNumber}}, {}};
  for (size_t i = 0; i < f.devices.size(); ++i) {
    table.columns.push_back({f.devices[i] + "_ns", f.devices[i], Kind::kTimeNs});
    for (const ForecastOperator& one : f.of_devices[i].operators) {
      Row& row = rows[one.name];
      row.cells.resize(f.devices.size());
      row.cells[i] = one.device_ns;
      row.launches = std::max(row.launches, one.launches);
      row.most_ns = std::max(row.most_ns, one.device_ns);
    }
  }
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& each) { return each.second.most_ns; });
  sorted.resize(std::min(sorted.size(), limit));
  for (auto& [name, row] : sorted) {
    std::vector<Cell> cells = {name, row.launches};
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// An array: the table's row of each GPU, with all of its operators and kernels.
void write_devices(json::Writer& w, const Forecast& f) {
  const Table table = devices_table(f);
  w.begin_array();
  for (size_t i = 0; i < f.devices.size(); ++i) {
    w.begin_object();
    for (size_t c = 0; c < table.columns.size(); ++c) write_cell(w.key(table.columns[c].name), table.rows[i][c]);
    w.member("own_host", f.of_devices[i].own_host).key("operators").begin_array();
    for (const ForecastOperator& one : f.of_devices[i].operators) {
      w.begin_object().member("name", one.name).member("launches_per_step", one.launches);
      w.member("device_ns", one.device_ns).end_object();
    }
    w.end_array().key("kernels").begin_array();
    for (const findings::ForecastKernel& one : f.of_devices[i].kernels) {
      w.begin_object().member("name", one.name).member("launches_per_step", one.launches);
      w.member("device_ns", one.device_ns).member("low_ns", one.low_ns).member("high_ns", one.high_ns).end_object();
    }
    w.end_array().end_object();
  }
  w.end_array();
}

std::vector<std::string> notes_of(const Forecast& f) {
  std::vector<std::string> notes;
  const DeviceForecast& first = f.of_devices[0];
  notes.push_back(first.has_steps ? fmt::format("times of a step, of {} in the steady state", first.steps)
                                  : std::string("the program marks no steps: times of the whole run"));
  notes.push_back(fmt::format("host times come from the recorded run on an emulated {}", f.devices[0]));
  for (size_t i = 1; i < f.devices.size(); ++i) {
    if (f.of_devices[i].own_host)
      notes.push_back(fmt::format(
          "{}: the program launches different work on this GPU, so the host's times come from its run as this GPU",
          f.devices[i]));
  }
  notes.emplace_back(
      "low and high: the step if all kernels and library calls take the shortest or longest time of their bands; a "
      "band "
      "holds four of five measured times");
  return notes;
}

std::string as_text(const Forecast& f, size_t limit) {
  std::string out = "\n" + to_terminal(devices_table(f), terminal_width()) + "\n" +
                    to_terminal(operators_table(f, limit), terminal_width()) + "\n";
  for (const std::string& note : notes_of(f)) out += note + "\n";
  return out;
}

Result<int> run_forecast(const Invocation& invocation) {
  const bool recorded = !invocation.operands.empty();
  if (invocation.command.empty() != recorded)
    return usage_error("give a program after --: warplens forecast -- python train.py. Or give recordings of it");
  WL_ASSIGN(const size_t limit, invocation.count("--limit"));
  Forecast f;
  if (recorded) {
    WL_TRY(read_each(invocation.operands, f));
  } else {
    WL_ASSIGN(f.devices, device_keys(invocation.text("--devices")));
    WL_TRY(record_each(invocation, f));
  }
  if (f.exit_code != 0) {
    tell("warplens forecast: the program ended with exit code {}, so there is no forecast\n", f.exit_code);
    return f.exit_code;
  }
  f.of_devices = findings::forecast(f.recordings);
  if (f.of_devices[0].step_ns == 0) return invalid_input("nothing to forecast: the program gave the GPU no work");
  const ProfileReport report(invocation, f.recordings[0]);
  if (invocation.format() == Format::kJson) {
    WL_TRY(report.json([&](json::Writer& w) {
      w.member("has_steps", f.of_devices[0].has_steps);
      write_devices(w.key("devices"), f);
      w.list("notes", notes_of(f));
    }));
    return kExitOk;
  }
  WL_TRY(report.table(devices_table(f), as_text(f, limit)));
  return kExitOk;
}

}  // namespace

extern const Verb kForecast;
const Verb kForecast = {
    "forecast",
    "predict a program's step time on other GPUs",
    "[RECORDING...] [-- PROGRAM [ARGUMENT...]]",
    "Runs the program on each emulated GPU, and predicts how long a step takes there. Kernels, library calls and "
    "copies get modelled times. The host's times are measured once, on this computer. Streams and waits are "
    "simulated.\n"
    "Emulated kernels between the host's calls slow the host down. With --sample, launches that repeat others do not "
    "run, and leave the results of an earlier one. Run 40 steps or more.\n"
    "A step is one that the program marks (`record --torch`). A program without steps is one whole run. The forecast "
    "assumes that the program will run on this host: a busy computer makes the forecast too slow.\n"
    "Instead of a program, give files of `record --emulate --torch --memory`, one for each GPU. The host's times come "
    "from the first file.",
    {{"--devices", "GPUS",
      "the GPUs; the host's times come from the run as the first GPU; `warplens device list` names them",
      "h200,h100,a100,b200"},
     {"--limit", "N", "operators to show", "12"},
     budget_flag(),
     sample_flag()},
    {{"warplens forecast -- python train.py", "a training step on four GPUs"},
     {"warplens forecast --devices h100,l40s --json -- ./program", "for scripts"},
     {"warplens forecast run.h200.wlens run.a100.wlens", "from recordings, made here or on another computer"}},
    run_forecast,
    {{"a program", [](const Invocation& i) { return i.operands.empty(); }, "*"},
     {"recordings", [](const Invocation& i) { return !i.operands.empty(); }, "--limit"}}};

}  // namespace warplens::cli
