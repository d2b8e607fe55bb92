// warplens bench: kernels timed so that the numbers can be trusted; results compared and plotted.
#include <unistd.h>

#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/bench/results/results_table.h"
#include "warplens/bench/suite/kernel_bench.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/gate.h"
#include "warplens/cli/interrupt.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

Result<bench::KernelRequest> request_of(const Invocation& invocation, const std::string& path) {
  bench::KernelRequest request;
  for (const std::string& text : invocation.list("--axis")) {
    WL_ASSIGN(bench::Axis axis, bench::parse_axis(text));
    request.axes.push_back(std::move(axis));
  }
  request.bytes = invocation.text("--bytes");
  request.flops = invocation.text("--flops");
  request.references = invocation.list("--reference");
  if (invocation.has("--tolerance")) {
    WL_ASSIGN(request.tolerance, invocation.number("--tolerance"));
  }
  if (path.ends_with(".json")) {
    WL_ASSIGN(request.launch_file, read_file(path));
    request.flags.source = path;
    request.folder = std::filesystem::path(path).parent_path().string();
    request.flags.kernel = invocation.text("--kernel");
    return request;
  }
  launch::Flags& flags = request.flags;
  flags.source = path;
  flags.kernel = invocation.text("--kernel");
  flags.arch = invocation.text("--arch");
  flags.grid = invocation.text("--grid");
  flags.block = invocation.text("--block");
  flags.cluster = invocation.text("--cluster");
  flags.shared = invocation.text("--shared");
  flags.cooperative = invocation.has("--cooperative");
  flags.options = invocation.list("--option");
  flags.args = invocation.list("--arg");
  flags.symbols = invocation.list("--symbol");
  return request;
}

constexpr double kSuiteSeconds = 0.3;  // of samples of each kernel

/// A suite is named as it stands in kernels/; a file has a suffix or a folder.
bool is_suite(const std::string& name) {
  std::error_code ignored;
  return name.find_first_of("./") == std::string::npos && !std::filesystem::is_regular_file(name, ignored);
}

/// With -k, which names a kernel in a file, only a suite that is there.
bool means_suite(const Invocation& invocation, const std::string& name) {
  return is_suite(name) && (is_whole_suite(name) || !invocation.has("--kernel"));
}

Result<bench::KernelBenchOptions> options_of(const Invocation& invocation) {
  bench::KernelBenchOptions options;
  std::string regimes = invocation.text("--regime");
  if (regimes == "all") regimes = "cold,warm,throughput";
  for (const std::string_view name : split(regimes, ',')) {
    WL_ASSIGN(const bench::Regime regime, bench::regime_named(name));
    options.regimes.push_back(regime);
  }
  WL_ASSIGN(const double target, invocation.percent("--target"));
  WL_ASSIGN(const double confidence, confidence_share(invocation));
  WL_ASSIGN(const double margin, margin_share(invocation, 0.005));
  WL_ASSIGN(const int64_t limit_ns, invocation.time_ns("--limit"));
  // A suite has many kernels, whose intervals are narrow long before a single one's limit.
  const bool suite = !invocation.has("--limit") && is_suite(invocation.operands[0]);
  options.limit_seconds = suite ? kSuiteSeconds : static_cast<double>(limit_ns) / 1e9;
  WL_ASSIGN(const int64_t samples, invocation.integer("--samples"));
  if (target <= 0 || samples < 2 || limit_ns <= 0)
    return usage_error("--target and --limit must be more than 0, --samples at least 2");
  options.stopping = {confidence, target, std::min<size_t>(20, static_cast<size_t>(samples)),
                      static_cast<size_t>(samples)};
  options.margin = margin;
  options.emulate = invocation.has("--emulate");
  options.gpu = invocation.has("--gpu");
  options.emulated.arch = invocation.text("--arch");
  if (invocation.has("--device")) {
    WL_ASSIGN(options.emulated.device, gpu::find_device(invocation.text("--device")));
  }
  options.against = invocation.text("--against");
  options.against_kernel = invocation.text("--against-kernel");
  WL_ASSIGN(options.noise_trials, invocation.integer("--noise-floor"));
  options.progress = [terminal = ::isatty(2) != 0](const std::string& text) {
    TellOnInterrupt::at(text);
    if (terminal) fmt::print(stderr, "\r\x1b[K{}", printable(text));
  };
  options.note = [](const std::string& text) { tell("warplens bench: {}\n", text); };
  return options;
}

