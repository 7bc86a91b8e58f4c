// The factors and the sieve of rank/factors.hpp and rank/sift.hpp for rows x queries at once: acc[row][query], `stride`
// values a row, queries in panels of 16.
//
// blend_tile: acc[r][q] = sum over f of columns[f][r] weights[f][q]
// sift_tile:  the (r, q) with acc[r][q] + error[q] reach[r] + what[q] what[r] + where[q] where[r] >= floor[q], as r stride + q,
//             ascending; returns how many. The slacks what and where (null: none) bound how far codes are from their rows.
#pragma once

namespace scrubjay::SJ_ISA {

static void blend_tile(const float* const* columns, const float* weights, int count, std::int64_t rows,
                       std::int64_t panels, float* acc, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t p = 0; p < panels; ++p) {
      f32 total = set(0.0f);
      for (int f = 0; f < count; ++f) total = fma(set(columns[f][r]), load(weights + f * stride + p * 16), total);
      store(acc + r * stride + p * 16, total);
    }
}

struct Sieve {
  const float *acc, *reach, *error, *floor;
  Slack what, where;
  std::int64_t stride;

  SJ_INLINE f32 upper(const Sieve& s, std::int64_t r, std::int64_t p) {
    f32 sum = fma(load(s.error + p * 16), set(s.reach[r]), load(s.acc + r * s.stride + p * 16));
    if (s.what.row) sum = fma(load(s.what.query + p * 16), set(s.what.row[r]), sum);
    if (s.where.row) sum = fma(load(s.where.query + p * 16), set(s.where.row[r]), sum);
    return sum;
  }
  SJ_INLINE mask passes(const Sieve& s, std::int64_t r, std::int64_t p) { return le(load(s.floor + p * 16), upper(s, r, p)); }
};

static std::int64_t sift_tile(std::int64_t rows, std::int64_t panels, const float* acc, std::int64_t stride,
                              const float* reach, const float* error, Slack what, Slack where, const float* floor,
                              std::int32_t* out) {
  const Sieve s{acc, reach, error, floor, what, where, stride};
  std::int64_t found = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t p = 0; p < panels; p += 4) {
      const std::int64_t end = p + 4 < panels ? p + 4 : panels;
      mask some = Sieve::passes(s, r, p);
      if (end == p + 4)
        some = either(either(some, Sieve::passes(s, r, p + 1)), either(Sieve::passes(s, r, p + 2), Sieve::passes(s, r, p + 3)));
      else
        for (std::int64_t i = p + 1; i < end; ++i) some = either(some, Sieve::passes(s, r, i));
      if (!any(some)) continue;
      for (std::int64_t i = p; i < end; ++i) {
        float lane[16];
        store(lane, Sieve::upper(s, r, i));
        for (int j = 0; j < 16; ++j)
          if (lane[j] >= floor[i * 16 + j]) out[found++] = static_cast<std::int32_t>(r * stride + i * 16 + j);
      }
    }
  return found;
}

}  // namespace scrubjay::SJ_ISA
