// acc[r][q] += rows[r] . query q, for all rows r and queries q at once
//
// The queries are packed in panels of 16: panel[j][16] holds value j of sixteen queries, panels lie `panel_stride` values
// apart, acc has a row of `acc_stride` values per row. A block of SJ_TILE_ROWS x SJ_TILE_WORDS x 16 products stays in
// registers, so that the machine does little but multiply-adds. `ahead` is where the next rows will be read: it is
// fetched into the second-level cache meanwhile (null: nothing is). Units: none. Domain: any float32; NaN and infinity
// stay in their own row and query. Order: one chain over the columns, in whatever block, so all ISAs give the same bits.
// Error: (cols + 1) 2^-24 (|acc| + |row| |query|).
#pragma once

namespace scrubjay::SJ_ISA {

template <int R, int W>
[[gnu::noinline]] static void tile_block(const float* rows, std::int64_t stride, std::int64_t cols, const float* panel,
                                         std::int64_t panel_stride, float* acc, std::int64_t acc_stride, const char* ahead) {
  f32 a[R][W];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) a[r][w] = load(acc + r * acc_stride + w * 16);
  for (std::int64_t k = 0; k < cols; ++k) {
    f32 q[W];
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) q[w] = load(panel + w * panel_stride + k * 16);
    if (ahead) __builtin_prefetch(ahead + k * R * 4, 0, 2);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const f32 x = set(rows[r * stride + k]);
#pragma GCC unroll 4
      for (int w = 0; w < W; ++w) a[r][w] = fma(x, q[w], a[r][w]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) store(acc + r * acc_stride + w * 16, a[r][w]);
}

template <int R>
SJ_INLINE void tile_rows(const float* rows, std::int64_t stride, std::int64_t cols, const float* panels,
                         std::int64_t panel_stride, std::int64_t count, float* acc, std::int64_t acc_stride,
                         const char* ahead) {
  std::int64_t p = 0;
  for (; p + SJ_TILE_WORDS <= count; p += SJ_TILE_WORDS)
    tile_block<R, SJ_TILE_WORDS>(rows, stride, cols, panels + p * panel_stride, panel_stride, acc + p * 16, acc_stride,
                                 p + SJ_TILE_WORDS == count ? ahead : nullptr);
  for (; p < count; ++p)
    tile_block<R, 1>(rows, stride, cols, panels + p * panel_stride, panel_stride, acc + p * 16, acc_stride,
                     p + 1 == count ? ahead : nullptr);
}

static void tile(Matrix<const float> rows, const float* panels, std::int64_t panel_stride, std::int64_t count, float* acc,
                 std::int64_t acc_stride, const void* ahead) {
  const char* next = static_cast<const char*>(ahead);
  std::int64_t i = 0;
  for (; i + SJ_TILE_ROWS <= rows.rows; i += SJ_TILE_ROWS)
    tile_rows<SJ_TILE_ROWS>(rows.data + i * rows.stride, rows.stride, rows.cols, panels, panel_stride, count,
                            acc + i * acc_stride, acc_stride, next);
  for (; i + 4 <= rows.rows; i += 4)
    tile_rows<4>(rows.data + i * rows.stride, rows.stride, rows.cols, panels, panel_stride, count, acc + i * acc_stride,
                 acc_stride, nullptr);
  for (; i < rows.rows; ++i)
    tile_rows<1>(rows.data + i * rows.stride, rows.stride, rows.cols, panels, panel_stride, count, acc + i * acc_stride,
                 acc_stride, nullptr);
}

static void norms(Matrix<const float> rows, float* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const float* row = rows.data + i * rows.stride;
    out[i] = dot_row(row, row, rows.cols);
  }
}

}  // namespace scrubjay::SJ_ISA
