// Weights of edges (i, j): e = share_what e_S + share_where e_C + share_when e_T.
//
// e_S and e_C are the cosines of what with what and where with where, kept where they reach their threshold, else 0; e_T is
// exp(-rate |t_i - t_j|) where |t_i - t_j| < window, else 0. Source: "Caching for the Future", eq. 7.
// Units: time and window in seconds, rate in 1 / second. Domain: rows of unit norm (the product of two rows is clamped to
// [-1, 1]); a row of zeros, a NaN, and a negative where_index (no context) bring 0. The difference of times is taken in
// float64. Symmetric to the bit: e(i, j) = e(j, i).
#pragma once

#include "kernels/similarity/dot.hpp"

namespace scrubjay::SJ_ISA {

SJ_INLINE float edge_cosine(Matrix<const float> rows, std::int64_t i, std::int64_t j, float least) {
  const float dot = dot_row(rows.data + i * rows.stride, rows.data + j * rows.stride, rows.cols);
  const float cosine = dot > 1.0f ? 1.0f : dot < -1.0f ? -1.0f : dot;
  return cosine >= least ? cosine : 0.0f;
}

// Edges [begin, end) of in.from and in.to.
static void edge_weights(const EdgeTerms& in, std::int64_t begin, std::int64_t end, float* out) {
  for (std::int64_t k = begin; k < end; k += 16) {
    const std::int64_t n = end - k < 16 ? end - k : 16;
    float what[16] = {}, where[16] = {}, exponent[16] = {}, near[16] = {};
    for (std::int64_t e = 0; e < n; ++e) {
      const std::int64_t i = in.from[k + e], j = in.to[k + e];
      what[e] = edge_cosine(in.what, i, j, in.what_least);
      if (in.where.data != nullptr) {
        const std::int64_t a = in.where_index == nullptr ? i : in.where_index[i];
        const std::int64_t b = in.where_index == nullptr ? j : in.where_index[j];
        if (a >= 0 && b >= 0) where[e] = edge_cosine(in.where, a, b, in.where_least);
      }
      const double apart = __builtin_fabs(in.when[i] - in.when[j]);
      near[e] = apart < in.window ? 1.0f : 0.0f;
      exponent[e] = apart < in.window ? static_cast<float>(-in.rate * apart) : 0.0f;
    }
    const f32 time = mul(load(near), exp(load(exponent)));
    const f32 sum = fma(set(in.when_share), time, fma(set(in.where_share), load(where), mul(set(in.what_share), load(what))));
    store(out + k, sum, n);
  }
}

}  // namespace scrubjay::SJ_ISA
