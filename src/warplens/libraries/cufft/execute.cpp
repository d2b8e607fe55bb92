#include "warplens/libraries/cufft/execute.h"

#include <cmath>

#include "warplens/base/text.h"
#include "warplens/libraries/math/fourier.h"

namespace warplens::libraries {
namespace {

using Complex = std::complex<double>;

/// The rows of one batch's elements, outermost dimensions first.
template <typename F>
void each_row(const FftLayout& layout, F use) {
  for (int64_t i = 0; i < layout.lengths[0]; ++i)
    for (int64_t j = 0; j < layout.lengths[1]; ++j) use(i, j, i * layout.steps[0] + j * layout.steps[1]);
}

char* element(const void* data, Number number, int64_t at) {
  return static_cast<char*>(const_cast<void*>(data)) + at * size_bytes(number);
}

struct Grid {
  std::array<int64_t, kMostRank> lengths;
  std::vector<Complex> values;
  Complex* row(int64_t i, int64_t j) { return values.data() + (i * lengths[1] + j) * lengths[2]; }
};

Grid load_batch(const FftPlan& plan, const FftLayout& layout, const void* data, int64_t batch) {
  Grid grid{plan.lengths, std::vector<Complex>(static_cast<size_t>(plan.elements()))};
  each_row(layout, [&](int64_t i, int64_t j, int64_t at) {
    load(plan.in.number, element(data, plan.in.number, batch * layout.distance + at), layout.steps[2],
         layout.lengths[2], grid.row(i, j));
  });
  return grid;
}

void store_batch(const FftPlan& plan, const FftLayout& layout, void* data, int64_t batch, Grid* grid) {
  each_row(layout, [&](int64_t i, int64_t j, int64_t at) {
    store(grid->row(i, j), layout.lengths[2], plan.out.number,
          element(data, plan.out.number, batch * layout.distance + at), layout.steps[2]);
  });
}

/// The other half of a real signal's spectrum: conjugates, at the opposite frequencies.
void mirror(Grid* grid) {
  const auto [n0, n1, n2] = grid->lengths;
  for (int64_t i = 0; i < n0; ++i)
    for (int64_t j = 0; j < n1; ++j)
      for (int64_t k = n2 / 2 + 1; k < n2; ++k)
        grid->row(i, j)[k] = std::conj(grid->row((n0 - i) % n0, (n1 - j) % n1)[n2 - k]);
}

/// The dimension that is not the last, by way of a copy whose rows are its lines.
Status transform_lines(Grid* grid, size_t dimension, int sign) {
  const auto [n0, n1, n2] = grid->lengths;
  const int64_t length = grid->lengths[dimension], inner = dimension == 0 ? n1 * n2 : n2,
                outer = dimension == 0 ? 1 : n0;
  if (length == 1) return {};
  std::vector<Complex> lines(grid->values.size());
  const auto place = [&](int64_t o, int64_t x, int64_t i) {
    return std::pair(static_cast<size_t>((o * inner + i) * length + x),
                     static_cast<size_t>((o * length + x) * inner + i));
  };
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t x = 0; x < length; ++x)
      for (int64_t i = 0; i < inner; ++i) {
        const auto [to, from] = place(o, x, i);
        lines[to] = grid->values[from];
      }
  WL_TRY(transform_rows(lines.data(), length, outer * inner, sign));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t x = 0; x < length; ++x)
      for (int64_t i = 0; i < inner; ++i) {
        const auto [from, to] = place(o, x, i);
        grid->values[to] = lines[from];
      }
  return {};
}

Status execute(const FftPlan& plan, const void* in, void* out, int sign) {
  const FftLayout from = layout_of(plan, plan.in, in == out), to = layout_of(plan, plan.out, in == out);
  for (int64_t batch = 0; batch < plan.batches; ++batch) {
    Grid grid = load_batch(plan, from, in, batch);
    if (plan.complex_to_real()) mirror(&grid);
    WL_TRY(transform_rows(grid.values.data(), plan.lengths[2], plan.lengths[0] * plan.lengths[1], sign));
    WL_TRY(transform_lines(&grid, 1, sign));
    WL_TRY(transform_lines(&grid, 0, sign));
    store_batch(plan, to, out, batch, &grid);
  }
  return {};
}

std::string name_of(const FftPlan& plan) {
  std::string out = fmt::format("fft {} to {} {}", name(plan.in.number), name(plan.out.number),
                                plan.lengths[static_cast<size_t>(kMostRank - plan.rank)]);
  for (int i = kMostRank - plan.rank + 1; i < kMostRank; ++i)
    out += fmt::format("x{}", plan.lengths[static_cast<size_t>(i)]);
  return plan.batches > 1 ? out + fmt::format(" batch {}", plan.batches) : out;
}

/// Each pass over memory does as many digits as a block's shared memory holds: 4,096 elements.
LibraryTime time_of(const FftPlan& plan) {
  constexpr double kOnePass = 4096, kFlopsAnElement = 5;
  const auto elements = static_cast<double>(plan.elements() * plan.batches);
  const double digits = std::log2(std::max<double>(2, static_cast<double>(plan.elements())));
  double passes = 0;
  for (const int64_t length : plan.lengths)
    if (length > 1) passes += std::ceil(std::log(static_cast<double>(length)) / std::log(kOnePass));
  const double bytes = elements * (size_bytes(plan.in.number) + size_bytes(plan.out.number)) * std::max(passes, 1.0);
  return streaming_time(bytes, elements * digits * kFlopsAnElement, *device());
}

}  // namespace

int queue_transform(const FftPlan& plan, const void* in, void* out, int sign) {
  const auto touches = [=] {
    std::vector<TouchedMemory> all;
    for (const bool written : {false, true}) {
      const FftSide& side = written ? plan.out : plan.in;
      const FftLayout layout = layout_of(plan, side, in == out);
      const auto bytes = static_cast<uint64_t>(size_bytes(side.number));
      all.push_back({written ? out : in, static_cast<uint64_t>(layout.batch_span()) * bytes,
                     static_cast<uint64_t>(layout.distance) * bytes, static_cast<uint64_t>(plan.batches), written});
    }
    return all;
  };
  return queue(plan.stream, {.name = name_of(plan), .time = time_of(plan), .touches = touches, .run = [=] {
                               return execute(plan, in, out, sign);
                             }});
}

}  // namespace warplens::libraries
