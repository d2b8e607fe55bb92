// warplens occupancy: how full an SM gets with given blocks, what limits it, and what would raise it.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/cli/verb.h"
#include "warplens/gpu/device.h"
#include "warplens/gpu/occupancy.h"

namespace warplens::cli {
namespace {

struct Question {
  const gpu::Arch* arch = nullptr;
  const gpu::Device* device = nullptr;
  gpu::BlockNeeds needs;
};

Result<int> bounded(const Invocation& invocation, const char* flag, int64_t low, int64_t high) {
  WL_ASSIGN(const int64_t value, invocation.integer(flag));
  if (value < low || value > high) {
    return usage_error(fmt::format("{} {}: give a number from {} to {}", flag, value, low, high));
  }
  return static_cast<int>(value);
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
  WL_ASSIGN(out.needs.threads, bounded(invocation, "--block", 1, 1 << 20));
  WL_ASSIGN(out.needs.registers, bounded(invocation, "--regs", 0, 255));
  WL_ASSIGN(out.needs.static_shared_bytes, bounded(invocation, "--static-smem", 0, 1 << 30));
  WL_ASSIGN(out.needs.dynamic_shared_bytes, bounded(invocation, "--smem", 0, 1 << 30));
  WL_ASSIGN(out.needs.barriers, bounded(invocation, "--barriers", 0, 16));
  WL_ASSIGN(out.needs.carveout_percent, bounded(invocation, "--carveout", -1, 100));
  return out;
}

Table limits_table(const gpu::Occupancy& result) {
  Table table{{{"resource", "resource"}, {"blocks", "blocks it allows", Kind::kCount}, {"limits", "limits"}}, {}};
  auto row = [&](const char* name, int blocks, gpu::Limiter limiter) {
    const Cell allowed = blocks == gpu::kUnlimited ? Cell{} : Cell{int64_t{blocks}};
    table.rows.push_back({name, allowed, std::string(result.limiters & limiter ? "yes" : "")});
  };
  row("warps", result.by_warps, gpu::kLimitWarps);
  row("registers", result.by_registers, gpu::kLimitRegisters);
  row("shared memory", result.by_shared, gpu::kLimitShared);
  row("blocks", result.by_blocks, gpu::kLimitBlocks);
  row("barriers", result.by_barriers, gpu::kLimitBarriers);
  return table;
}

std::string for_people(const Question& asked, const gpu::Occupancy& result) {
  const gpu::BlockNeeds& needs = asked.needs;
  std::string out = fmt::format("{} ({}), {} threads a block, {} registers a thread, {} shared memory a block\n\n",
                                asked.arch->name(), asked.arch->family, needs.threads, needs.registers,
                                format_bytes(static_cast<double>(needs.static_shared_bytes + needs.dynamic_shared_bytes)));
  out += fmt::format("occupancy {:.1f} %: {} of {} warps, {} blocks an SM\n", 100 * result.fraction(), result.warps,
                     result.max_warps, result.blocks);
  out += result.blocks ? fmt::format("limited by {}\n\n", join(gpu::limiter_names(result.limiters), ", "))
                       : fmt::format("such a block cannot run: {}\n\n", join(gpu::limiter_names(result.limiters), ", "));
  out += to_terminal(limits_table(result), 0);
  for (const gpu::Step& step : gpu::next_steps(*asked.arch, needs)) {
    out += fmt::format("\n{}: {} warps, {:.1f} %", step.change, step.warps, 100.0 * step.warps / result.max_warps);
  }
  const int best = gpu::best_block_size(*asked.arch, needs);
  return out + fmt::format("\nbest block size for these needs: {} threads\n", best);
}

std::string as_json(const Question& asked, const gpu::Occupancy& result) {
  json::Writer w(true);
  w.begin_object().member("schema_version", 1).member("arch", asked.arch->name());
  w.member("occupancy", result.fraction()).member("blocks_per_sm", result.blocks).member("warps_per_sm", result.warps);
  w.member("max_warps_per_sm", result.max_warps).key("limiters").begin_array();
  for (const std::string& name : gpu::limiter_names(result.limiters)) w.value(name);
  w.end_array().member("shared_bytes_allocated_per_block", result.shared_bytes_allocated);
  w.member("shared_bytes_configured", result.shared_bytes_configured).key("limits");
  write_rows(w, limits_table(result));
  w.key("next_steps").begin_array();
  for (const gpu::Step& step : gpu::next_steps(*asked.arch, asked.needs)) {
    w.begin_object().member("change", step.change).member("warps_per_sm", step.warps);
    w.member("blocks_per_sm", step.blocks).end_object();
  }
  w.end_array().member("best_block_size", gpu::best_block_size(*asked.arch, asked.needs)).end_object();
  return w.take() + "\n";
}

Result<int> run_occupancy(const Invocation& invocation) {
  WL_ASSIGN(const Question asked, question(invocation));
  const gpu::Occupancy result = gpu::occupancy(*asked.arch, asked.needs);
  if (invocation.format() == Format::kJson) {
    WL_TRY(invocation.emit(as_json(asked, result)));
  } else if (invocation.format() == Format::kTable) {
    WL_TRY(invocation.emit(for_people(asked, result)));
  } else {
    WL_TRY(invocation.emit(limits_table(result)));
  }
  return kExitOk;
}

}  // namespace

extern const Verb kOccupancy;
const Verb kOccupancy = {
    "occupancy", "how many warps an SM holds, what limits them, and what would raise them", "",
    "Computes what cuda_occupancy.h computes, for any architecture of compute capability 7.0 or later, without a GPU.",
    {{"--arch", "ARCH", "architecture: sm_90, 8.6, ... (sm_90 when neither it nor --device is given)"},
     {"--device", "GPU", "a GPU of `warplens device list` instead of an architecture"},
     {"--block", "N", "threads a block", "256"},
     {"--regs", "N", "registers a thread", "32"},
     {"--smem", "BYTES", "dynamic shared memory a block", "0"},
     {"--static-smem", "BYTES", "static shared memory a block", "0"},
     {"--barriers", "N", "named barriers the kernel uses", "1"},
     {"--carveout", "PERCENT", "preferred share of shared memory in the unified cache; -1: the driver's choice", "-1"}},
    {{"warplens occupancy --arch sm_90 --regs 168 --block 64 --smem 17408", "limited by registers, and what would help"}},
    run_occupancy};

}  // namespace warplens::cli
