#include "warplens/libraries/math/recurrent.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "warplens/libraries/math/product.h"
#include "warplens/libraries/math/recurrent_kept.h"
#include "warplens/libraries/math/tensor.h"

namespace warplens::libraries {
namespace {

template <typename T>
std::vector<T> loaded(Number number, const void* data, int64_t count) {
  std::vector<T> out(static_cast<size_t>(count));
  if (data != nullptr) load(number, data, 1, count, out.data());
  return out;
}

/// By rows: D += A B. The turned ones lie as their transpose.
template <typename T>
Status add(const T* a, bool a_turned, const T* b, bool b_turned, T* d, int64_t m, int64_t n, int64_t k, bool tf32) {
  if (m == 0 || n == 0 || k == 0) return {};
  const auto across = [](const T* data, int64_t rows, int64_t columns, bool turned) {
    return Matrix{.data = const_cast<T*>(data),
                  .number = kNumberOf<T>,
                  .row_step = turned ? rows : 1,
                  .column_step = turned ? 1 : columns};
  };
  Product p{.m = n, .n = m, .k = k, .beta = 1, .tf32 = tf32};
  p.a = across(b, k, n, b_turned);
  p.b = across(a, m, k, a_turned);
  p.c = p.d = across(d, m, n, false);
  return run(p);
}

template <typename T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <typename T>
class Pass {
 public:
  Pass(const RecurrentCall& call, T* memory)
      : c_(call), s_(call.shape), order_(call.x), positions_(call.x.positions()), kept_(s_, positions_, memory) {
    weights_ = loaded<T>(s_.number, c_.weights, weight_count(s_));
  }

  Status forward() {
    gather(c_.input, c_.x, s_.input, kept_.inputs[0]);
    for (int64_t layer = 0; layer < s_.layers; ++layer) {
      if (layer > 0) hand_on(layer);
      for (int64_t d = 0; d < s_.directions(); ++d) WL_TRY(forward_part(layer, d));
    }
    scatter(kept_.outputs.back(), c_.y, s_.projected * s_.directions(), c_.output);
    return {};
  }

  Status backward(const RecurrentGradients& g) {
    const int64_t width = s_.projected * s_.directions();
    std::vector<T> d_out(static_cast<size_t>(positions_ * width));
    gather(g.d_output, c_.y, width, d_out.data());
    for (int64_t layer = s_.layers - 1; layer >= 0; --layer) {
      const int64_t in = s_.width_of(layer * s_.directions());
      std::vector<T> d_in(static_cast<size_t>(positions_ * in));
      for (int64_t d = 0; d < s_.directions(); ++d) WL_TRY(backward_part(layer, d, d_out, g, &d_in));
      const T* const mask = kept_.masks[static_cast<size_t>(layer)];
      for (size_t i = 0; layer > 0 && s_.dropout > 0 && i < d_in.size(); ++i) d_in[i] *= mask[i];
      d_out = std::move(d_in);
    }
    scatter(d_out.data(), c_.x, s_.input, g.d_input);
    return {};
  }

  Status weight_gradients(void* d_weights) {
    std::vector<T> out = loaded<T>(s_.number, d_weights, weight_count(s_));
    for (int64_t part = 0; part < s_.parts(); ++part) WL_TRY(weight_gradients_of(part, out.data()));
    store(out.data(), static_cast<int64_t>(out.size()), s_.number, d_weights, 1);
    return {};
  }

 private:
  const T* matrix(int64_t part, int64_t which) const { return weights_.data() + matrix_place(s_, part, which).offset; }
  T bias(int64_t part, int64_t which, int64_t i) const {
    return s_.biased ? weights_[static_cast<size_t>(bias_place(s_, part, which).offset + i)] : T(0);
  }

  /// Lines of the program's memory, as positions; null: zeros.
  void gather(const void* from, const Sequences& lines, int64_t width, T* to) const {
    const int bytes = size_bytes(s_.number);
    std::fill_n(to, positions_ * width, T(0));
    if (from == nullptr) return;
    order_.each([&](int64_t t, int64_t b, int64_t position) {
      load(s_.number, static_cast<const char*>(from) + lines.line(t, b) * width * bytes, 1, width,
           to + position * width);
    });
  }
  void scatter(const T* from, const Sequences& lines, int64_t width, void* to) const {
    if (to == nullptr) return;
    const int bytes = size_bytes(s_.number);
    const std::vector<T> zeros(static_cast<size_t>(width));
    for (int64_t i = 0; i < lines.lines() && positions_ < lines.lines(); ++i)  // behind short sequences
      store(zeros.data(), width, s_.number, static_cast<char*>(to) + i * width * bytes, 1);
    order_.each([&](int64_t t, int64_t b, int64_t position) {
      store(from + position * width, width, s_.number, static_cast<char*>(to) + lines.line(t, b) * width * bytes, 1);
    });
  }

