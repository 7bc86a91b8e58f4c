// sums[i] = rows[i] . query + (add ? sums[i] : 0), and norms[i] = rows[i] . rows[i] where norms is not null.
//
// `pick` chooses rows: rows[i] is row pick[i] of the matrix; null: row i. Units: none. Memory-bound: one pass over the
// rows, so the norms that the error bound needs cost nothing. Domain: any float32; NaN, infinity and overflow stay in
// their own output. Error of a sum: (cols / 64 + 12) 2^-24 |row| |query| and the same again of what was added.
#pragma once

namespace scrubjay::SJ_ISA {

struct Both {
  float dot, norm;
};

SJ_INLINE Both dot_and_norm(const float* x, const float* y, long n) {
  const f32 zero = set(0.0f);
  f32 a = zero, b = zero, c = zero, d = zero, s = zero, t = zero, u = zero, v = zero;
  long i = 0;
  for (; i + 64 <= n; i += 64) {
    const f32 p = load(x + i), q = load(x + i + 16), r = load(x + i + 32), w = load(x + i + 48);
    a = fma(p, load(y + i), a);
    b = fma(q, load(y + i + 16), b);
    c = fma(r, load(y + i + 32), c);
    d = fma(w, load(y + i + 48), d);
    s = fma(p, p, s);
    t = fma(q, q, t);
    u = fma(r, r, u);
    v = fma(w, w, v);
  }
  for (; i + 16 <= n; i += 16) {
    const f32 p = load(x + i);
    a = fma(p, load(y + i), a);
    s = fma(p, p, s);
  }
  if (i < n) {
    const f32 p = load(x + i, n - i);
    b = fma(p, load(y + i, n - i), b);
    t = fma(p, p, t);
  }
  return {sum(add(add(a, b), add(c, d))), sum(add(add(s, t), add(u, v)))};
}

static void scan(Matrix<const float> rows, const std::int64_t* pick, const float* query, bool accumulate, float* sums,
                 float* norms) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const float* row = rows.data + (pick ? pick[i] : i) * rows.stride;
    const float before = accumulate ? sums[i] : 0.0f;
    if (norms) {
      const Both both = dot_and_norm(row, query, rows.cols);
      sums[i] = before + both.dot;
      norms[i] = both.norm;
    } else {
      sums[i] = before + dot_row(row, query, rows.cols);
    }
  }
}

}  // namespace scrubjay::SJ_ISA
