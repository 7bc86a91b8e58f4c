// Included by each lanes header at its end: the same words by element type, for laws that are written once for both
// widths.
#pragma once

namespace scrubjay::SJ_ISA {

template <class T>
struct Lane;
template <>
struct Lane<float> {
  using block = f32;
  using index = i32;
  using flags = mask;
  static constexpr long count = 16;
};
template <>
struct Lane<double> {
  using block = f64;
  using index = i64;
  using flags = mask64;
  static constexpr long count = 8;
};

// A block of T, of whole numbers as wide as T, of truth values; how many T make a block.
template <class T>
using Block = typename Lane<T>::block;
template <class T>
using Index = typename Lane<T>::index;
template <class T>
using Flags = typename Lane<T>::flags;
template <class T>
inline constexpr long BLOCK = Lane<T>::count;

// The value in every lane, rounded to T.
template <class T>
SJ_INLINE Block<T> fill(double v) {
  if constexpr (sizeof(T) == 4)
    return set(static_cast<float>(v));
  else
    return set64(v);
}

// A block's worth of bytes, widened.
template <class T>
SJ_INLINE Index<T> load_bytes(const unsigned char* p) {
  if constexpr (sizeof(T) == 4)
    return load32(p);
  else
    return load64(p);
}
template <class T>
SJ_INLINE Index<T> load_bytes(const unsigned char* p, long n) {
  unsigned char whole[16] = {};
  for (long i = 0; i < n; ++i) whole[i] = p[i];
  return load_bytes<T>(whole);
}

}  // namespace scrubjay::SJ_ISA

#include "lanes/exp.hpp"
#include "lanes/log.hpp"
#include "lanes/sweep.hpp"