Status emit_results(const Invocation& invocation, const bench::Results& results) {
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(bench::to_json(results)));
    if (invocation.has("--output")) tell("{}", bench::to_text(results, terminal_width()));
    return {};
  }
  if (invocation.format() == Format::kTable)
    return invocation.emit_for_people(bench::to_text(results, terminal_width()));
  return invocation.emit(bench::results_table(results));
}

Result<bench::KernelBench> bench_operand(const Invocation& invocation, const std::string& what,
                                         const bench::KernelBenchOptions& options) {
  if (means_suite(invocation, what)) {
    bench::KernelBench out;
    WL_ASSIGN(out.results, bench_suite(invocation, what, options));
    return out;
  }
  WL_ASSIGN(const bench::KernelRequest request, request_of(invocation, what));
  return bench::bench_kernels(request, options);
}

Result<int> bench_kernels(const Invocation& invocation) {
  if (invocation.operands.size() != 1)
    return usage_error("give one suite (see --list), FILE.cu, .ptx, .cubin or launch file; or compare, or plot");
  WL_ASSIGN(const bench::KernelBenchOptions options, options_of(invocation));
  WL_ASSIGN(const double fail_on, fail_on_share(invocation));
  WL_ASSIGN(const bench::KernelBench done, bench_operand(invocation, invocation.operands[0], options));
  if (::isatty(2) != 0) fmt::print(stderr, "\r\x1b[K");
  WL_TRY(emit_results(invocation, done.results));
  Gate gate(invocation, "bench");
  for (size_t i = 0; i < done.against.size(); ++i) {
    const auto& [label, c] = done.against[i];
    if (done.why.empty())
      tell("{}: {} ({:.4f} of the time, {:.4f} to {:.4f}; margin {:.2g} %, {} pairs)\n", label,
           bench::name_of(c.verdict), c.ratio, c.low, c.high, c.margin * 100, c.pairs);
    else
      tell("{}: {} (its {} is {:.4f} times the other's; margin {:.2g} %)\n{}", label, bench::name_of(c.verdict),
           done.times[i], c.ratio, c.margin * 100, done.why[i].empty() ? "" : "  " + done.why[i] + "\n");
    const bool slower = c.verdict == bench::Verdict::kSlower && c.ratio > 1 + fail_on;
    gate.add({label, slower ? Outcome::kFailed : Outcome::kPassed,
              fmt::format("{}: {:.4f} of the time", bench::name_of(c.verdict), c.ratio), ""});
  }
  bool valid = true;
  for (const bench::Measurement& m : done.results.measurements) {
    if (m.valid) continue;
    valid = false;
    gate.add({m.label(), Outcome::kNotJudged, join(m.errors, "; "), ""});
  }
  WL_ASSIGN(const int code, gate.exit_code());
  return valid ? code : kExitFailed;
}

Result<int> run_bench(const Invocation& invocation) {
  const std::string what = invocation.operands.empty() ? "" : invocation.operands[0];
  const TellOnInterrupt told("bench");
  if (invocation.has("--list")) return bench_list(invocation);
  if (what == "compare") return bench_compare(invocation);
  if (what == "plot") return bench_plot(invocation);
  if (invocation.operands.size() == 1 && is_suite(what)) {
    if (invocation.has("--profile")) return bench_profile(invocation, what);
    if (const std::vector<std::string> peers = peers_in(invocation); !peers.empty()) {
      const bool emulated = invocation.has("--emulate") || !(invocation.has("--gpu") || bench::gpu_is_here());
      if (!emulated) return bench_beside_peers(invocation, what);
      tell("warplens bench: left out: {}, timed on a GPU only\n", join(peers, ", "));
    }
  }
  return bench_kernels(invocation);
}

