// out[i] = rows[i] . query
//
// Units: none. Domain: any finite float32; NaN or infinity in a row gives NaN or infinity in its own output only.
// Error: at most cols 2^-24 sum |x y| against exact arithmetic. Order: four blocks of 16 lanes, then sum()'s tree.
// Source: the similarity of "Caching for the Future", eq. 5 (unit rows: the dot product is the cosine).
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE float dot_row(const float* x, const float* y, long n) {
  f32 a = set(0.0f), b = a, c = a, d = a;
  long i = 0;
  for (; i + 64 <= n; i += 64) {
    a = fma(load(x + i), load(y + i), a);
    b = fma(load(x + i + 16), load(y + i + 16), b);
    c = fma(load(x + i + 32), load(y + i + 32), c);
    d = fma(load(x + i + 48), load(y + i + 48), d);
  }
  for (; i + 16 <= n; i += 16) a = fma(load(x + i), load(y + i), a);
  if (i < n) b = fma(load(x + i, n - i), load(y + i, n - i), b);
  return sum(add(add(a, b), add(c, d)));
}

static void dot(Matrix<const float> rows, const float* query, float* out) {
  for (std::int64_t i = 0; i < rows.rows; ++i) out[i] = dot_row(rows.data + i * rows.stride, query, rows.cols);
}

}  // namespace scrubjay::SJ_ISA
