// Codes of 8 bits in two planes of 4: the upper halves are scanned alone, the lower ones are read where they matter.
//
// join_codes also fetches what lies `ahead` bytes further in both planes: the rows that come next.
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

static void join_codes(const std::uint8_t* high, const std::uint8_t* low, std::int64_t ahead, std::int64_t cols,
                       std::uint8_t* codes) {
  for (std::int64_t j = 0; j < cols; j += 128) {
    __builtin_prefetch(high + ahead + j / 2);
    __builtin_prefetch(low + ahead + j / 2);
    const bytes h = loadb(high + j / 2), l = loadb(low + j / 2);
    storeb(codes + j, nibbles(low_nibbles(h), low_nibbles(l)));
    storeb(codes + j + 64, nibbles(high_nibbles(h), high_nibbles(l)));
  }
}

}  // namespace scrubjay::SJ_ISA
