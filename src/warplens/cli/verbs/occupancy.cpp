// warplens occupancy: how full an SM gets with given blocks, what limits it, and what would raise it.
#include "warplens/gpu/occupancy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "warplens/base/demangle.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/build/compile/kernel_names.h"
#include "warplens/cli/verb.h"
#include "warplens/gpu/device.h"
#include "warplens/inspect/load.h"
#include "warplens/launch/flags.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

struct Question {
  const gpu::Arch* arch = nullptr;
  const gpu::Device* device = nullptr;
  gpu::BlockNeeds needs;
  int cluster_blocks = 0;            // 0: not asked about
  int64_t grid_blocks = 0;           // 0: not asked about
  std::string kernel;                // of a file
  std::vector<std::string> assumed;  // what neither the command line nor the kernel says
};

/// The most clusters that a GPU can hold at once: each lies within one of its processing clusters of SMs (16 or 18 SMs
/// on Hopper), whose number of working SMs differs from part to part, so that this is an upper bound.
int64_t most_clusters(const gpu::Device& device, const gpu::Occupancy& occupancy, int blocks) {
  constexpr int kSmsTogether = 18;
  const int groups = (device.sms + kSmsTogether - 1) / kSmsTogether;
  int64_t clusters = 0;
  for (int group = 0; group < groups; ++group) {
    const int sms = device.sms / groups + (group < device.sms % groups ? 1 : 0);
    clusters += int64_t{sms} * occupancy.blocks / blocks;
  }
  return clusters;
}

/// The waves of a grid: as many blocks run at once as fit on all SMs.
struct Waves {
  int64_t at_once = 0, of_last_wave = 0;
  double count = 0;
};

Waves waves_of(const Question& asked, const gpu::Occupancy& occupancy) {
  Waves out{.at_once = int64_t{occupancy.blocks} * asked.device->sms};
  if (out.at_once == 0) return out;
  out.count = static_cast<double>(asked.grid_blocks) / static_cast<double>(out.at_once);
  out.of_last_wave = (asked.grid_blocks - 1) % out.at_once + 1;
  return out;
}

std::string waves_text(const Question& asked, const gpu::Occupancy& occupancy) {
  const Waves waves = waves_of(asked, occupancy);
  if (waves.at_once == 0) return "";
  return fmt::format(
      "{} blocks take {:.2f} waves on {}: {} blocks run at once, and the last wave has {}, {:.0f} % of a full one\n",
      asked.grid_blocks, waves.count, asked.device->name, waves.at_once, waves.of_last_wave,
      100.0 * static_cast<double>(waves.of_last_wave) / static_cast<double>(waves.at_once));
}

/// The flag's number, `otherwise` when it was not given.
Result<int> bounded(const Invocation& invocation, const char* flag, int64_t low, int64_t high, int otherwise) {
  if (!invocation.has(flag)) return otherwise;
  WL_ASSIGN(const int64_t value, invocation.integer(flag));
  if (value < low || value > high) {
    return usage_error(fmt::format("{} {}: give a number from {} to {}", flag, value, low, high));
  }
  return static_cast<int>(value);
}

/// The flag's size, 0 when it was not given.
Result<int> shared_bytes(const Invocation& invocation, const char* flag) {
  if (!invocation.has(flag)) return 0;
  WL_ASSIGN(const int64_t bytes, invocation.bytes(flag));
  if (bytes > 1 << 30) return usage_error(fmt::format("{} {}: give 1GiB at most", flag, invocation.text(flag)));
  return static_cast<int>(bytes);
}

/// -1, the driver's choice, or 0 to 100.
Result<int> carveout_percent(const Invocation& invocation) {
  if (invocation.text("--carveout") == "-1") return -1;
  WL_ASSIGN(const double share, invocation.percent("--carveout"));
  if (share > 1) return usage_error(fmt::format("--carveout {}: give 0% to 100%", invocation.text("--carveout")));
  return static_cast<int>(std::lround(100 * share));
}