  /// The layer's input is the output of the one before, some of it dropped.
  void hand_on(int64_t layer) {
    const int64_t count = positions_ * s_.projected * s_.directions();
    const T* const from = kept_.outputs[static_cast<size_t>(layer) - 1];
    T *const to = kept_.inputs[static_cast<size_t>(layer)], *const mask = kept_.masks[static_cast<size_t>(layer)];
    std::mt19937_64 random(s_.seed + static_cast<uint64_t>(layer));
    std::bernoulli_distribution stays(1 - s_.dropout);
    for (int64_t i = 0; i < count; ++i) {
      if (s_.dropout > 0 && c_.kept != nullptr) {
        mask[i] = stays(random) ? static_cast<T>(1 / (1 - s_.dropout)) : T(0);
        to[i] = from[i] * mask[i];
      } else {
        to[i] = from[i];
      }
    }
  }

  std::vector<T> state(const void* data, int64_t part, int64_t width) const {
    const int64_t count = c_.x.batch * width;
    const void* const from =
        data == nullptr ? nullptr : static_cast<const char*>(data) + part * count * size_bytes(s_.number);
    return loaded<T>(s_.number, from, count);
  }
  void store_state(const std::vector<T>& values, int64_t part, void* data) const {
    const auto count = static_cast<int64_t>(values.size());
    if (data != nullptr)
      store(values.data(), count, s_.number, static_cast<char*>(data) + part * count * size_bytes(s_.number), 1);
  }

  Status forward_part(int64_t layer, int64_t direction) {
    const int64_t part = layer * s_.directions() + direction, h = s_.hidden, p = s_.projected, gates = s_.gates();
    const int64_t in = s_.width_of(part), batch = c_.x.batch;
    KeptPart<T>& k = kept_.parts[static_cast<size_t>(part)];
    std::vector<T> before_h = state(c_.first_h, part, p), before_c = state(c_.first_c, part, h);
    std::fill_n(k.gates, positions_ * gates * h, T(0));
    WL_TRY(add(kept_.inputs[static_cast<size_t>(layer)], false, matrix(part, 0), true, k.gates, positions_, gates * h,
               in, s_.tf32));
    for (int64_t step = 0; step < c_.x.steps; ++step) {
      std::vector<T> sums(static_cast<size_t>(batch * gates * h));
      WL_TRY(add(before_h.data(), false, matrix(part, gates), true, sums.data(), batch, gates * h, p, s_.tf32));
      std::vector<T> raw(static_cast<size_t>(batch * h));
      order_.at(step, direction == 1, [&](int64_t b, int64_t at) {
        run_cell(part, k, at, sums.data() + b * gates * h, before_h.data() + b * p, before_c.data() + b * h,
                 raw.data() + b * h);
      });
      std::vector<T> given = raw;
      if (s_.projects()) {
        given.assign(static_cast<size_t>(batch * p), T(0));
        WL_TRY(add(raw.data(), false, matrix(part, 2 * gates), true, given.data(), batch, p, h, s_.tf32));
      }
      order_.at(step, direction == 1, [&](int64_t b, int64_t at) {
        std::copy_n(given.data() + b * p, p, before_h.data() + b * p);
        T* const out = kept_.outputs[static_cast<size_t>(layer)];
        std::copy_n(given.data() + b * p, p, out + at * p * s_.directions() + direction * p);
      });
    }
    store_state(before_h, part, c_.last_h);
    store_state(before_c, part, c_.last_c);
    return {};
  }

