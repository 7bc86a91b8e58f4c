// out[i] = (rows[i] - 128) . query, for rows of 8-bit codes and a query of whole numbers from -127 to 127
//
// `pick` chooses rows: rows[i] is row pick[i] of the matrix; null: row i. Columns in 64s; `sum` is that of the query. The
// product is exact in whole numbers, up to 32768 columns, and as a float up to 2^24. Units: none.
#pragma once

namespace scrubjay::SJ_ISA {

static void products(Matrix<const std::uint8_t> rows, const std::int32_t* pick, const std::int8_t* query, std::int32_t sum,
                     float* out) {
  const i32 offset = seti(128 * sum);
  for (std::int64_t i = 0; i < rows.rows; i += 16) {
    const std::int64_t rest = rows.rows - i < 16 ? rows.rows - i : 16;
    i32 sums[16];
    for (std::int64_t r = 0; r < 16; ++r) {
      const std::int64_t at = i + (r < rest ? r : rest - 1);
      const std::uint8_t* row = rows.data + (pick ? pick[at] : at) * rows.stride;
      i32 s = seti(0);
      for (std::int64_t j = 0; j < rows.cols; j += 64) s = dot4(s, loadb(row + j), loadb(query + j));
      sums[r] = s;
    }
    store(out + i, real32(sub(totals(sums), offset)), rest);
  }
}

}  // namespace scrubjay::SJ_ISA
