// Codes of 8 bits of rows that are turned first (codes/turn.hpp), for queries that are turned as well: quantize.hpp says
// what they stand for, with R x in the place of x. Its bounds grow by what turning rounds, at most 2^-20 norm[i].
// `room` is of `width` values. Units: none.
#pragma once

#include "kernels/codes/turn.hpp"

namespace scrubjay::SJ_ISA {

static void encode(Matrix<const float> rows, float* room, std::uint8_t* codes, std::int64_t width, float* const* meta) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    turning::turn(rows.data + i * rows.stride, rows.cols, room, width);
    quantize_row(room, width, codes + i * width, width, meta, i);
    const float off = 0x1p-20f * meta[3][i];
    for (int bound = 1; bound < 4; ++bound) meta[bound][i] += off;
  }
}

}  // namespace scrubjay::SJ_ISA
