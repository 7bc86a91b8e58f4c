// How a tile reads rows of one storage: four bytes of a row, sixteen times, against four bytes of each of sixteen queries.
//
//   float32   1 value a word;  sum = fma(x, q, sum)
//   bfloat16  2 values a word; sum += both products, rounded to float32 once or twice each
//   uint8     4 codes a word, a code u standing for u - 128; sum += u q, exact in int32 for up to 65536 columns
#pragma once

namespace scrubjay::SJ_ISA {

struct Float32 {
  using Sum = f32;
  using Word = f32;
  static constexpr int group = 1;
  static constexpr bool looks = true;
  SJ_INLINE Word spread4(const void* p) {
    float x;
    __builtin_memcpy(&x, p, sizeof x);
    return set(x);
  }
  SJ_INLINE Word panel(const void* p) { return load(static_cast<const float*>(p)); }
  SJ_INLINE Sum add_products(Word x, Word q, Sum s) { return fma(x, q, s); }
  // m raised to the largest magnitude of 64 bytes of a row, or of n values.
  SJ_INLINE i32 look(i32 m, const void* p) { return farther(m, load(static_cast<const float*>(p))); }
  SJ_INLINE i32 look(i32 m, const void* p, long n) { return farther(m, load(static_cast<const float*>(p), n)); }
};

struct Bfloat16 {
  using Sum = f32;
  using Word = bytes;
  static constexpr int group = 2;
  static constexpr bool looks = true;
  SJ_INLINE Word spread4(const void* p) { return spread(p); }
  SJ_INLINE Word panel(const void* p) { return loadb(p); }
  SJ_INLINE Sum add_products(Word x, Word q, Sum s) { return pair(s, x, q); }
  SJ_INLINE i32 look(i32 m, const void* p) {
    const auto* at = static_cast<const std::uint16_t*>(p);
    return farther(farther(m, halves(at)), halves(at + 16));
  }
  SJ_INLINE i32 look(i32 m, const void* p, long n) {
    const auto* at = static_cast<const std::uint16_t*>(p);
    return farther(farther(m, halves(at, n < 16 ? n : 16)), halves(at + 16, n < 16 ? 0 : n - 16));
  }
};

struct Uint8 {
  using Sum = i32;
  using Word = bytes;
  static constexpr int group = 4;
  static constexpr bool looks = false;
  SJ_INLINE Word spread4(const void* p) { return spread(p); }
  SJ_INLINE Word panel(const void* p) { return loadb(p); }
  SJ_INLINE Sum add_products(Word x, Word q, Sum s) { return dot4(s, x, q); }
  SJ_INLINE i32 look(i32 m, const void*) { return m; }
  SJ_INLINE i32 look(i32 m, const void*, long) { return m; }
};

}  // namespace scrubjay::SJ_ISA
