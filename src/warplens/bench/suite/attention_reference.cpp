#include "warplens/bench/suite/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace warplens::bench {
namespace {

constexpr int64_t kMostProducts = 1 << 27;

double dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void add(double* to, double factor, const double* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += factor * x[i];
}

struct Shape4 {
  int64_t batch, heads, tokens, size;
};

Shape4 shape_of(const ArrayArgument& x) {
  const auto axis = [&](size_t i) { return i < x.shape.size() ? x.shape[i] : 1; };
  return {axis(0), axis(1), axis(2), axis(3)};
}

/// Rows of `output`, evenly spread, as many as `products` a row allow, each filled by
/// `row(batch, head, token, values)`.
ReferenceValues rows_of(const formula::Shape& output, int64_t products,
                        const std::function<void(int64_t, int64_t, int64_t, double*)>& row) {
  const int64_t size = output.back(), tokens = output[output.size() - 2], heads = output[output.size() - 3];
  const int64_t rows = formula::element_count(output) / size, most = std::max<int64_t>(1, kMostProducts / products);
  const int64_t step = (rows + most - 1) / most | (rows > most);  // odd, so that all tokens of a head are met in time
  ReferenceValues out{output, {}};
  for (int64_t i = 0; i < rows; i += step) {
    std::vector<double> values(size);
    row(i / tokens / heads, i / tokens % heads, i % tokens, values.data());
    out.values.insert(out.values.end(), values.begin(), values.end());
    for (int64_t c = 0; step > 1 && c < size; ++c) out.places.push_back(static_cast<size_t>(i * size + c));
  }
  return out;
}

/// softmax(q k^T / sqrt(size)) v; causal: query i sees keys 0 .. i + keys - queries.
template <bool kCausal>
ReferenceValues attention(ArrayArguments args, const formula::Shape& output) {
  const ArrayArgument &q = args[0], &k = args[1], &v = args[2];
  const Shape4 queries = shape_of(q), keys = shape_of(k);
  const int64_t size = queries.size, group = queries.heads / keys.heads;
  return rows_of(output, 2 * keys.tokens * size, [&](int64_t batch, int64_t head, int64_t token, double* to) {
    const double* query = &q.values[((batch * queries.heads + head) * queries.tokens + token) * size];
    const int64_t first = (batch * keys.heads + head / group) * keys.tokens * size;
    const int64_t seen =
        kCausal ? std::clamp<int64_t>(token + 1 + keys.tokens - queries.tokens, 0, keys.tokens) : keys.tokens;
    std::vector<double> weights(seen);
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < seen; ++i) {
      weights[i] = dot(query, &k.values[first + i * size], size) / std::sqrt(static_cast<double>(size));
      top = std::max(top, weights[i]);
    }
    for (double& w : weights) sum += w = std::exp(w - top);
    for (int64_t i = 0; i < seen; ++i) add(to, weights[i] / sum, &v.values[first + i * size], size);
  });
}

enum class Gradient { kQ, kK, kV };

