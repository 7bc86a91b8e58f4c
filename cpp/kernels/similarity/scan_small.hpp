// scan.hpp for rows of bfloat16 and of 8-bit codes
//
// bfloat16: products with the float32 query are exact, so errors are as for float32; norms as there.
// uint8: sums[i] (+)= scale[i] (rows[i] - 128) . query, the query in two levels of 8 bits: exact in whole numbers, then
// rounded five times, so off by 5 2^-24 |query| |row| and by |query - levels| |row|. Rows are padded to 64 columns.
#pragma once

namespace scrubjay::SJ_ISA {

static void scan_bf16(Matrix<const std::uint16_t> rows, const std::int64_t* pick, const float* query, bool accumulate,
                      float* sums, float* norms) {
  const f32 zero = set(0.0f);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::uint16_t* row = rows.data + (pick ? pick[i] : i) * rows.stride;
    f32 a = zero, b = zero, s = zero, t = zero;
    std::int64_t j = 0;
    for (; j + 32 <= rows.cols; j += 32) {
      const f32 x = halves(row + j), y = halves(row + j + 16);
      a = fma(x, load(query + j), a);
      b = fma(y, load(query + j + 16), b);
      s = fma(x, x, s);
      t = fma(y, y, t);
    }
    for (; j < rows.cols; j += 16) {
      const long n = rows.cols - j < 16 ? rows.cols - j : 16;
      const f32 x = halves(row + j, n);
      a = fma(x, load(query + j, n), a);
      s = fma(x, x, s);
    }
    sums[i] = (accumulate ? sums[i] : 0.0f) + sum(add(a, b));
    if (norms) norms[i] = sum(add(s, t));
  }
}

static void scan_u8(Matrix<const std::uint8_t> rows, const float* scale, const std::int64_t* pick, const Leveled& query,
                    bool accumulate, float* sums) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::int64_t at = pick ? pick[i] : i;
    const std::uint8_t* row = rows.data + at * rows.stride;
    i32 a = seti(0), b = a;
    for (std::int64_t j = 0; j < rows.cols; j += 64) {
      const bytes u = loadb(row + j);
      a = dot4(a, u, loadb(query.first.codes + j));
      b = dot4(b, u, loadb(query.second.codes + j));
    }
    const float first = static_cast<float>(total(a) - 128 * query.first.sum) * query.first.scale;
    const float second = static_cast<float>(total(b) - 128 * query.second.sum) * query.second.scale;
    sums[i] = (accumulate ? sums[i] : 0.0f) + (first + second) * scale[at];
  }
}

}  // namespace scrubjay::SJ_ISA
