// Similarities by codes, with what they can be off at most.
//
// The bound. Let x be a row, y what its codes stand for, q the query and p the query in one or two levels of 8 bits. Then
//   q.x = p.y + q.(x - y) + (q - p).y,  so by Cauchy and Schwarz  |q.x - p.y| <= |q| |x - y| + |q - p| |y|.
// |x - y| is stored with the row (quantize.hpp: coarse for the upper halves, fine for all 8 bits), |q - p| and |q| are computed
// once a query, and |y| <= norm. p.y is computed exactly in whole numbers and then rounded: 5 2^-24 |p| |y|. The first term is
// the slack that these kernels return; the search adds the others, times the row's reach >= norm, to its error.
// Nothing is assumed of the rows or of the embedder. Source: the residual bound is the Cauchy-Schwarz inequality.
//
// Whole numbers: the upper halves stand for scale (16 h - 120.5), so 32 sum(h c) - 241 sum(c) is twice p.y in units of both
// scales; all 8 bits for scale (u - 128). Both stay below 2^31 for up to 32768 columns.
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE void sum_high(const std::uint8_t* high, std::int64_t stride, const std::int64_t* pick, std::int64_t at,
                        std::int64_t rows, const std::int8_t* query, std::int64_t width, i32 (&sums)[16]) {
  for (std::int64_t r = 0; r < 16; ++r) {
    const std::int64_t row = at + (r < rows ? r : rows - 1);
    const std::uint8_t* p = high + (pick ? pick[row] : row) * stride;
    i32 a = seti(0), b = a;
    for (std::int64_t j = 0; j < width; j += 64) {
      const bytes h = loadb(p + j);
      a = dot4_small(a, low_nibbles(h), loadb(query + 2 * j));
      b = dot4_small(b, high_nibbles(h), loadb(query + 2 * j + 64));
    }
    sums[r] = add(a, b);
  }
}

SJ_INLINE f32 gathered(const float* column, const std::int64_t* pick, std::int64_t at, std::int64_t rows) {
  if (!pick) return load(column + at, rows);
  float lane[16] = {};
  for (std::int64_t r = 0; r < rows; ++r) lane[r] = column[pick[at + r]];
  return load(lane);
}

static void scan_high(const Codes& codes, const std::int64_t* pick, std::int64_t begin, std::int64_t rows, const Leveled& query,
                      bool accumulate, float* sums, float* slack) {
  const f32 unit = set(0.5f * query.first.scale), norm = set(query.norm), zero = set(0.0f);
  const i32 offset = seti(241 * query.first.sum);
  for (std::int64_t i = 0; i < rows; i += 16) {
    const std::int64_t rest = rows - i < 16 ? rows - i : 16;
    i32 parts[16];
    sum_high(codes.high.data, codes.high.stride, pick, begin + i, rest, query.first.codes, codes.high.cols, parts);
    const f32 scale = gathered(codes.scale, pick, begin + i, rest), coarse = gathered(codes.coarse, pick, begin + i, rest);
    const f32 twice = real32(sub(shl<5>(totals(parts)), offset));
    const f32 before = accumulate ? load(sums + i, rest) : zero, before_slack = accumulate ? load(slack + i, rest) : zero;
    store(sums + i, fma(twice, mul(scale, unit), before), rest);
    store(slack + i, fma(coarse, norm, before_slack), rest);
  }
}

static void scan_both(const Codes& codes, const std::int64_t* at, std::int64_t rows, const Leveled& query, bool accumulate,
                      float* sums, float* slack) {
  constexpr std::int64_t ahead = 6;  // rows that are on their way
  for (std::int64_t i = -ahead; i < rows; ++i) {
    if (i + ahead < rows) {
      const std::int64_t next = at[i + ahead];
      for (std::int64_t j = 0; j < codes.low.cols; j += 64) {
        __builtin_prefetch(codes.high.data + next * codes.high.stride + j, 0, 3);
        __builtin_prefetch(codes.low.data + next * codes.low.stride + j, 0, 3);
      }
      __builtin_prefetch(codes.scale + next, 0, 3);
      __builtin_prefetch(codes.fine + next, 0, 3);
    }
    if (i < 0) continue;
    const std::uint8_t *high = codes.high.data + at[i] * codes.high.stride, *low = codes.low.data + at[i] * codes.low.stride;
    i32 a = seti(0), b = a;
    for (std::int64_t j = 0; j < codes.high.cols; j += 64) {
      const bytes h = loadb(high + j), l = loadb(low + j);
      const bytes u = nibbles(low_nibbles(h), low_nibbles(l)), v = nibbles(high_nibbles(h), high_nibbles(l));
      a = dot4(dot4(a, u, loadb(query.first.codes + 2 * j)), v, loadb(query.first.codes + 2 * j + 64));
      b = dot4(dot4(b, u, loadb(query.second.codes + 2 * j)), v, loadb(query.second.codes + 2 * j + 64));
    }
    const float first = static_cast<float>(total(a) - 128 * query.first.sum) * query.first.scale;
    const float second = static_cast<float>(total(b) - 128 * query.second.sum) * query.second.scale;
    sums[i] = (accumulate ? sums[i] : 0.0f) + (first + second) * codes.scale[at[i]];
    slack[i] = (accumulate ? slack[i] : 0.0f) + codes.fine[at[i]] * query.norm;
  }
}

}  // namespace scrubjay::SJ_ISA
