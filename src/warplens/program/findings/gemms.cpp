#include "warplens/program/findings/gemms.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"

namespace warplens::findings {
namespace {

constexpr double kLargeFlops = 1e10;

/// The larger stride of a matrix whose elements lie side by side along one dimension, else 0.
int64_t leading_dimension(const analysis::Shape& strides) {
  if (strides.size() < 2) return 0;
  const int64_t rows = strides[strides.size() - 2], columns = strides.back();
  return rows == 1 ? columns : columns == 1 ? rows : 0;
}

void set_leading_dimensions(const Context& c, Gemm& gemm) {
  const auto strides = analysis::parse_shapes(c.p.text(c.p.operators.input_strides[gemm.op]));
  const std::string_view name = c.op_name(gemm.op);
  const size_t first = name == "aten::mm" || name == "aten::bmm" ? 0 : 1;
  if (!strides || strides->size() < first + 2) return;
  gemm.lda = leading_dimension((*strides)[first].dims);
  gemm.ldb = leading_dimension((*strides)[first + 1].dims);
}

/// The two matrices: the first inputs of two (mm) or three (bmm) dimensions, after the bias of addmm and baddbmm.
bool set_sizes(const Context& c, Gemm& gemm) {
  const auto& shapes = c.shapes(gemm.op);
  const std::string_view name = c.op_name(gemm.op);
  const size_t first = name == "aten::mm" || name == "aten::bmm" ? 0 : 1;
  if (shapes.size() < first + 2) return false;
  const analysis::Shape &a = shapes[first].dims, &b = shapes[first + 1].dims;
  const size_t rank = a.size();
  if (rank < 2 || rank > 3 || b.size() != rank) return false;
  gemm.batch = rank == 3 ? a[0] : 1;
  gemm.m = a[rank - 2];
  gemm.k = a[rank - 1];
  gemm.n = b[rank - 1];
  const auto& types = c.types(gemm.op);
  if (types.size() > first) gemm.dtype = types[first];
  set_leading_dimensions(c, gemm);
  return gemm.m > 0 && gemm.n > 0 && gemm.k > 0;
}

std::vector<Gemm> find_gemms(const Context& c) {
  std::vector<Gemm> out;
  std::unordered_map<uint32_t, size_t> by_op;
  for (uint32_t i = 0; i < c.program.events.size(); ++i) {
    const ProgramEvent& event = c.program.events[i];
    const uint32_t op = c.op_of(event);
    if (op == kNone || c.p.device_events.kind[event.row] != DeviceEventKind::kKernel ||
        !is_matrix_product(c.op_name(op)))
      continue;
    const auto [at, added] = by_op.emplace(op, out.size());
    if (added) {
      Gemm gemm;
      gemm.op = op;
      out.push_back(std::move(gemm));
    }
    Gemm& gemm = out[at->second];
    gemm.events.push_back(i);
    gemm.device_ns += event.duration_ns;
    if (event.duration_ns > c.program.events[gemm.events[0]].duration_ns) std::swap(gemm.events[0], gemm.events.back());
  }
  std::erase_if(out, [&](Gemm& gemm) { return !set_sizes(c, gemm); });
  return out;
}

}  // namespace

const std::vector<Gemm>& Context::gemms() const {
  if (!gemms_) gemms_ = std::make_shared<const std::vector<Gemm>>(find_gemms(*this));
  return *gemms_;
}

int64_t gemm_ns(const Context& c, const Gemm& gemm, double flops_per_ns) {
  const double compute = flops_per_ns > 0 ? gemm.flops() / flops_per_ns : 0;
  const double memory =
      c.hardware.dram_bytes_per_ns > 0 ? gemm.bytes(dtype_bytes(gemm.dtype)) / c.hardware.dram_bytes_per_ns : 0;
  return static_cast<int64_t>(std::max({model::kShortKernelNs, compute, memory}));
}

double half_rate(const Context& c) {
  double best = c.hardware.half_flops_per_ns * 0.75;
  for (const Gemm& gemm : c.gemms()) {
    if (is_half(gemm.dtype) && gemm.flops() >= kLargeFlops && gemm.device_ns > 0)
      best = std::max(best, gemm.flops() / static_cast<double>(gemm.device_ns));
  }
  return best;
}

bool on_ordinary_units(std::string_view kernel) {
  return contains(kernel, "simt") || contains(kernel, "sgemm") || contains(kernel, "gemmSN") ||
         contains(kernel, "gemv") || contains(kernel, "ffma") || contains(kernel, "fma_") ||
         contains(kernel, "dot_kernel");
}

std::string_view kernel_name(const Context& c, const Gemm& gemm) {
  return c.event_name(c.program.events[gemm.events[0]]);
}

std::optional<SlowGemms> slow_gemms(const Context& c, double flops_per_ns,
                                    const std::function<bool(const Gemm&)>& slow) {
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  const Gemm* worst = nullptr;
  for (const Gemm& gemm : c.gemms()) {
    if (!slow(gemm)) continue;
    run_as_one(c, gemm.events, static_cast<double>(gemm_ns(c, gemm, flops_per_ns)), change);
    ops.push_back(gemm.op);
    device_ns += gemm.device_ns;
    if (!worst || gemm.device_ns > worst->device_ns) worst = &gemm;
  }
  if (!worst) return std::nullopt;
  SlowGemms out{{}, worst, static_cast<double>(device_ns) / static_cast<double>(c.program.steps)};
  c.set_saving(out.finding, change);
  if (saves_little(out.finding)) return std::nullopt;
  out.finding.evidence = {{"products_per_step", c.per_step(static_cast<double>(ops.size()))},
                          {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                          {"kernel", std::string(kernel_name(c, *worst))}};
  out.finding.where = c.places(ops);
  return out;
}

}  // namespace warplens::findings