  /// One sequence's step: activations into what is kept, h into `raw`, c into `cell`.
  void run_cell(int64_t part, KeptPart<T>& k, int64_t at, const T* sums, const T* before, T* cell, T* raw) const {
    const int64_t h = s_.hidden, gates = s_.gates();
    T* const g = k.gates + at * gates * h;
    const auto sum = [&](int64_t gate, int64_t i) {
      return g[gate * h + i] + bias(part, gate, i) + sums[gate * h + i] + bias(part, gates + gate, i);
    };
    for (int64_t i = 0; i < h; ++i) {
      switch (s_.cell) {
        case Cell::kRelu: raw[i] = g[i] = std::max(sum(0, i), T(0)); break;
        case Cell::kTanh: raw[i] = g[i] = std::tanh(sum(0, i)); break;
        case Cell::kLstm: {  // input, forget, new, output
          const T in = sigmoid(sum(0, i)), forget = sigmoid(sum(1, i)), fresh = std::tanh(sum(2, i));
          const T out = sigmoid(sum(3, i));
          k.old[at * h + i] = cell[i];
          cell[i] = forget * cell[i] + in * fresh;
          raw[i] = out * std::tanh(cell[i]);
          g[i] = in, g[h + i] = forget, g[2 * h + i] = fresh, g[3 * h + i] = out;
          k.cell[at * h + i] = cell[i];
          k.raw[at * h + i] = raw[i];
          break;
        }
        case Cell::kGru: {  // reset, update, new
          const T reset = sigmoid(sum(0, i)), update = sigmoid(sum(1, i));
          const T given = sums[2 * h + i] + bias(part, gates + 2, i);
          const T fresh = std::tanh(g[2 * h + i] + bias(part, 2, i) + reset * given);
          raw[i] = (1 - update) * fresh + update * before[i];
          g[i] = reset, g[h + i] = update, g[2 * h + i] = fresh;
          k.raw[at * h + i] = given;
          k.old[at * h + i] = before[i];
          break;
        }
      }
    }
  }

  Status backward_part(int64_t layer, int64_t direction, const std::vector<T>& d_out, const RecurrentGradients& g,
                       std::vector<T>* d_in) {
    const int64_t part = layer * s_.directions() + direction, h = s_.hidden, p = s_.projected, gates = s_.gates();
    const int64_t in = s_.width_of(part), batch = c_.x.batch;
    KeptPart<T>& k = kept_.parts[static_cast<size_t>(part)];
    std::vector<T> d_h = state(g.d_last_h, part, p), d_c = state(g.d_last_c, part, h);
    for (int64_t step = c_.x.steps - 1; step >= 0; --step) {
      order_.at(step, direction == 1, [&](int64_t b, int64_t at) {
        const T* const from = d_out.data() + at * p * s_.directions() + direction * p;
        for (int64_t i = 0; i < p; ++i) d_h[static_cast<size_t>(b * p + i)] += from[i];
        std::copy_n(d_h.data() + b * p, p, k.d_projected + at * p);
      });
      std::vector<T> d_raw = d_h;
      if (s_.projects()) {
        d_raw.assign(static_cast<size_t>(batch * h), T(0));
        WL_TRY(add(d_h.data(), false, matrix(part, 2 * gates), false, d_raw.data(), batch, h, p, s_.tf32));
      }
      std::vector<T> d_sums(static_cast<size_t>(batch * gates * h)), direct(static_cast<size_t>(batch * p));
      order_.at(step, direction == 1, [&](int64_t b, int64_t at) {
        cell_gradient(k, at, d_raw.data() + b * h, d_c.data() + b * h, direct.data() + b * p);
        std::copy_n(k.d_before + at * gates * h, gates * h, d_sums.data() + b * gates * h);
      });
      std::vector<T> d_before = direct;
      WL_TRY(add(d_sums.data(), false, matrix(part, gates), false, d_before.data(), batch, p, gates * h, s_.tf32));
      order_.at(step, direction == 1,
                [&](int64_t b, int64_t) { std::copy_n(d_before.data() + b * p, p, d_h.data() + b * p); });
    }
    store_state(d_h, part, g.d_first_h);
    store_state(d_c, part, g.d_first_c);
    return add(k.d_gates, false, matrix(part, 0), false, d_in->data(), positions_, in, gates * h, s_.tf32);
  }

  /// Of one sequence's step: gradients of the gates' sums; of c before, into `d_cell`; of h before but by the gates,
  /// into `direct`.
  void cell_gradient(KeptPart<T>& k, int64_t at, const T* d_h, T* d_cell, T* direct) const {
    const int64_t h = s_.hidden, gates = s_.gates();
    const T* const g = k.gates + at * gates * h;
    T *const d = k.d_gates + at * gates * h, *const before = k.d_before + at * gates * h;
    for (int64_t i = 0; i < h; ++i) {
      switch (s_.cell) {
        case Cell::kRelu: before[i] = d[i] = g[i] > 0 ? d_h[i] : T(0); break;
        case Cell::kTanh: before[i] = d[i] = d_h[i] * (1 - g[i] * g[i]); break;
        case Cell::kLstm: {
          const T in = g[i], forget = g[h + i], fresh = g[2 * h + i], out = g[3 * h + i];
          const T bent = std::tanh(k.cell[at * h + i]), old = k.old[at * h + i];
          const T d_new = d_cell[i] + d_h[i] * out * (1 - bent * bent);
          d[i] = d_new * fresh * in * (1 - in);
          d[h + i] = d_new * old * forget * (1 - forget);
          d[2 * h + i] = d_new * in * (1 - fresh * fresh);
          d[3 * h + i] = d_h[i] * bent * out * (1 - out);
          d_cell[i] = d_new * forget;
          for (int64_t gate = 0; gate < gates; ++gate) before[gate * h + i] = d[gate * h + i];
          break;
        }
        case Cell::kGru: {
          const T reset = g[i], update = g[h + i], fresh = g[2 * h + i], given = k.raw[at * h + i];
          const T d_fresh = d_h[i] * (1 - update) * (1 - fresh * fresh);
          d[i] = before[i] = d_fresh * given * reset * (1 - reset);
          d[h + i] = before[h + i] = d_h[i] * (k.old[at * h + i] - fresh) * update * (1 - update);
          d[2 * h + i] = d_fresh;
          before[2 * h + i] = d_fresh * reset;
          direct[i] = d_h[i] * update;
          break;
        }
      }
    }
  }

