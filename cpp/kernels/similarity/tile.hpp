// acc[r][q] += rows[r] . query q, for all rows r and queries q at once; squares[r] >= |rows[r]|^2, NaN if a value is
//
// The queries are packed in panels of 16: panel[j][16] holds value j of sixteen queries, panels lie `panel_stride` values
// apart, acc has a row of `acc_stride` values per row. A block of SJ_TILE_ROWS x SJ_TILE_WORDS x 16 products stays in
// registers, so that the machine does little but multiply-adds. What else is needed hides in the free slots between them:
// the first panels also look for the largest magnitude of each row (cols times its square bounds the squared norm), and
// all of them fetch a part of the next rows, at `ahead`, into the first-level cache (null: nothing is fetched).
//
// Units: none. Domain: any float32; NaN and infinity stay in their own row and query. Order: one chain over the columns,
// in whatever block, so all ISAs give the same bits. Error: (cols + 1) 2^-24 (|acc| + |row| |query|).
#pragma once

namespace scrubjay::SJ_ISA {

struct Tiling {
  const float* rows;
  std::int64_t stride, cols;
  const float* panel;
  std::int64_t panel_stride;
  float* acc;
  std::int64_t acc_stride;
  const char* ahead;  // what a call fetches: R cols values / parts, from here
  std::int64_t parts;
  float* squares;  // for the first panels
};

template <int R, int W>
SJ_INLINE void tile_step(const Tiling& t, f32 (&a)[R][W], std::int64_t k, std::int64_t& fetch, std::int64_t pace) {
  f32 q[W];
#pragma GCC unroll 4
  for (int w = 0; w < W; ++w) q[w] = load(t.panel + w * t.panel_stride + k * 16);
  __builtin_prefetch(t.ahead + fetch, 0, 3);
  fetch += pace;
  const float* row = t.rows + k;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    const f32 x = set(row[r % 3 * t.stride]);
    if (r % 3 == 2) row += 3 * t.stride;
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) a[r][w] = fma(x, q[w], a[r][w]);
  }
}

template <int R, int W, bool First>
[[gnu::noinline]] static void tile_block(const Tiling& given) {
  const Tiling t = given;
  const std::int64_t pace = t.parts > 0 ? R * 4 / t.parts : 0;
  std::int64_t fetch = 0;
  f32 a[R][W];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) a[r][w] = load(t.acc + r * t.acc_stride + w * 16);
  if constexpr (First) {
    // Row s is looked at during the s-th part of the columns.
    std::int64_t k = 0;
    for (int s = 0; s < R; ++s) {
      const float* row = t.rows + s * t.stride;
      const std::int64_t end = t.cols * (s + 1) / R;
      i32 most = seti(0);
      std::int64_t j = 0;
      for (; k < end && j + 16 <= t.cols; ++k, j += 16) {
        most = farther(most, load(row + j));
        tile_step(t, a, k, fetch, pace);
      }
      for (; j < t.cols; j += 16) most = farther(most, j + 16 <= t.cols ? load(row + j) : load(row + j, t.cols - j));
      for (; k < end; ++k) tile_step(t, a, k, fetch, pace);
      const float peak = farthest(most);
      t.squares[s] = peak * peak * (static_cast<float>(t.cols) * (1.0f + 0x1p-20f));
    }
  } else {
    for (std::int64_t k = 0; k < t.cols; ++k) tile_step(t, a, k, fetch, pace);
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) store(t.acc + r * t.acc_stride + w * 16, a[r][w]);
}

template <int R, int W>
SJ_INLINE void tile_panels(Tiling& t, bool first) {
  if (first)
    tile_block<R, W, true>(t);
  else
    tile_block<R, W, false>(t);
  t.panel += W * t.panel_stride;
  t.acc += W * 16;
  if (t.parts > 0) t.ahead += R * t.cols * 4 / t.parts;
}

template <int R>
SJ_INLINE void tile_rows(Tiling t, std::int64_t count) {
  t.parts = t.ahead ? (count + SJ_TILE_WORDS - 1) / SJ_TILE_WORDS : 0;
  if (!t.ahead) t.ahead = reinterpret_cast<const char*>(t.rows);
  for (std::int64_t p = 0; p < count;) {
    if (p + SJ_TILE_WORDS <= count) {
      tile_panels<R, SJ_TILE_WORDS>(t, p == 0);
      p += SJ_TILE_WORDS;
    } else {
      tile_panels<R, 1>(t, p == 0);
      ++p;
    }
  }
}

static void tile(Matrix<const float> rows, const float* panels, std::int64_t panel_stride, std::int64_t count, float* acc,
                 std::int64_t acc_stride, float* squares, const void* ahead) {
  Tiling t{rows.data, rows.stride, rows.cols, panels, panel_stride, acc, acc_stride, static_cast<const char*>(ahead), 0, squares};
  for (std::int64_t left = rows.rows; left > 0;) {
    const int step = left >= SJ_TILE_ROWS ? SJ_TILE_ROWS : left >= 4 ? 4 : 1;
    if (step == SJ_TILE_ROWS)
      tile_rows<SJ_TILE_ROWS>(t, count);
    else if (step == 4)
      tile_rows<4>(t, count);
    else
      tile_rows<1>(t, count);
    left -= step;
    t.rows += step * t.stride;
    t.acc += step * t.acc_stride;
    t.squares += step;
  }
}

}  // namespace scrubjay::SJ_ISA