/// Of attention, as the backward pass has it: from q, k, v, the output's gradient, the output, and the logarithm of
/// each row's sum of exponentials. With p = exp(s - lse):
/// dv = p^T d, ds = p (d v^T - rowsum(d o)), dq = ds k, dk = ds^T q.
template <Gradient kOf, bool kCausal>
ReferenceValues gradient(ArrayArguments args, const formula::Shape& output) {
  const ArrayArgument &q = args[0], &k = args[1], &v = args[2], &d = args[3], &o = args[4], &lse = args[5];
  const Shape4 queries = shape_of(q), keys = shape_of(k);
  const int64_t size = queries.size, group = queries.heads / keys.heads;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  // Adds what the pair of a query's and a key's row, by number, gives.
  const auto pair = [&](int64_t query, int64_t key, double* to) {
    const double* y = &d.values[query * size];
    const double p = std::exp(dot(&q.values[query * size], &k.values[key * size], size) * scale - lse.values[query]);
    if (kOf == Gradient::kV) return add(to, p, y, size);
    const double ds = p * scale * (dot(y, &v.values[key * size], size) - dot(y, &o.values[query * size], size));
    add(to, ds, kOf == Gradient::kQ ? &k.values[key * size] : &q.values[query * size], size);
  };
  const int64_t ahead = keys.tokens - queries.tokens;
  const auto sees = [&](int64_t query, int64_t key) { return !kCausal || key <= query + ahead; };
  return rows_of(output, 4 * (kOf == Gradient::kQ ? keys.tokens : queries.tokens * group) * size,
                 [&](int64_t batch, int64_t head, int64_t token, double* to) {
                   if (kOf == Gradient::kQ) {
                     const int64_t query = (batch * queries.heads + head) * queries.tokens + token;
                     const int64_t first = (batch * keys.heads + head / group) * keys.tokens;
                     for (int64_t i = 0; i < keys.tokens; ++i) {
                       if (sees(token, i)) pair(query, first + i, to);
                     }
                     return;
                   }
                   const int64_t key = (batch * keys.heads + head) * keys.tokens + token;
                   for (int64_t h = head * group; h < (head + 1) * group; ++h) {
                     for (int64_t i = 0; i < queries.tokens; ++i) {
                       if (sees(i, token)) pair((batch * queries.heads + h) * queries.tokens + i, key, to);
                     }
                   }
                 });
}

/// q: batch x heads x size; k, v: pages x page size x heads of theirs x size; table: batch x pages; lengths: batch.
ReferenceValues paged_attention(ArrayArguments args, const formula::Shape& output) {
  const ArrayArgument &q = args[0], &k = args[1], &v = args[2], &table = args[3], &lengths = args[4];
  const int64_t heads = q.shape[1], size = q.shape[2], page = k.shape[1], heads_k = k.shape[2], width = table.shape[1];
  const formula::Shape shape = {output[0], heads, 1, size};
  ReferenceValues out = rows_of(shape, 2 * width * page * size, [&](int64_t batch, int64_t head, int64_t, double* to) {
    const auto row = [&](int64_t key) {
      const auto at = static_cast<int64_t>(table.values[batch * width + key / page]) * page + key % page;
      return (at * heads_k + head / (heads / heads_k)) * size;
    };
    std::vector<double> weights(static_cast<size_t>(lengths.values[batch]));
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i] =
          dot(&q.values[(batch * heads + head) * size], &k.values[row(i)], size) / std::sqrt(static_cast<double>(size));
      top = std::max(top, weights[i]);
    }
    for (double& w : weights) sum += w = std::exp(w - top);
    for (size_t i = 0; i < weights.size(); ++i) add(to, weights[i] / sum, &v.values[row(i)], size);
  });
  out.shape = output;
  return out;
}

constexpr ArrayFunction kAttentionFunctions[] = {
    {"attention", 3, attention<false>, "softmax(a b^T / sqrt(size)) c of batch x heads x tokens x size"},
    {"causal_attention", 3, attention<true>, "the same, where a token sees only itself and earlier tokens"},
    {"attention_dq", 6, gradient<Gradient::kQ, false>, "its backward pass; arguments: q, k, v, d, o, lse"},
    {"attention_dk", 6, gradient<Gradient::kK, false>, "the same of k"},
    {"attention_dv", 6, gradient<Gradient::kV, false>, "the same of v"},
    {"causal_attention_dq", 6, gradient<Gradient::kQ, true>, "the gradient of causal_attention"},
    {"causal_attention_dk", 6, gradient<Gradient::kK, true>, "the same of k"},
    {"causal_attention_dv", 6, gradient<Gradient::kV, true>, "the same of v"},
    {"paged_attention", 5, paged_attention,
     "attention of one query for each sequence: q, k and v in pages, page table, lengths"},
};

}  // namespace

std::span<const ArrayFunction> attention_functions() { return kAttentionFunctions; }

}  // namespace warplens::bench