bool is_first(const Invocation& invocation, std::string_view word) {
  return !invocation.operands.empty() && invocation.operands[0] == word;
}

bool is_suite_given(const Invocation& invocation) {
  return !invocation.operands.empty() && means_suite(invocation, invocation.operands[0]);
}

std::vector<Use> bench_uses() {
  const std::string of_suites = "--impl --sizes --dims --seq-lengths --axis --gpu --emulate";
  const std::string timing = " --regime --target --confidence --samples --limit";
  const std::string of_files =
      "--kernel --axis --bytes --flops --reference --tolerance --gpu --emulate --device --against --against-kernel "
      "--margin"
      " --fail-on --noise-floor" +
      timing;
  const std::string of_launch = "--grid --block --cluster --shared --cooperative --arg --symbol ";
  const std::vector<Tie> ties = {{timing + " --noise-floor --gpu", "", "--emulate"},
                                 {"--margin --fail-on", "--against --against-kernel"},
                                 {"--tolerance", "--reference"},
                                 {"--device", "", "--gpu"}};
  return {{"--list", [](const Invocation& i) { return i.has("--list"); }, "--list"},
          {"compare", [](const Invocation& i) { return is_first(i, "compare"); }, "--margin --fail-on"},
          {"plot", [](const Invocation& i) { return is_first(i, "plot"); }, "--theme", {}, true},
          {"a suite's --profile", [](const Invocation& i) { return is_suite_given(i) && i.has("--profile"); },
           "--profile --trace " + of_suites},
          {"a suite", is_suite_given, "--profile --arch --device " + of_suites + timing, ties},
          {"a launch file", [](const Invocation& i) { return i.operand_ends(".json"); }, "--arch " + of_files, ties},
          {"a cubin", [](const Invocation& i) { return i.operand_ends(".cubin"); }, of_launch + of_files, ties},
          {"a kernel in a file", [](const Invocation& i) { return !i.operands.empty(); },
           of_launch + "--arch --option " + of_files, ties}};
}

}  // namespace

