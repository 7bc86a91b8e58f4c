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

static std::int64_t sift_tile(std::int64_t rows, std::int64_t panels, const float* acc, std::int64_t stride,
                              const float* reach, const float* error, Slack what, Slack where, const float* floor,
                              std::int32_t* out) {
  std::int64_t found = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const f32 far = set(reach[r]);
    for (std::int64_t p = 0; p < panels; ++p) {
      const std::int64_t at = r * stride + p * 16;
      f32 upper = fma(load(error + p * 16), far, load(acc + at));
      if (what.row) upper = fma(load(what.query + p * 16), set(what.row[r]), upper);
      if (where.row) upper = fma(load(where.query + p * 16), set(where.row[r]), upper);
      if (!any(le(load(floor + p * 16), upper))) continue;
      float lane[16];
      store(lane, upper);
      for (int j = 0; j < 16; ++j)
        if (lane[j] >= floor[p * 16 + j]) out[found++] = static_cast<std::int32_t>(at + j);
    }
  }
  return found;
}

}  // namespace scrubjay::SJ_ISA
