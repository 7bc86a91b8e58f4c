// A row turned by a fixed rotation R of as many values as its codes have, zeros beyond the row:
//
//   R = H S2 P H S1 / 128
//
// S1 and S2 change signs, H is the Hadamard matrix of each block of 128 values, and P deals groups of sixteen values out
// to other blocks. R is orthogonal, so products and norms stay as they are, and a value that is much larger than the others
// of its row (some embedders have such dimensions) is shared among many: 8 bits then serve all of them. 14 sums and
// differences a value, rounded once each, are |turned - R x| <= 14 2^-24 |R x| in float; the signs and 1 / 128 are exact.
// Source: the randomized Hadamard transform, Ailon and Chazelle, "The fast Johnson-Lindenstrauss transform", 2009.
#pragma once

#include <cstdint>

namespace scrubjay::turning {

inline constexpr std::int64_t block = 128, group = 16, groups = block / group;

// Signs from a linear congruential generator: nothing but that they look unlike each other is asked of them.
struct Signs {
  float of[block];
};
consteval Signs signs(std::uint32_t seed) {
  Signs out{};
  for (float& one : out.of) one = (seed = seed * 1664525u + 1013904223u) >> 31 ? -1.0f : 1.0f;
  return out;
}
inline constexpr Signs first = signs(1), second = signs(2);

template <class Value>
using Sixteen [[gnu::vector_size(group * sizeof(Value))]] = Value;

// Each value and the one `step` lanes away become their sum and their difference.
#define SJ_MIX(v, step, ...)                                                                                  \
  do {                                                                                                        \
    Sixteen<Value> sign;                                                                                      \
    for (int l = 0; l < group; ++l) sign[l] = l & (step) ? Value(-1) : Value(1);                              \
    v = __builtin_shufflevector(v, v, __VA_ARGS__) + sign * v;                                                \
  } while (false)

template <class Value>
[[gnu::always_inline]] static inline void hadamard(Sixteen<Value> (&v)[groups]) {
  for (int step = 1; step < groups; step *= 2)
    for (int i = 0; i < groups; ++i)
      if (!(i & step)) {
        const Sixteen<Value> a = v[i], b = v[i + step];
        v[i] = a + b;
        v[i + step] = a - b;
      }
  for (int i = 0; i < groups; ++i) {
    SJ_MIX(v[i], 1, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    SJ_MIX(v[i], 2, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    SJ_MIX(v[i], 4, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    SJ_MIX(v[i], 8, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  }
}
#undef SJ_MIX

// out = R x; x has n values, out has `width`, a multiple of 128 that is at least n.
template <class Value>
[[gnu::always_inline]] static inline void turn(const Value* x, std::int64_t n, Value* out, std::int64_t width) {
  const std::int64_t blocks = width / block;
  Sixteen<Value> v[groups], sign;
  const auto pass = [&](const auto& from, const Signs& signs, const auto& to) {
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (std::int64_t g = 0; g < groups; ++g) {
        for (int l = 0; l < group; ++l) sign[l] = Value(signs.of[g * group + l]);
        from(b * groups + g, v[g]);
        v[g] *= sign;
      }
      hadamard<Value>(v);
      for (std::int64_t g = 0; g < groups; ++g) to(b * groups + g, v[g]);
    }
  };
  const auto load = [](const Value* from, Sixteen<Value>& to) { __builtin_memcpy(&to, from, sizeof to); };
  const auto given = [&](std::int64_t g, Sixteen<Value>& to) {
    if (group * (g + 1) <= n) return load(x + group * g, to);
    for (int l = 0; l < group; ++l) to[l] = group * g + l < n ? x[group * g + l] : Value(0);
  };
  const auto dealt = [&](std::int64_t g, const Sixteen<Value>& value) {
    __builtin_memcpy(out + group * (g % groups * blocks + g / groups), &value, sizeof value);
  };
  const auto mixed = [&](std::int64_t g, Sixteen<Value>& to) { load(out + group * g, to); };
  const auto done = [&](std::int64_t g, const Sixteen<Value>& value) {
    const Sixteen<Value> scaled = value * Value(1.0 / block);
    __builtin_memcpy(out + group * g, &scaled, sizeof scaled);
  };
  pass(given, first, dealt);
  pass(mixed, second, done);
}

}  // namespace scrubjay::turning
