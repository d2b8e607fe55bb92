#include "warplens/libraries/math/grid.h"

#include <cmath>

namespace warplens::libraries {
namespace {

using Values = std::vector<double>;

Values read(Number number, const void* data, int64_t count) {
  Values out(static_cast<size_t>(count));
  load(number, data, 1, count, out.data());
  return out;
}

/// One of the four pixels around a place: its weight, and how the weight changes with x and y of the grid.
struct Corner {
  int64_t at;
  double weight, by_x, by_y;
};

/// Calls `use` with the corners inside of an image.
template <typename F>
void each_corner(double x, double y, int64_t height, int64_t width, F use) {
  const double x_scale = static_cast<double>(width - 1) / 2, y_scale = static_cast<double>(height - 1) / 2;
  const double px = (x + 1) * x_scale, py = (y + 1) * y_scale, left = std::floor(px), top = std::floor(py);
  for (const int down : {0, 1}) {
    for (const int right : {0, 1}) {
      const double column = left + right, row = top + down;
      if (!(column >= 0 && row >= 0 && column < static_cast<double>(width) && row < static_cast<double>(height)))
        continue;
      const double wx = right ? px - left : 1 - (px - left), wy = down ? py - top : 1 - (py - top);
      use(Corner{static_cast<int64_t>(row) * width + static_cast<int64_t>(column), wx * wy,
                 (right ? 1 : -1) * wy * x_scale, (down ? 1 : -1) * wx * y_scale});
    }
  }
}

/// Calls `use` with each pixel of the grid's: its place, the image, and its index there.
template <typename F>
void each_place(const Values& grid, int64_t images, int64_t pixels, F use) {
  for (int64_t n = 0; n < images; ++n)
    for (int64_t p = 0; p < pixels; ++p) {
      const auto at = static_cast<size_t>((n * pixels + p) * 2);
      use(n, p, grid[at], grid[at + 1]);
    }
}

int64_t space(const Tensor& t) { return t.size[3] * t.size[4]; }

/// Places from -1 to 1.
double along(int64_t i, int64_t count) {
  return count > 1 ? 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1 : 0;
}

template <typename F>
void each_pixel(const AffineGrid& g, F use) {
  for (int64_t n = 0; n < g.images; ++n)
    for (int64_t i = 0; i < g.height; ++i)
      for (int64_t j = 0; j < g.width; ++j) {
        const double place[3] = {along(j, g.width), along(i, g.height), 1};
        for (int64_t axis = 0; axis < 2; ++axis)
          for (int64_t k = 0; k < 3; ++k)
            use(static_cast<size_t>((n * 2 + axis) * 3 + k),
                static_cast<size_t>(((n * g.height + i) * g.width + j) * 2 + axis), place[k]);
      }
}

}  // namespace

void run(const GridSample& s) {
  const int64_t images = s.y.size[0], channels = s.y.size[1], pixels = space(s.y), source = space(s.x);
  const Values x = values_of<double>(s.x), grid = read(s.x.number, s.grid, images * pixels * 2);
  Values y(static_cast<size_t>(s.y.count()));
  each_place(grid, images, pixels, [&](int64_t n, int64_t p, double gx, double gy) {
    each_corner(gx, gy, s.x.size[3], s.x.size[4], [&](const Corner& corner) {
      for (int64_t c = 0; c < channels; ++c)
        y[static_cast<size_t>((n * channels + c) * pixels + p)] +=
            corner.weight * x[static_cast<size_t>((n * channels + c) * source + corner.at)];
    });
  });
  store_values(y, s.y, s.alpha, s.beta);
}

void run(const GridSampleGradient& g) {
  const int64_t images = g.dy.size[0], channels = g.dy.size[1], pixels = space(g.dy), source = space(g.x);
  const Values x = values_of<double>(g.x), dy = values_of<double>(g.dy);
  const Values grid = read(g.x.number, g.grid, images * pixels * 2);
  Values dx(static_cast<size_t>(g.dx.count())), d_grid(grid.size());
  each_place(grid, images, pixels, [&](int64_t n, int64_t p, double gx, double gy) {
    each_corner(gx, gy, g.x.size[3], g.x.size[4], [&](const Corner& corner) {
      for (int64_t c = 0; c < channels; ++c) {
        const double given = dy[static_cast<size_t>((n * channels + c) * pixels + p)];
        const auto at = static_cast<size_t>((n * channels + c) * source + corner.at);
        dx[at] += corner.weight * given;
        d_grid[static_cast<size_t>((n * pixels + p) * 2)] += corner.by_x * x[at] * given;
        d_grid[static_cast<size_t>((n * pixels + p) * 2 + 1)] += corner.by_y * x[at] * given;
      }
    });
  });
  store_values(dx, g.dx, g.x_alpha, g.x_beta);
  Tensor out{.data = g.d_grid, .number = g.x.number};
  out.size[4] = static_cast<int64_t>(d_grid.size());
  out.step[4] = 1;
  store_values(d_grid, out, g.grid_alpha, g.grid_beta);
}

void run(const AffineGrid& g) {
  const Values maps = read(g.number, g.maps, g.images * 6);
  Values grid(static_cast<size_t>(g.images * g.height * g.width * 2));
  each_pixel(g, [&](size_t map, size_t at, double place) { grid[at] += maps[map] * place; });
  store(grid.data(), static_cast<int64_t>(grid.size()), g.number, g.grid, 1);
}

void run_gradient(const AffineGrid& g) {
  const Values grid = read(g.number, g.grid, g.images * g.height * g.width * 2);
  Values maps(static_cast<size_t>(g.images * 6));
  each_pixel(g, [&](size_t map, size_t at, double place) { maps[map] += grid[at] * place; });
  store(maps.data(), static_cast<int64_t>(maps.size()), g.number, g.maps, 1);
}

}  // namespace warplens::libraries