  Status weight_gradients_of(int64_t part, T* out) {
    const int64_t layer = part / s_.directions(), direction = part % s_.directions(), h = s_.hidden, p = s_.projected,
                  gates = s_.gates();
    const KeptPart<T>& k = kept_.parts[static_cast<size_t>(part)];
    const T* const input = kept_.inputs[static_cast<size_t>(layer)];
    WL_TRY(add(k.d_gates, true, input, false, out + matrix_place(s_, part, 0).offset, gates * h, s_.width_of(part),
               positions_, s_.tf32));
    const std::vector<T> before = states_before(layer, direction);
    WL_TRY(add(k.d_before, true, before.data(), false, out + matrix_place(s_, part, gates).offset, gates * h, p,
               positions_, s_.tf32));
    if (s_.projects())
      WL_TRY(add(k.d_projected, true, k.raw, false, out + matrix_place(s_, part, 2 * gates).offset, p, h, positions_,
                 s_.tf32));
    for (int64_t i = 0; s_.biased && i < gates * h; ++i) {
      T of_input = 0, of_before = 0;
      for (int64_t at = 0; at < positions_; ++at) {
        of_input += k.d_gates[at * gates * h + i];
        of_before += k.d_before[at * gates * h + i];
      }
      out[bias_place(s_, part, 0).offset + i] += of_input;
      out[bias_place(s_, part, gates).offset + i] += of_before;
    }
    return {};
  }

  /// h of the step before each position.
  std::vector<T> states_before(int64_t layer, int64_t direction) const {
    const int64_t p = s_.projected, part = layer * s_.directions() + direction;
    std::vector<T> out(static_cast<size_t>(positions_ * p)), last = state(c_.first_h, part, p);
    const T* const outputs = kept_.outputs[static_cast<size_t>(layer)];
    for (int64_t step = 0; step < c_.x.steps; ++step) {
      order_.at(step, direction == 1, [&](int64_t b, int64_t at) {
        std::copy_n(last.data() + b * p, p, out.data() + at * p);
        std::copy_n(outputs + at * p * s_.directions() + direction * p, p, last.data() + b * p);
      });
    }
    return out;
  }

  const RecurrentCall& c_;
  const RecurrentShape& s_;
  Order order_;
  int64_t positions_;
  Kept<T> kept_;
  std::vector<T> weights_;
};

/// Runs `use` with a pass over the memory that the call keeps, or over memory of its own.
template <typename F>
Status with_pass(const RecurrentCall& call, F use) {
  return with_sums(call.shape.number, [&]<typename T>(T) -> Status {
    std::vector<T> own;
    T* memory = static_cast<T*>(call.kept);
    if (memory == nullptr) {
      own.resize(static_cast<size_t>(Kept<T>(call.shape, call.x.positions(), nullptr).count));
      memory = own.data();
    }
    Pass<T> pass(call, memory);
    return use(pass);
  });
}

}  // namespace

int64_t kept_bytes(const RecurrentShape& shape, int64_t steps, int64_t batch) {
  return with_sums(shape.number, [&]<typename T>(T) {
    return Kept<T>(shape, steps * batch, nullptr).count * static_cast<int64_t>(sizeof(T));
  });
}

Status run_forward(const RecurrentCall& call) {
  return with_pass(call, [](auto& pass) { return pass.forward(); });
}
Status run_backward(const RecurrentCall& call, const RecurrentGradients& gradients) {
  return with_pass(call, [&](auto& pass) { return pass.backward(gradients); });
}
Status add_weight_gradients(const RecurrentCall& call, void* d_weights) {
  return with_pass(call, [&](auto& pass) { return pass.weight_gradients(d_weights); });
}

}  // namespace warplens::libraries
