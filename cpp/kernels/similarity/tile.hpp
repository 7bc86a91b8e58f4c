// acc[r][q] += rows[r] . query q, for all rows r and queries q at once; squares[r] >= |rows[r]|^2, NaN if a value is
//
// The queries are packed in panels of 16: line k of a panel holds four bytes of each of sixteen queries (formats.hpp), panels
// lie `panel_stride` bytes apart, acc has a row of `acc_stride` values per row. A block of SJ_TILE_ROWS x SJ_TILE_WORDS x 16
// sums stays in registers, so that the machine does little but multiply-adds. What else is needed hides in the free slots
// between them: the first panels also look for the largest magnitude of each row (cols times its square bounds the squared
// norm; not for uint8, whose norms are stored), and all of them fetch a part of the next rows into the first-level
// cache: from ahead.rows, or (uint8) one half from there and one from ahead.half; null: nothing is fetched.
//
// Units: none. Domain: any value; NaN and infinity stay in their own row and query. Order: one chain over the columns, in
// whatever block. Error against exact arithmetic on the given numbers:
//   float32   (cols + 1) 2^-24 (|acc| + |row| |query|); all ISAs give the same bits
//   bfloat16  (2 cols + 1) 2^-24 (|acc| + |row| |query|) + cols 2^-126 (the instruction flushes subnormals)
//   uint8     the sums are exact; acc += (sum - offset[q]) (row_scale[r] query_scale[q]) rounds four times
#pragma once

#include "kernels/similarity/formats.hpp"

namespace scrubjay::SJ_ISA {

struct Tiling {
  const char* rows;
  std::int64_t stride, cols;  // bytes, values
  const char* panel;
  std::int64_t panel_stride;  // bytes
  float* acc;
  std::int64_t acc_stride;
  float* squares;
  const char *ahead, *half;  // a block fetches R cols values / parts from ahead; uint8 one half of that from each
  std::int64_t parts;
  Dequantize scales;
};

template <class F, int R, int W>
SJ_INLINE void tile_step(const Tiling& t, typename F::Sum (&a)[R][W], const char* row, const char* panel, std::int64_t fetch) {
  typename F::Word q[W];
#pragma GCC unroll 4
  for (int w = 0; w < W; ++w) q[w] = F::panel(panel + w * t.panel_stride);
  __builtin_prefetch(t.ahead + fetch, 0, 3);
  if constexpr (F::group == 4) __builtin_prefetch(t.half + fetch, 0, 3);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    const typename F::Word x = F::spread4(row + r % 3 * t.stride);
    if (r % 3 == 2) row += 3 * t.stride;
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) a[r][w] = F::add_products(x, q[w], a[r][w]);
  }
}

// The last columns of a row that do not fill a word.
template <class F, int R, int W>
SJ_INLINE void tile_tail(const Tiling& t, typename F::Sum (&a)[R][W], std::int64_t k, std::int64_t values) {
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    char word[4] = {};
    const char* row = t.rows + r * t.stride + k * 4;
    for (std::int64_t i = 0; i < values * 4 / F::group; ++i) word[i] = row[i];
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w)
      a[r][w] = F::add_products(F::spread4(word), F::panel(t.panel + w * t.panel_stride + k * 64), a[r][w]);
  }
}

template <class F, int R, int W>
SJ_INLINE void tile_store(const Tiling& t, typename F::Sum (&a)[R][W]) {
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) {
      float* const acc = t.acc + r * t.acc_stride + w * 16;
      if constexpr (F::group == 4) {
        const f32 sums = real32(sub(a[r][w], loadi(t.scales.offset + w * 16)));
        store(acc, fma(sums, mul(set(t.scales.row[r]), load(t.scales.query + w * 16)), load(acc)));
      } else {
        store(acc, a[r][w]);
      }
    }
}

