// naive-attention: product, softmax, product as separate kernels that write the whole score matrix to memory.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kMostBetween = 14;  // kernels from one product to the next: scaling, masks, softmax, dropout, copies
constexpr double kBackwardFactor = 2.5;  // five products against two

struct Attention {
  size_t begin, end;  // indexes into Program::events
  const Gemm* scores;
  bool backward, causal, biased;
  int64_t device_ns = 0;
};

class Finder {
 public:
  explicit Finder(const Context& context) : c(context) {
    for (const Gemm& gemm : c.gemms()) {
      for (const uint32_t event : gemm.events) gemm_of_event_.emplace(event, &gemm);
    }
  }

  std::vector<Attention> run() {
    std::vector<Attention> out;
    size_t next = 0;
    for (size_t i = 0; i < c.program.events.size(); ++i) {
      const std::string_view op = op_at(i);
      const bool forward = op == "aten::_softmax", backward = op == "aten::_softmax_backward_data";
      if ((!forward && !backward) || i < next) continue;
      if (std::optional<Attention> found = around(i, next, backward)) {
        next = found->end;
        out.push_back(*found);
      }
    }
    return out;
  }

 private:
  /// By the host: what follows in the next step does not use this one's scores.
  bool same_step(size_t a, size_t b) const {
    const int64_t from = c.program.calls[c.program.events[a].call].start_ns,
                  to = c.program.calls[c.program.events[b].call].start_ns;
    return std::ranges::none_of(c.joined.steps, [&](const analysis::Step& step) {
      return step.rank == c.program.rank && from < step.start_ns && step.start_ns <= to;
    });
  }

  std::string_view op_at(size_t event) const { return c.op_name(c.op_of(c.program.events[event])); }

  /// The batched product of scores nearest before the softmax, that of values nearest after it, with fitting sizes.
  std::optional<Attention> around(size_t softmax, size_t least, bool backward) const {
    const int64_t scores = c.largest_input(c.op_of(c.program.events[softmax]));
    const Gemm *before = nullptr, *after = nullptr;
    size_t begin = softmax, end = softmax;
    bool causal = false, biased = false;
    int products_before = 0, products_after = 0;
    for (size_t i = softmax; i-- > least && softmax - i <= kMostBetween;) {
      const auto at = gemm_of_event_.find(static_cast<uint32_t>(i));
      causal |= op_at(i).find("masked_fill") != std::string_view::npos || op_at(i) == "aten::where";
      biased |= adds_bias(c.op_of(c.program.events[i]));
      if (at == gemm_of_event_.end()) continue;
      if (!touches(*at->second, scores)) break;
      before = at->second;
      begin = i;
      if (++products_before == (backward ? 2 : 1)) break;
    }
    for (size_t i = softmax + 1; i < c.program.events.size() && i - softmax <= kMostBetween && same_step(softmax, i);
         ++i) {
      const auto at = gemm_of_event_.find(static_cast<uint32_t>(i));
      if (at == gemm_of_event_.end()) continue;
      if (!touches(*at->second, scores)) break;
      after = at->second;
      end = i + 1;
      if (++products_after == (backward ? 2 : 1)) break;
    }
    if (!before || !after) return std::nullopt;
    Attention found{begin, end, before, backward, causal, biased};
    for (size_t i = begin; i < end; ++i) found.device_ns += c.program.events[i].duration_ns;
    return found;
  }

  /// Whether an operator adds numbers of each head to the scores: a mask that all heads share may stand for
  /// is_causal=True, these do not.
  bool adds_bias(uint32_t op) const {
    const auto& shapes = c.shapes(op);
    if (!c.op_name(op).starts_with("aten::add") || shapes.size() < 2 || shapes[0].dims.size() < 3) return false;
    const analysis::Shape& scores = shapes[0].dims;
    return analysis::element_count(shapes[1].dims) > scores[scores.size() - 2] * scores.back();
  }

  /// One of the product's three matrices is the score matrix.
  static bool touches(const Gemm& g, int64_t scores) {
    return g.batch * g.m * g.n == scores || g.batch * g.m * g.k == scores || g.batch * g.k * g.n == scores;
  }

  const Context& c;
  std::unordered_map<uint32_t, const Gemm*> gemm_of_event_;
};

/// Operations of both products, and the operands' bytes; scores never reach memory.
int64_t fused_ns(const Context& c, const Attention& a, double rate) {
  const Gemm& g = *a.scores;
  const int64_t smallest = std::min({g.m, g.n, g.k});
  const double scores = static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n) *
                        static_cast<double>(g.k) / static_cast<double>(smallest);
  const double flops =
      4 * scores * static_cast<double>(smallest) * (a.backward ? kBackwardFactor : 1) * (a.causal ? 0.5 : 1);
  const double rows =
      static_cast<double>(g.batch) * static_cast<double>(std::max({g.m, g.n, g.k})) * static_cast<double>(smallest);
  const double bytes = rows * 4 * dtype_bytes(g.dtype) * (a.backward ? 2 : 1);
  return static_cast<int64_t>(
      std::max({model::kShortKernelNs, flops / rate, bytes / std::max(c.hardware.dram_bytes_per_ns, 1.0)}));
}

}  // namespace

std::optional<Finding> naive_attention(const Context& c) {
  const std::vector<Attention> found = Finder(c).run();
  if (found.empty()) return std::nullopt;
  Change change;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  for (const Attention& a : found) {
    const double rate = (a.biased ? model::kBiasedAttentionShare : model::kAttentionShare) *
                        (is_half(a.scores->dtype) ? c.hardware.half_flops_per_ns : c.hardware.fp32_flops_per_ns);
    std::vector<uint32_t> events(a.end - a.begin);
    std::iota(events.begin(), events.end(), static_cast<uint32_t>(a.begin));
    run_as_one(c, events, static_cast<double>(fused_ns(c, a, std::max(rate, 1.0))), change);
    const auto root = [&](size_t i) { return c.root_of(c.op_of(c.program.events[i])); };
    // All host work from the first product to the last belongs to it: views, copies, the autograd nodes between.
    if (root(a.begin) != kNone && root(a.end - 1) != kNone)
      change.host_removed.push_back({c.span_of(root(a.begin)).end_ns, c.span_of(root(a.end - 1)).end_ns});
    ops.push_back(c.op_of(c.program.events[a.begin]));
    device_ns += a.device_ns;
  }
  Finding f;
  c.set_saving(f, change);
  const Gemm& g = *found.front().scores;
  const double times = c.per_step(static_cast<double>(found.size()));
  f.title = fmt::format("attention written as product, softmax, product {} {}: {} of device time",
                        times == 1 ? "once" : format_count(times) + " times", c.each_step(),
                        format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)));
  f.detail = fmt::format(
      "The score matrix of [{}, {}, {}] {} goes to memory and back several times; a fused kernel keeps it on chip.",
      g.batch, g.m, g.n, g.dtype);
  if (std::ranges::any_of(found, &Attention::biased))
    f.detail +=
        " Each head adds different numbers to its scores. The saving assumes the slower fused kernel that supports "
        "this.";
  f.advice =
      "Use F.scaled_dot_product_attention(q, k, v, is_causal=..., attn_mask=...): it picks FlashAttention, cuDNN or "
      "the memory-efficient kernel. Dropout and scale are its arguments.";
  f.evidence = {{"attentions_per_step", c.per_step(static_cast<double>(found.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
