// Codes of 8 bits in two planes of 4: the upper halves are scanned alone, the lower ones are read where they matter.
//
// Byte b (0 to 63) of a block holds code b of 128 in its lower and code 64 + b in its upper half. cols is a multiple of 128.
#pragma once

namespace scrubjay::SJ_ISA {

static void split_codes(const std::uint8_t* codes, std::int64_t cols, std::uint8_t* high, std::uint8_t* low) {
  for (std::int64_t j = 0; j < cols; j += 128) {
    const bytes first = loadb(codes + j), second = loadb(codes + j + 64);
    storeb(high + j / 2, nibbles(high_nibbles(second), high_nibbles(first)));
    storeb(low + j / 2, nibbles(low_nibbles(second), low_nibbles(first)));
  }
}

static void join_codes(Matrix<const std::uint8_t> high, Matrix<const std::uint8_t> low, std::uint8_t* codes) {
  for (std::int64_t i = 0; i < high.rows; ++i) {
    const std::uint8_t *h = high.data + i * high.stride, *l = low.data + i * low.stride;
    for (std::int64_t j = 0; j < high.cols; j += 64) {
      const bytes upper = loadb(h + j), lower = loadb(l + j);
      storeb(codes + 2 * j, nibbles(low_nibbles(upper), low_nibbles(lower)));
      storeb(codes + 2 * j + 64, nibbles(high_nibbles(upper), high_nibbles(lower)));
    }
    codes += 2 * high.cols;
  }
}

}  // namespace scrubjay::SJ_ISA
