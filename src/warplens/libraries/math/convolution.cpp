#include "warplens/libraries/math/convolution.h"

#include "warplens/libraries/math/product.h"

namespace warplens::libraries {
namespace {

/// Calls `use` with the offsets of what an element of the filter meets: in one channel of x, and in the space of y.
template <typename F>
void each_meeting(const Convolution& c, int64_t tap, F use) {
  const Dims &in = c.x.size, &out = c.y.size, &filter = c.w.size;
  std::array<int64_t, 3> at{tap / (filter[3] * filter[4]), tap / filter[4] % filter[3], tap % filter[4]};
  for (size_t i = 0; c.flipped && i < 3; ++i) at[i] = filter[i + 2] - 1 - at[i];
  const auto place = [&](size_t i, int64_t o) { return o * c.stride[i] - c.padding[i] + at[i] * c.dilation[i]; };
  for (int64_t d = 0; d < out[2]; ++d) {
    const int64_t z = place(0, d);
    if (z < 0 || z >= in[2]) continue;
    for (int64_t h = 0; h < out[3]; ++h) {
      const int64_t y = place(1, h);
      if (y < 0 || y >= in[3]) continue;
      for (int64_t w = 0; w < out[4]; ++w) {
        const int64_t x = place(2, w);
        if (x >= 0 && x < in[4]) use((z * in[3] + y) * in[4] + x, (d * out[3] + h) * out[4] + w);
      }
    }
  }
}

/// One group of one image, as matrices by rows: a filter (channels of y by taps), columns (taps by space of y), and y.
template <typename T>
struct Columns {
  const Convolution& c;
  int64_t channels, taps, pixels, input;  // of one group; `input`: elements of a channel of x

  explicit Columns(const Convolution& of)
      : c(of),
        channels(of.w.size[0] / of.groups),
        taps(of.w.size[1] * of.filter_space()),
        pixels(of.result_space()),
        input(of.x.size[2] * of.x.size[3] * of.x.size[4]) {}

  template <typename F>
  void each(F use) const {
    for (int64_t row = 0; row < taps; ++row) {
      const int64_t channel = row / c.filter_space();
      each_meeting(c, row % c.filter_space(),
                   [&](int64_t from, int64_t pixel) { use(channel * input + from, row * pixels + pixel); });
    }
  }
  std::vector<T> gather(const T* x) const {
    std::vector<T> out(static_cast<size_t>(taps * pixels));
    each([&](int64_t from, int64_t at) { out[static_cast<size_t>(at)] = x[from]; });
    return out;
  }
  void scatter(const std::vector<T>& columns, T* x) const {
    each([&](int64_t to, int64_t at) { x[to] += columns[static_cast<size_t>(at)]; });
  }
};

/// By rows: D += A B, where A is m by k, seen as it lies or turned, and B likewise.
template <typename T>
struct RowProduct {
  int64_t m, n, k;
  const T* a;
  bool a_turned;
  const T* b;
  bool b_turned;
  T* d;
};
template <typename T>
Status add_product(const RowProduct<T>& p, bool tf32) {
  const auto matrix = [](const T* data, int64_t rows, int64_t columns, bool turned) {
    return Matrix{.data = const_cast<T*>(data),
                  .number = kNumberOf<T>,
                  .row_step = turned ? 1 : columns,
                  .column_step = turned ? rows : 1};
  };
  // Rows of D are columns of its transpose, which is B's times A's.
  const auto across = [](Matrix m) {
    std::swap(m.row_step, m.column_step);
    return m;
  };
  Product product{.m = p.n, .n = p.m, .k = p.k, .beta = 1, .tf32 = tf32};
  product.a = across(matrix(p.b, p.k, p.n, p.b_turned));
  product.b = across(matrix(p.a, p.m, p.k, p.a_turned));
  product.c = product.d = across(matrix(p.d, p.m, p.n, false));
  return run(product);
}

template <typename T>
Status run_as(const Convolution& c) {
  const Columns<T> columns(c);
  const bool to_x = c.pass == ConvolutionPass::kBackwardData, to_w = c.pass == ConvolutionPass::kBackwardFilter;
  std::vector<T> w = to_w ? std::vector<T>(static_cast<size_t>(c.w.count())) : values_of<T>(c.w);
  const int64_t channels = columns.channels, taps = columns.taps, pixels = columns.pixels;
  for (int64_t image = 0; image < c.x.size[0]; ++image) {
    const Tensor x_place = c.x.at(image), y_place = c.y.at(image);
    const bool to_y = !to_x && !to_w;
    std::vector<T> x = to_x ? std::vector<T>(static_cast<size_t>(x_place.count())) : values_of<T>(x_place);
    std::vector<T> y = to_y ? std::vector<T>(static_cast<size_t>(y_place.count())) : values_of<T>(y_place);
    for (int64_t group = 0; group < c.groups; ++group) {
      T* const x_part = x.data() + group * c.w.size[1] * columns.input;
      T* const w_part = w.data() + group * channels * taps;
      T* const y_part = y.data() + group * channels * pixels;
      if (to_x) {
        std::vector<T> spread(static_cast<size_t>(taps * pixels));
        WL_TRY(add_product<T>({taps, pixels, channels, w_part, true, y_part, false, spread.data()}, c.tf32));
        columns.scatter(spread, x_part);
        continue;
      }
      const std::vector<T> gathered = columns.gather(x_part);
      if (to_w) WL_TRY(add_product<T>({channels, taps, pixels, y_part, false, gathered.data(), true, w_part}, c.tf32));
      else WL_TRY(add_product<T>({channels, pixels, taps, w_part, false, gathered.data(), false, y_part}, c.tf32));
    }
    if (to_x) store_values(x, x_place, c.alpha, c.beta);
    if (to_y) store_values(y, y_place, c.alpha, c.beta);
  }
  if (to_w) store_values(w, c.w, c.alpha, c.beta);
  return {};
}

}  // namespace

const Tensor& Convolution::result() const {
  return pass == ConvolutionPass::kForward ? y : pass == ConvolutionPass::kBackwardData ? x : w;
}

double Convolution::flops() const {
  return 2.0 * static_cast<double>(y.count()) * static_cast<double>(w.size[1] * filter_space());
}

bool is_consistent(const Convolution& c) {
  if (c.groups < 1 || c.x.size[0] != c.y.size[0] || c.w.size[0] != c.y.size[1]) return false;
  if (c.w.size[1] * c.groups != c.x.size[1] || c.w.size[0] % c.groups != 0) return false;
  for (size_t i = 0; i < 3; ++i) {
    if (c.stride[i] < 1 || c.dilation[i] < 1) return false;
    const int64_t room = c.x.size[i + 2] + 2 * c.padding[i] - c.dilation[i] * (c.w.size[i + 2] - 1) - 1;
    if (room < 0 || c.y.size[i + 2] != room / c.stride[i] + 1) return false;
  }
  return true;
}

Status run(const Convolution& convolution) {
  return with_sums(convolution.y.number, [&]<typename T>(T) { return run_as<T>(convolution); });
}

}  // namespace warplens::libraries
