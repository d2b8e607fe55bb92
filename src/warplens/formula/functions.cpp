#include "warplens/formula/functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warplens::formula {
namespace {

constexpr auto kElement = FunctionKind::kElement;
constexpr auto kReduction = FunctionKind::kReduction;
constexpr auto kComposite = FunctionKind::kComposite;
constexpr double kInf = std::numeric_limits<double>::infinity();

// NaN goes through minimum and maximum, as in numpy and PyTorch.
double larger(double a, double b) { return a > b || a != a ? a : b; }
double smaller(double a, double b) { return a < b || a != a ? a : b; }

using Args = const double*;

const Function kFunctions[] = {
    {"add", 2, kElement, "($0 + $1)", [](Args a) { return a[0] + a[1]; }, 0, 1, "a + b"},
    {"sub", 2, kElement, "($0 - $1)", [](Args a) { return a[0] - a[1]; }, 0, 1, "a - b"},
    {"mul", 2, kElement, "($0 * $1)", [](Args a) { return a[0] * a[1]; }, 0, 1, "a * b"},
    {"div", 2, kElement, "($0 / $1)", [](Args a) { return a[0] / a[1]; }, 0, 1, "a / b"},
    {"pow", 2, kElement, "pow@($0, $1)", [](Args a) { return std::pow(a[0], a[1]); }, 0, 1, "a ** b"},
    {"neg", 1, kElement, "(-$0)", [](Args a) { return -a[0]; }, 0, 1, "-a"},
    {"lt", 2, kElement, "real($0 < $1)", [](Args a) { return double(a[0] < a[1]); }, 0, 1, "a < b: 1 or 0"},
    {"le", 2, kElement, "real($0 <= $1)", [](Args a) { return double(a[0] <= a[1]); }, 0, 1, "a <= b"},
    {"gt", 2, kElement, "real($0 > $1)", [](Args a) { return double(a[0] > a[1]); }, 0, 1, "a > b"},
    {"ge", 2, kElement, "real($0 >= $1)", [](Args a) { return double(a[0] >= a[1]); }, 0, 1, "a >= b"},
    {"eq", 2, kElement, "real($0 == $1)", [](Args a) { return double(a[0] == a[1]); }, 0, 1, "a == b"},
    {"ne", 2, kElement, "real($0 != $1)", [](Args a) { return double(a[0] != a[1]); }, 0, 1, "a != b"},
    {"where", 3, kElement, "($0 != 0 ? $1 : $2)", [](Args a) { return a[0] != 0 ? a[1] : a[2]; }, 0, 1,
     "b where a is not 0, else c"},
    {"abs", 1, kElement, "fabs@($0)", [](Args a) { return std::fabs(a[0]); }, 0, 1, ""},
    {"sign", 1, kElement, "real(($0 > 0) - ($0 < 0))", [](Args a) { return double((a[0] > 0) - (a[0] < 0)); }, 0, 1,
     ""},
    {"floor", 1, kElement, "floor@($0)", [](Args a) { return std::floor(a[0]); }, 0, 1, ""},
    {"ceil", 1, kElement, "ceil@($0)", [](Args a) { return std::ceil(a[0]); }, 0, 1, ""},
    {"round", 1, kElement, "rint@($0)", [](Args a) { return std::rint(a[0]); }, 0, 1, "to even"},
    {"sqrt", 1, kElement, "sqrt@($0)", [](Args a) { return std::sqrt(a[0]); }, 0, 1, ""},
    {"rsqrt", 1, kElement, "rsqrt@($0)", [](Args a) { return 1 / std::sqrt(a[0]); }, 0, 1, "1 / sqrt(a)"},
    {"cbrt", 1, kElement, "cbrt@($0)", [](Args a) { return std::cbrt(a[0]); }, 0, 1, ""},
    {"exp", 1, kElement, "exp@($0)", [](Args a) { return std::exp(a[0]); }, 0, 1, ""},
    {"exp2", 1, kElement, "exp2@($0)", [](Args a) { return std::exp2(a[0]); }, 0, 1, ""},
    {"expm1", 1, kElement, "expm1@($0)", [](Args a) { return std::expm1(a[0]); }, 0, 1, ""},
    {"log", 1, kElement, "log@($0)", [](Args a) { return std::log(a[0]); }, 0, 1, ""},
    {"log2", 1, kElement, "log2@($0)", [](Args a) { return std::log2(a[0]); }, 0, 1, ""},
    {"log1p", 1, kElement, "log1p@($0)", [](Args a) { return std::log1p(a[0]); }, 0, 1, ""},
    {"sin", 1, kElement, "sin@($0)", [](Args a) { return std::sin(a[0]); }, 0, 1, ""},
    {"cos", 1, kElement, "cos@($0)", [](Args a) { return std::cos(a[0]); }, 0, 1, ""},
    {"tan", 1, kElement, "tan@($0)", [](Args a) { return std::tan(a[0]); }, 0, 1, ""},
    {"atan", 1, kElement, "atan@($0)", [](Args a) { return std::atan(a[0]); }, 0, 1, ""},
    {"sinh", 1, kElement, "sinh@($0)", [](Args a) { return std::sinh(a[0]); }, 0, 1, ""},
    {"cosh", 1, kElement, "cosh@($0)", [](Args a) { return std::cosh(a[0]); }, 0, 1, ""},
    {"tanh", 1, kElement, "tanh@($0)", [](Args a) { return std::tanh(a[0]); }, 0, 1, ""},
    {"erf", 1, kElement, "erf@($0)", [](Args a) { return std::erf(a[0]); }, 0, 1, ""},
    {"erfc", 1, kElement, "erfc@($0)", [](Args a) { return std::erfc(a[0]); }, 0, 1, ""},
    {"maximum", 2, kElement, "larger($0, $1)", [](Args a) { return larger(a[0], a[1]); }, 0, 1, "of two"},
    {"minimum", 2, kElement, "smaller($0, $1)", [](Args a) { return smaller(a[0], a[1]); }, 0, 1, "of two"},
    {"max", 2, kElement, "larger($0, $1)", [](Args a) { return larger(a[0], a[1]); }, 0, 1, "of two"},
    {"min", 2, kElement, "smaller($0, $1)", [](Args a) { return smaller(a[0], a[1]); }, 0, 1, "of two"},
    {"sum", 1, kReduction, "($0 + $1)", [](Args a) { return a[0] + a[1]; }, 0, 1, "along the last axis"},
    {"max", 1, kReduction, "larger($0, $1)", [](Args a) { return larger(a[0], a[1]); }, -kInf, 1,
     "along the last axis"},
    {"min", 1, kReduction, "smaller($0, $1)", [](Args a) { return smaller(a[0], a[1]); }, kInf, 1,
     "along the last axis"},
    {"mean", 1, kComposite, "sum(a) / length(a)", nullptr, 0, 0, "along the last axis"},
    {"var", 1, kComposite, "mean((a - mean(a)) ** 2)", nullptr, 0, 0, "along the last axis, divided by its length"},
    {"std", 1, kComposite, "sqrt(var(a))", nullptr, 0, 0, "along the last axis, divided by its length"},
    {"norm", 1, kComposite, "sqrt(sum(a ** 2))", nullptr, 0, 0, "along the last axis"},
    {"logsumexp", 1, kComposite, "log(sum(exp(a - max(a)))) + max(a)", nullptr, 0, 0, "along the last axis"},
    {"softmax", 1, kComposite, "exp(a - max(a)) / sum(exp(a - max(a)))", nullptr, 0, 0, "along the last axis"},
    {"log_softmax", 1, kComposite, "a - max(a) - log(sum(exp(a - max(a))))", nullptr, 0, 0, "along the last axis"},
    {"layer_norm", 1, kComposite, "(a - mean(a)) * rsqrt(var(a) + 1e-5)", nullptr, 0, 0, "along the last axis"},
    {"layer_norm", 3, kComposite, "(a - mean(a)) * rsqrt(var(a) + 1e-5) * b + c", nullptr, 0, 0,
     "of a, with weight and bias"},
    {"rms_norm", 1, kComposite, "a * rsqrt(mean(a ** 2) + 1e-6)", nullptr, 0, 0, "along the last axis"},
    {"rms_norm", 2, kComposite, "a * rsqrt(mean(a ** 2) + 1e-6) * b", nullptr, 0, 0, "of a, with weight"},
    {"square", 1, kComposite, "a * a", nullptr, 0, 0, ""},
    {"reciprocal", 1, kComposite, "1 / a", nullptr, 0, 0, ""},
    {"clamp", 3, kComposite, "minimum(maximum(a, b), c)", nullptr, 0, 0, "a held in [b, c]"},
    {"relu", 1, kComposite, "maximum(a, 0)", nullptr, 0, 0, ""},
    {"leaky_relu", 2, kComposite, "where(a > 0, a, a * b)", nullptr, 0, 0, ""},
    {"elu", 1, kComposite, "where(a > 0, a, expm1(a))", nullptr, 0, 0, ""},
    {"sigmoid", 1, kComposite, "1 / (1 + exp(-a))", nullptr, 0, 0, ""},
    {"silu", 1, kComposite, "a / (1 + exp(-a))", nullptr, 0, 0, "a * sigmoid(a)"},
    {"gelu", 1, kComposite, "0.5 * a * (1 + erf(a * 0.7071067811865476))", nullptr, 0, 0, ""},
    {"gelu_tanh", 1, kComposite, "0.5 * a * (1 + tanh(0.7978845608028654 * (a + 0.044715 * a ** 3)))", nullptr, 0, 0,
     ""},
    {"softplus", 1, kComposite, "maximum(a, 0) + log1p(exp(-abs(a)))", nullptr, 0, 0, "log(1 + exp(a))"},
    {"mish", 1, kComposite, "a * tanh(maximum(a, 0) + log1p(exp(-abs(a))))", nullptr, 0, 0, ""},
    {"hardswish", 1, kComposite, "a * clamp(a + 3, 0, 6) / 6", nullptr, 0, 0, ""},
    {"lerp", 3, kComposite, "a + c * (b - a)", nullptr, 0, 0, "a to b by c"},
};

}  // namespace

const Function* find_function(std::string_view name, size_t arity) {
  for (const Function& f : kFunctions) {
    if (f.name == name && static_cast<size_t>(f.arity) == arity) return &f;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& f : kFunctions) names.emplace_back(f.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace warplens::formula