Result<Question> question(const Invocation& invocation) {
  Question out;
  if (invocation.has("--device")) {
    WL_ASSIGN(out.device, gpu::find_device(invocation.text("--device")));
    out.arch = &out.device->architecture();
  }
  if (invocation.has("--arch") || !out.arch) {
    WL_ASSIGN(out.arch, gpu::find_arch(invocation.has("--arch") ? invocation.text("--arch") : "sm_90"));
  }
  if (!out.device) out.device = &gpu::default_device(*out.arch);
  WL_ASSIGN(out.needs.threads, bounded(invocation, "--block", 1, 1024, 256));
  WL_ASSIGN(out.needs.registers, bounded(invocation, "--regs", 0, 255, 32));
  WL_ASSIGN(out.needs.static_shared_bytes, shared_bytes(invocation, "--static-smem"));
  WL_ASSIGN(out.needs.dynamic_shared_bytes, shared_bytes(invocation, "--smem"));
  if (!invocation.has("--block"))
    out.assumed.push_back(fmt::format("{} threads per block (--block)", out.needs.threads));
  if (!invocation.has("--regs"))
    out.assumed.push_back(fmt::format("{} registers per thread (--regs)", out.needs.registers));
  if (!invocation.has("--smem") && !invocation.operands.empty())
    out.assumed.emplace_back("no dynamic shared memory (--smem)");
  WL_ASSIGN(out.needs.barriers, bounded(invocation, "--barriers", 0, 16, 1));
  WL_ASSIGN(out.needs.carveout_percent, carveout_percent(invocation));
  if (invocation.has("--grid")) {
    WL_ASSIGN(const simt::Dim3 grid, launch::parse_dim3("grid", invocation.text("--grid")));
    out.grid_blocks = int64_t{grid[0]} * grid[1] * grid[2];
  }
  WL_ASSIGN(out.cluster_blocks, bounded(invocation, "--cluster", 1, 16, 0));
  if (out.cluster_blocks > 1 && out.arch->major < 9)
    return usage_error(fmt::format("--cluster: {} has no clusters; they came with sm_90", out.arch->name()));
  return out;
}

/// The needs of a compiled kernel, where the command line says nothing else.
void take_from(const inspect::Kernel& kernel, const Invocation& invocation, Question* asked) {
  gpu::BlockNeeds* const needs = &asked->needs;
  const auto is_known = [&](std::string_view flag) {
    std::erase_if(asked->assumed, [&](const std::string& each) { return each.ends_with(flag); });
  };
  const auto threads = [](const std::array<uint32_t, 3>& size) {
    return static_cast<int>(size[0] * std::max(size[1], 1u) * std::max(size[2], 1u));
  };
  if (!invocation.has("--regs")) needs->registers = static_cast<int>(kernel.registers);
  if (!invocation.has("--static-smem")) needs->static_shared_bytes = kernel.shared_bytes;
  if (!invocation.has("--barriers")) needs->barriers = static_cast<int>(std::max(kernel.barriers, 1u));
  if (!invocation.has("--block") && threads(kernel.required_threads) > 0)
    needs->threads = threads(kernel.required_threads);
  is_known("(--regs)");
  if (threads(kernel.required_threads) > 0) is_known("(--block)");
}