extern const Verb kBench;
const Verb kBench = {
    "bench",
    "time kernels with confidence intervals, compare, plot",
    "SUITE|FILE.cu|LAUNCH.json | compare BASE.json NEW.json | plot RESULTS.json",
    "A suite is a family of kernels that comes with warplens, from naive to fast (--list). Other kernels take the "
    "flags of `warplens kernel`. Outputs are checked on changing inputs. Sampling stops when the confidence "
    "interval of the median is narrow. A run that you cannot trust says why. Flags and launch files may contain "
    "${EXPRESSION} of the axes' values. Without a GPU, kernels are emulated and give counters and bounds instead of "
    "times. -o FILE.json saves the results for compare and plot.",
    {{"--list", "", "list the suites, or those named"},
     {"--impl", "LIST",
      "only these kernels of a suite (the beginning of a name selects the last kernel with it); on a GPU, these of "
      "the Python package too: torch, torch.compile, triton, cub, sdpa.cudnn, sdpa.flash, sdpa.efficient"},
     {"--sizes", "LIST", "sizes of a suite: 2^20,2^26 or 2^20:2^26:*4"},
     {"--dims", "LIST", "the same as --sizes"},
     {"--seq-lengths", "LIST", "the same as --sizes"},
     {"--profile", "", "with one kernel in --impl: report its counters, roofline and findings, and write a trace"},
     {"--trace", "FILE", "file of --profile (default SUITE-STEP.trace.json)"},
     {"-k,--kernel", "NAME", "the kernel of FILE.cu; in a launch file, only this kernel's launches"},
     {"--grid", "X,Y,Z", "blocks", "1"},
     {"--block", "X,Y,Z", "threads of a block", "1"},
     {"--cluster", "X,Y,Z", "blocks of a cluster", "1"},
     {"--shared", "BYTES", "dynamic shared memory of a block: 49152 or 48KiB", "0"},
     {"--cooperative", "", "launch cooperatively"},
     {"--arg",
      "ARG",
      "an argument, as for `warplens kernel`: x=f32[${n}]:uniform(-1,1), i32=${n}; repeated",
      "",
      {},
      true},
     {"--symbol", "ARG", "a module variable to fill; repeated", "", {}, true},
     {"--opt,--option", "OPTION", "pass OPTION to the compiler: --option=-DN=4; repeated", "", {}, true},
     {"--arch", "ARCH", "architecture to compile and emulate for (default: the GPU's, or sm_90)"},
     {"--axis", "NAME=VALUES", "n=1024,4096 or n=2^10:2^24:*4 or n=0:100:+10; repeated axes combine", "", {}, true},
     {"--bytes", "EXPR", "bytes that a call must move: 12*n"},
     {"--flops", "EXPR", "operations that a call must compute: 2*n"},
     {"--reference",
      "FORMULA",
      "the expected buffer, in float64: 'y = 2*x + y0' (y0 is y before the call); repeated",
      "",
      {},
      true},
     {"--tolerance", "T", "accepted relative error of an output's norm (default: by dtype)"},
     {"--regime", "LIST", "cold, warm, throughput or all", "cold"},
     {"--target", "PERCENT", "stop when the interval's half width is this share of the median", "1%"},
     {"--confidence", "PERCENT", "confidence level of the interval, with a correction for repeated checks", "95%"},
     {"--samples", "N", "samples at most", "2000"},
     {"--limit", "TIME", "time limit of each benchmark; 300ms for a suite", "5s"},
     {"--gpu", "", "fail if there is no GPU"},
     {"--emulate", "", "emulate even if there is a GPU"},
     {"--device", "GPU", "the GPU of bounds and modelled times (`warplens device list`)"},
     {"--against", "FILE",
      "compare with the same kernel in FILE (or launch file), in the same process; without a GPU, compare modelled "
      "times"},
     {"--against-kernel", "NAME", "compare with another kernel of the same arguments"},
     {"--margin", "PERCENT", "smaller differences count as equal (default 0.5%; compare: 1%)"},
     {"--noise-floor", "TRIALS", "compare each kernel with itself this many times, and store the differences", "0"},
     {"--fail-on", "PERCENT", "exit with 3 if something is significantly slower, by more than this"},
     {"--theme", "WHICH", "theme of the plots", "both", {"light", "dark", "both"}}},
    {{"warplens bench softmax --impl naive,online --output results.json",
      "kernels of a suite; emulated if there is no GPU"},
     {"warplens bench saxpy.cu -k saxpy --grid '${n/^256}' --block 256 --arg f32=2 --arg 'x=f32[${n}]:uniform' --arg "
      "'y=f32[${n}]:uniform' --arg 'i32=${n}' --axis n=2^20:2^26:*4 --bytes '12*n' --reference 'y = 2*x + y0' -o "
      "new.json",
      "a sweep over sizes of your own kernel, checked"},
     {"warplens bench softmax --impl registers,torch,torch.compile", "together with PyTorch, in one process"},
     {"warplens bench softmax --impl online --profile", "the reason for its time"},
     {"warplens bench compare base.json new.json --fail-on 5%", "verdicts; exit code 3 if something is 5 % slower"},
     {"warplens bench plot new.json -o plots/", "charts as SVG and PNG"}},
    run_bench,
    bench_uses(),
    Prints::kData,
    {},
    false,
    "--list --impl --sizes --profile --kernel --grid --block --arg --axis --reference --emulate --device "
    "--against --fail-on"};

}  // namespace warplens::cli
