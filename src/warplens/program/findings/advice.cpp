#include "warplens/program/findings/advice.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"

namespace warplens::findings {
namespace {

struct Advice {
  std::string_view finding;
  ProgramKind kind;
  std::string_view text;
};

using enum ProgramKind;
constexpr Advice kAdvice[] = {
#define WL_ADVICE(finding, kind, text) {finding, kind, text},
#include "warplens/program/findings/advice.def"
#undef WL_ADVICE
};

/// What only PyTorch programs have. Advice with one of these is replaced elsewhere.
constexpr std::array kTorchWords = {"torch",       "DataLoader", "non_blocking",  "PyTorch",
                                    "F.",          "model.to",   "Autocast",      "DDP",
                                    "Distributed", "async_op",   "channels_last", "register_buffer"};

bool fits(ProgramKind kind, const std::string& advice) {
  if (kind == kCompiled) return !contains(advice, "torch.compile");
  if (kind == kTorch) return !contains(advice, "cudaMallocAsync");
  return std::ranges::none_of(kTorchWords, [&](const char* word) { return contains(advice, word); });
}

}  // namespace

ProgramKind kind_of(const Profile& profile) {
  ProgramKind kind = kElsewhere;
  for (const auto name : profile.operators.name) {
    const std::string_view text = profile.text(name);
    if (text.starts_with("Torch-Compiled Region") || contains(text, "CompiledFxGraph")) return kCompiled;
    if (text.starts_with("aten::")) kind = kTorch;
  }
  return kind;
}

void fit_advice(ProgramKind kind, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (fits(kind, finding.advice)) continue;
    for (const Advice& other : kAdvice) {
      if (other.finding == finding.id && other.kind == kind) finding.advice = other.text;
    }
  }
}

}  // namespace warplens::findings
