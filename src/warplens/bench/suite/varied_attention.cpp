#include "warplens/bench/suite/varied_attention.h"

namespace warplens::bench {
namespace {

/// One sequence of an array: 1 x heads x tokens x size.
struct Sequence {
  formula::Shape shape;
  std::vector<double> values;
};

Sequence sequence_of(const ArrayArgument& x, int64_t start, int64_t tokens) {
  const int64_t heads = x.shape[1], size = x.shape.size() > 2 ? x.shape[2] : 1;
  Sequence out{{1, heads, tokens, size}, {}};
  out.values.reserve(static_cast<size_t>(heads * tokens * size));
  for (int64_t head = 0; head < heads; ++head) {
    for (int64_t token = start; token < start + tokens; ++token) {
      const double* from = &x.values[static_cast<size_t>((token * heads + head) * size)];
      out.values.insert(out.values.end(), from, from + size);
    }
  }
  return out;
}

/// `name`, a function of whole arrays, of each sequence by itself.
ReferenceValues by_sequence(std::string_view name, ArrayArguments args, const formula::Shape& output) {
  const ArrayFunction& function = *find_array_function(name);
  const std::span<const double> starts = args.back().values;
  const int64_t heads = output[1], size = output[2];
  ReferenceValues out{output, {}, {}};
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto start = static_cast<int64_t>(starts[i]), tokens = static_cast<int64_t>(starts[i + 1]) - start;
    std::vector<Sequence> sequences;
    for (const ArrayArgument& arg : args.first(args.size() - 1)) sequences.push_back(sequence_of(arg, start, tokens));
    std::vector<ArrayArgument> own;
    for (const Sequence& each : sequences) own.push_back({each.shape, each.values});
    const ReferenceValues part = function.compute(own, {1, heads, tokens, size});
    for (size_t k = 0; k < part.values.size(); ++k) {
      const auto at = static_cast<int64_t>(part.places.empty() ? k : part.places[k]);
      const int64_t head = at / size / tokens, token = start + at / size % tokens;
      out.values.push_back(part.values[k]);
      out.places.push_back(static_cast<size_t>((token * heads + head) * size + at % size));
    }
  }
  return out;
}

template <size_t kFunction>
ReferenceValues varied(ArrayArguments args, const formula::Shape& output);

constexpr ArrayFunction kVariedFunctions[] = {
    {"varied_attention", 4, varied<0>, "attention of sequences one after another: q, k, v, starts"},
    {"varied_causal_attention", 4, varied<1>, "the same, where a token sees only itself and earlier tokens"},
    {"varied_attention_dq", 7, varied<2>, "its backward pass; arguments: q, k, v, d, o, lse, starts"},
    {"varied_attention_dk", 7, varied<3>, "the same of k"},
    {"varied_attention_dv", 7, varied<4>, "the same of v"},
    {"varied_causal_attention_dq", 7, varied<5>, "the gradient of varied_causal_attention"},
    {"varied_causal_attention_dk", 7, varied<6>, "the same of k"},
    {"varied_causal_attention_dv", 7, varied<7>, "the same of v"},
};

template <size_t kFunction>
ReferenceValues varied(ArrayArguments args, const formula::Shape& output) {
  constexpr std::string_view kPrefix = "varied_";
  return by_sequence(kVariedFunctions[kFunction].name.substr(kPrefix.size()), args, output);
}

}  // namespace

std::span<const ArrayFunction> varied_attention_functions() { return kVariedFunctions; }

}  // namespace warplens::bench