template <class F, int R, int W, bool First>
[[gnu::noinline]] static void tile_block(const Tiling& given) {
  const Tiling t = given;
  const std::int64_t words = t.cols / F::group, pace = t.parts > 0 ? R * (F::group == 4 ? 2 : 4) / t.parts : 0;
  const char *row = t.rows, *panel = t.panel;
  std::int64_t fetch = 0;
  const auto step = [&](typename F::Sum (&a)[R][W]) __attribute__((always_inline)) {
    tile_step<F, R, W>(t, a, row, panel, fetch);
    row += 4;
    panel += 64;
    fetch += pace;
  };
  typename F::Sum a[R][W];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) {
      if constexpr (F::group == 4)
        a[r][w] = seti(0);
      else
        a[r][w] = load(t.acc + r * t.acc_stride + w * 16);
    }
  if constexpr (First && F::looks) {
    // Row s is looked at during the s-th part of the columns.
    constexpr std::int64_t line = 16 * F::group;
    std::int64_t k = 0;
    for (int s = 0; s < R; ++s) {
      const char* seen = t.rows + s * t.stride;
      const std::int64_t end = words * (s + 1) / R;
      i32 most = seti(0);
      std::int64_t j = 0;
      for (; k < end && j + line <= t.cols; ++k, j += line, seen += 64) {
        most = F::look(most, seen);
        step(a);
      }
      for (; j < t.cols; j += line, seen += 64)
        most = j + line <= t.cols ? F::look(most, seen) : F::look(most, seen, t.cols - j);
      for (; k < end; ++k) step(a);
      const float peak = farthest(most);
      t.squares[s] = peak * peak * (static_cast<float>(t.cols) * (1.0f + 0x1p-20f));
    }
  } else {
    for (std::int64_t k = 0; k < words; ++k) step(a);
  }
  if (words * F::group < t.cols) tile_tail<F, R, W>(t, a, words, t.cols - words * F::group);
  tile_store<F, R, W>(t, a);
}

template <class F, int R, int W>
SJ_INLINE void tile_panels(Tiling& t, bool first) {
  if (first)
    tile_block<F, R, W, true>(t);
  else
    tile_block<F, R, W, false>(t);
  t.panel += W * t.panel_stride;
  t.acc += W * 16;
  if constexpr (F::group == 4) {
    t.scales.query += W * 16;
    t.scales.offset += W * 16;
  }
  if (t.parts == 0) return;
  const std::int64_t fetched = R * t.cols * 4 / F::group / t.parts;
  if constexpr (F::group == 4) {
    t.ahead += fetched / 2;
    t.half += fetched / 2;
  } else {
    t.ahead += fetched;
  }
}

template <class F, int R>
SJ_INLINE void tile_rows(Tiling t, std::int64_t count) {
  t.parts = t.ahead ? (count + SJ_TILE_WORDS - 1) / SJ_TILE_WORDS : 0;
  if (!t.ahead) t.ahead = t.half = t.rows;
  for (std::int64_t p = 0; p < count;) {
    if (p + SJ_TILE_WORDS <= count) {
      tile_panels<F, R, SJ_TILE_WORDS>(t, p == 0);
      p += SJ_TILE_WORDS;
    } else {
      tile_panels<F, R, 1>(t, p == 0);
      ++p;
    }
  }
}

template <class F>
static void tile(Bytes rows, Packed queries, Dequantize scales, float* acc, std::int64_t acc_stride, float* squares,
                 Ahead ahead) {
  Tiling t{static_cast<const char*>(rows.data), rows.stride, rows.cols, static_cast<const char*>(queries.data), queries.stride,
           acc, acc_stride, squares, static_cast<const char*>(ahead.rows), static_cast<const char*>(ahead.half), 0, scales};
  for (std::int64_t left = rows.rows; left > 0;) {
    const int step = left >= SJ_TILE_ROWS ? SJ_TILE_ROWS : left >= 4 ? 4 : 1;
    if (step == SJ_TILE_ROWS)
      tile_rows<F, SJ_TILE_ROWS>(t, queries.panels);
    else if (step == 4)
      tile_rows<F, 4>(t, queries.panels);
    else
      tile_rows<F, 1>(t, queries.panels);
    left -= step;
    t.rows += step * t.stride;
    t.acc += step * t.acc_stride;
    if constexpr (F::looks) t.squares += step;
    if constexpr (F::group == 4) t.scales.row += step;
  }
}

}  // namespace scrubjay::SJ_ISA