/// The kernels of a file, one question each.
Result<std::vector<Question>> questions_of(const Invocation& invocation) {
  if (invocation.operands.size() > 1) return usage_error("give one file (.cu, .ptx or .cubin), or no file");
  WL_ASSIGN(Question base, question(invocation));
  if (invocation.operands.empty()) return std::vector<Question>{base};
  inspect::Options options;
  if (invocation.has("--arch") || invocation.has("--device")) options.arch = base.arch->name();
  options.compiler = invocation.list("--option");
  WL_ASSIGN(const inspect::Report report, inspect::load(invocation.operands[0], options));
  if (!invocation.has("--arch") && !invocation.has("--device")) {
    WL_ASSIGN(base.arch, gpu::find_arch(report.architecture));
    base.device = &gpu::default_device(*base.arch);
  }
  std::vector<Question> out;
  std::vector<std::string> names;
  for (const inspect::Kernel& kernel : report.kernels) {
    if (kernel.is_kernel) names.push_back(kernel.name);
  }
  std::string wanted;
  if (invocation.has("--kernel")) {
    const Result<std::string> name = compile::choose_kernel(names, invocation.text("--kernel"));
    if (!name.ok()) return name.status().in(invocation.operands[0]);
    wanted = *name;
  }
  for (const inspect::Kernel& kernel : report.kernels) {
    if (!kernel.is_kernel || (!wanted.empty() && kernel.name != wanted)) continue;
    if (!kernel.has_sass)
      return unsupported(fmt::format("{}: only machine code has registers; {}", invocation.operands[0],
                                     report.notes.empty() ? "there is none" : report.notes[0]));
    Question each = base;
    each.kernel = short_name(kernel.name);
    take_from(kernel, invocation, &each);
    out.push_back(std::move(each));
  }
  if (out.empty()) return not_found(invocation.operands[0] + ": it has no kernels (__global__ functions)");
  return out;
}

Table limits_table(const gpu::Occupancy& result) {
  Table table{{{"resource", "resource"}, {"blocks", "blocks it allows", Kind::kCount}, {"limits", "limits"}}, {}};
  auto row = [&](const char* name, int blocks, gpu::Limiter limiter) {
    Cell allowed;
    if (blocks != gpu::kUnlimited) allowed = int64_t{blocks};
    table.rows.push_back({name, allowed, std::string(result.limiters & limiter ? "yes" : "")});
  };
  row("warps", result.by_warps, gpu::kLimitWarps);
  row("registers", result.by_registers, gpu::kLimitRegisters);
  row("shared memory", result.by_shared, gpu::kLimitShared);
  row("blocks", result.by_blocks, gpu::kLimitBlocks);
  row("barriers", result.by_barriers, gpu::kLimitBarriers);
  return table;
}

/// Of all block sizes the one that holds most warps, and how many; zeros if none can run.
std::pair<int, int> best_block(const gpu::Arch& arch, gpu::BlockNeeds needs) {
  needs.threads = gpu::best_block_size(arch, needs);
  return {needs.threads, needs.threads ? gpu::occupancy(arch, needs).warps : 0};
}

std::string for_people(const Question& asked, const gpu::Occupancy& result) {
  const gpu::BlockNeeds& needs = asked.needs;
  std::string out = asked.kernel.empty() ? "" : asked.kernel + "\n";
  out += fmt::format("{} ({}), {} threads per block, {} registers per thread, {} shared memory per block\n\n",
                     asked.arch->name(), asked.arch->family, needs.threads, needs.registers,
                     format_bytes(static_cast<double>(needs.static_shared_bytes + needs.dynamic_shared_bytes)));
  out += fmt::format("occupancy {:.1f} %: {} of {} warps, {} block{} an SM\n", 100 * result.fraction(), result.warps,
                     result.max_warps, result.blocks, result.blocks == 1 ? "" : "s");
  out += result.blocks
             ? fmt::format("limited by {}\n\n", join(gpu::limiter_names(result.limiters), ", "))
             : fmt::format("such a block cannot run: {}\n\n", join(gpu::limiter_names(result.limiters), ", "));
  out += to_terminal(limits_table(result), 0);
  for (const gpu::Step& step : gpu::next_steps(*asked.arch, needs)) {
    out += fmt::format("\n{}: {} warps, {:.1f} %", step.change, step.warps, 100.0 * step.warps / result.max_warps);
  }
  const auto [best, warps] = best_block(*asked.arch, needs);
  out += !best                  ? "\nno block size can run with these needs\n"
         : warps > result.warps ? fmt::format("\nbest block size for these needs: {} threads, {} warps\n", best, warps)
                                : "\nno other block size holds more warps\n";
  if (asked.grid_blocks > 0) out += waves_text(asked, result);
  if (asked.cluster_blocks > 0) {
    out += fmt::format(
        "clusters of {} blocks: at most {} at once on {}{}\n", asked.cluster_blocks,
        most_clusters(*asked.device, result, asked.cluster_blocks), asked.device->name,
        asked.cluster_blocks > 8 ? "; more than 8 need cudaFuncAttributeNonPortableClusterSizeAllowed" : "");
  }
  return out;
}

