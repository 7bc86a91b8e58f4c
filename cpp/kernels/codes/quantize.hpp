// Rows as codes of 8 bits: code[i][j] = 128 + round(x[i][j] / scale[i]), scale[i] = max over j of |x[i][j]| / 127
//
// A code u stands for y = scale (u - 128), its upper four bits h alone for z = scale (16 h - 120.5). With them go
//   fine[i]   >= |x - y|, coarse[i] >= |x - z|     what a similarity by codes can be off, a unit of query norm (codes/sieve.hpp)
//   norm[i]   >= |x| + coarse[i] >= |x|, |y|, |z|
// x - y and x - z are taken with one rounding each, their squares summed in float32: (cols + 2) 2^-24 relative, for which the
// bounds are widened by 2^-10, and by 2^-60 for what may underflow. A row of zeros, or of values below 2^-100, has scale 0 and
// codes 128. A row with NaN, infinity or a value above 2^60, as turned where it is, has scale 0 and norm infinity: the search scores it exactly.
// `stride` bytes a row, those beyond the columns are 128. Units: none.
#pragma once

namespace scrubjay::SJ_ISA {

SJ_INLINE void quantize_row(const float* x, std::int64_t n, std::uint8_t* codes, std::int64_t stride, float* const* meta,
                            std::int64_t i) {
  i32 most = seti(0);
  for (std::int64_t j = 0; j < n; j += 16) most = farther(most, j + 16 <= n ? load(x + j) : load(x + j, n - j));
  const float peak = farthest(most);
  const bool some = peak >= 0x1p-100f && peak <= 0x1p60f;  // false for NaN
  const float scale = some ? peak / 127.0f : 0.0f, inverse = some ? 127.0f / peak : 0.0f;
  f32 fine = set(0.0f), coarse = fine, whole = fine;
  std::int64_t j = 0;
  for (; some && j < n; j += 16) {
    const f32 v = j + 16 <= n ? load(x + j) : load(x + j, n - j);
    const f32 c = max(set(-127.0f), min(set(127.0f), nearest(mul(v, set(inverse)))));
    float lane[16], half[16];
    store(lane, c);
    for (int l = 0; l < 16; ++l) {
      const int u = static_cast<int>(lane[l]) + 128;
      half[l] = static_cast<float>(u & 0xf0) - 120.5f;
      if (j + l < n) codes[j + l] = static_cast<std::uint8_t>(u);
    }
    const f32 beyond = set(-scale), y = fma(beyond, c, v);
    f32 z = fma(beyond, load(half), v);
    if (j + 16 > n) {  // beyond the row x is 0 and z is not
      store(lane, z);
      z = load(lane, n - j);
    }
    fine = fma(y, y, fine);
    coarse = fma(z, z, coarse);
    whole = fma(v, v, whole);
  }
  for (j = some ? n : 0; j < stride; ++j) codes[j] = 128;
  const float wide = 1.0f + 0x1p-10f, tiny = some ? 0x1p-60f : 0x1p-90f;
  meta[0][i] = scale;
  meta[1][i] = __builtin_sqrtf(sum(fine)) * wide + tiny;
  meta[2][i] = __builtin_sqrtf(sum(coarse)) * wide + tiny;
  meta[3][i] = peak < 0x1p60f ? __builtin_sqrtf(sum(whole)) * wide + meta[2][i] : __builtin_inff();
}

static void quantize(Matrix<const float> rows, std::uint8_t* codes, std::int64_t stride, float* const* meta) {
  for (std::int64_t i = 0; i < rows.rows; ++i)
    quantize_row(rows.data + i * rows.stride, rows.cols, codes + i * stride, stride, meta, i);
}

}  // namespace scrubjay::SJ_ISA