void write_json(json::Writer& w, const Question& asked, const gpu::Occupancy& result) {
  if (!asked.kernel.empty()) w.member("kernel", asked.kernel);
  w.member("arch", asked.arch->name())
      .member("threads_per_block", asked.needs.threads)
      .member("registers", asked.needs.registers)
      .list("assumed", asked.assumed);
  w.member("occupancy", result.fraction()).member("blocks_per_sm", result.blocks).member("warps_per_sm", result.warps);
  w.member("max_warps_per_sm", result.max_warps)
      .list("limiters", gpu::limiter_names(result.limiters))
      .member("shared_bytes_allocated_per_block", result.shared_bytes_allocated);
  w.member("shared_bytes_configured", result.shared_bytes_configured).key("limits");
  write_rows(w, limits_table(result));
  w.key("next_steps").begin_array();
  for (const gpu::Step& step : gpu::next_steps(*asked.arch, asked.needs)) {
    w.begin_object().member("change", step.change).member("warps_per_sm", step.warps);
    w.member("blocks_per_sm", step.blocks).end_object();
  }
  w.end_array().member("best_block_size", gpu::best_block_size(*asked.arch, asked.needs));
  if (asked.cluster_blocks > 0) w.member("max_clusters", most_clusters(*asked.device, result, asked.cluster_blocks));
  if (asked.grid_blocks > 0) {
    const Waves waves = waves_of(asked, result);
    w.member("device", asked.device->name).member("grid_blocks", asked.grid_blocks).member("waves", waves.count);
    w.member("blocks_at_once", waves.at_once).member("blocks_of_last_wave", waves.of_last_wave);
  }
}

/// One object; of a file, the kernels' objects under "kernels".
std::string as_json(const std::vector<Question>& asked) {
  json::Writer w(true);
  w.begin_object().member("schema_version", kSchemaVersion);
  const bool many = !asked[0].kernel.empty();
  if (many) w.key("kernels").begin_array();
  for (const Question& each : asked) {
    if (many) w.begin_object();
    write_json(w, each, gpu::occupancy(*each.arch, each.needs));
    if (many) w.end_object();
  }
  if (many) w.end_array();
  return w.end_object().take() + "\n";
}

/// One row per kernel.
Table kernels_table(const std::vector<Question>& asked) {
  Table table{{{"kernel", "kernel"},
               {"registers", "registers", Kind::kCount},
               {"shared_bytes", "shared memory", Kind::kBytes},
               {"threads_per_block", "block", Kind::kCount},
               {"warps_per_sm", "warps", Kind::kCount},
               {"occupancy", "occupancy", Kind::kShare},
               {"limiters", "limited by"},
               {"better_block_size", "better block", Kind::kCount}},
              {}};
  const bool clusters = asked[0].cluster_blocks > 0;
  const bool grid = asked[0].grid_blocks > 0;
  if (grid) table.columns.push_back({"waves", "waves", Kind::kNumber});
  if (clusters) table.columns.push_back({"clusters", "clusters at once, at most", Kind::kCount});
  for (const Question& each : asked) {
    const gpu::Occupancy result = gpu::occupancy(*each.arch, each.needs);
    const auto [best, warps] = best_block(*each.arch, each.needs);
    table.rows.push_back({each.kernel, int64_t{each.needs.registers},
                          each.needs.static_shared_bytes + each.needs.dynamic_shared_bytes, int64_t{each.needs.threads},
                          int64_t{result.warps}, result.fraction(), join(gpu::limiter_names(result.limiters), ", "),
                          warps > result.warps ? Cell{int64_t{best}} : Cell{}});
    if (grid) table.rows.back().emplace_back(waves_of(each, result).count);
    if (clusters) table.rows.back().emplace_back(most_clusters(*each.device, result, each.cluster_blocks));
  }
  return table;
}

/// The assumptions that hold for any of them, each once.
std::string assumed_text(const std::vector<Question>& asked) {
  std::vector<std::string> all;
  for (const Question& each : asked) {
    for (const std::string& one : each.assumed)
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  return join(all, ", ");
}

Result<int> run_occupancy(const Invocation& invocation) {
  WL_ASSIGN(const std::vector<Question> asked, questions_of(invocation));
  const gpu::Occupancy result = gpu::occupancy(*asked[0].arch, asked[0].needs);
  if (const std::string assumed = assumed_text(asked); !assumed.empty() && invocation.format() != Format::kJson)
    std::fputs(fitted("note: assumed " + assumed + "\n", terminal_width()).c_str(), stderr);
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(as_json(asked)));
  } else if (asked.size() > 1) {
    WL_TRY(invocation.emit(kernels_table(asked)));
  } else if (invocation.format() == Format::kTable) {
    WL_TRY(invocation.emit_for_people(for_people(asked[0], result)));
  } else {
    WL_TRY(invocation.emit(limits_table(result)));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kOccupancy;
const Verb kOccupancy = {
    "occupancy",
    "compute how many warps an SM holds, and the resource that limits them",
    "[FILE]",
    "FILE is CUDA C++, PTX or a cubin. Registers, shared memory and barriers then come from its kernels.\nThe "
    "results equal those of cuda_occupancy.h, for any architecture of compute capability 7.0 or later, without a GPU.",
    {{"--arch", "ARCH", "architecture: sm_90, 8.6, ... (default: that of --device, else sm_90)"},
     {"--device", "GPU", "a GPU of `warplens device list` instead of an architecture"},
     {"-k,--kernel", "NAME", "one kernel of the file"},
     {"--opt,--option", "OPTION", "pass OPTION to the compiler: --option=-DN=4", "", {}, true},
     {"--cluster", "N", "blocks of a cluster: how many clusters run at once"},
     {"--grid", "X,Y,Z", "blocks of a launch: how many waves they take, and how full the last one is"},
     {"--block", "N", "threads per block (256, or what a file's kernel requires)"},
     {"--regs", "N", "registers per thread (32, or the file's)"},
     {"--smem", "BYTES", "dynamic shared memory per block (0)"},
     {"--static-smem", "BYTES", "static shared memory per block (0, or the file's)"},
     {"--barriers", "N", "named barriers the kernel uses (1, or the file's)"},
     {"--carveout", "PERCENT", "preferred share of shared memory in the unified cache; -1: the driver's choice", "-1"}},
    {{"warplens occupancy gemm.cu --arch sm_90 --block 128", "every kernel of a file"},
     {"warplens occupancy --arch sm_90 --regs 168 --block 64 --smem 17408", "limited by registers, with remedies"}},
    run_occupancy,
    {{"no file", [](const Invocation& i) { return i.operands.empty(); },
      "--arch --device --cluster --grid --block --regs --smem --static-smem --barriers --carveout"},
     {"PTX or a cubin", [](const Invocation& i) { return i.operand_ends(".ptx") || i.operand_ends(".cubin"); },
      "--arch --device --kernel --cluster --grid --block --regs --smem --static-smem --barriers --carveout"},
     {"CUDA C++", [](const Invocation&) { return true; },
      "--arch --device --kernel --option --cluster --grid --block --regs --smem --static-smem --barriers --carveout"}}};

}  // namespace warplens::cli
