// Words for small whole numbers: `bytes` is 64 of them.
//
// loadb(p), spread(p)           64 bytes from p; the 4 bytes at p, sixteen times
// low_nibbles(b), high_nibbles(b), nibbles(high, low)   the halves of each byte, and back
// dot4(s, u, q), dot4_small     s + the dot products of each four of u (0 to 255; 0 to 15) with each four of q (-127 to 127)
// real32(i), total(i)           whole numbers to floats (rounded), and the sum of all lanes
// totals(block)                 the sums of sixteen blocks, one a lane
// halves(p), pair(s, x, q)      sixteen bfloat16 as floats; s + the two products of each pair of bfloat16 in x and q
#pragma once

namespace scrubjay::SJ_ISA {

#if defined(__AVX512F__)

using bytes = __m512i;

SJ_INLINE bytes loadb(const void* p) { return _mm512_loadu_si512(p); }
SJ_INLINE bytes spread(const void* p) {
  int word;
  __builtin_memcpy(&word, p, sizeof word);
  return _mm512_set1_epi32(word);
}
SJ_INLINE bytes low_nibbles(bytes b) { return _mm512_and_si512(b, _mm512_set1_epi8(15)); }
SJ_INLINE bytes high_nibbles(bytes b) { return _mm512_and_si512(_mm512_srli_epi16(b, 4), _mm512_set1_epi8(15)); }
SJ_INLINE bytes nibbles(bytes high, bytes low) { return _mm512_or_si512(_mm512_slli_epi16(high, 4), low); }
SJ_INLINE void storeb(void* p, bytes b) { _mm512_storeu_si512(p, b); }
#if defined(SJ_HAS_VNNI)
// Written out: gcc 12 copies the sum before and after the intrinsic, and runs out of registers in the tiles.
SJ_INLINE i32 dot4(i32 s, bytes u, bytes q) {
  asm("vpdpbusd %2, %1, %0" : "+v"(s) : "v"(u), "v"(q));
  return s;
}
SJ_INLINE i32 dot4_small(i32 s, bytes u, bytes q) { return dot4(s, u, q); }
#else
SJ_INLINE i32 dot4(i32 s, bytes u, bytes q) {
  const bytes even = _mm512_set1_epi16(255);
  const bytes a = _mm512_madd_epi16(_mm512_and_si512(u, even), _mm512_srai_epi16(_mm512_slli_epi16(q, 8), 8));
  const bytes b = _mm512_madd_epi16(_mm512_srli_epi16(u, 8), _mm512_srai_epi16(q, 8));
  return _mm512_add_epi32(s, _mm512_add_epi32(a, b));
}
SJ_INLINE i32 dot4_small(i32 s, bytes u, bytes q) {
  return _mm512_add_epi32(s, _mm512_madd_epi16(_mm512_maddubs_epi16(u, q), _mm512_set1_epi16(1)));
}
#endif
SJ_INLINE f32 real32(i32 i) { return _mm512_cvtepi32_ps(i); }
SJ_INLINE int total(i32 i) { return _mm512_reduce_add_epi32(i); }
SJ_INLINE i32 totals(const i32 (&b)[16]) {
  i32 two[8], four[4];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i)
    two[i] = _mm512_add_epi32(_mm512_unpacklo_epi32(b[2 * i], b[2 * i + 1]), _mm512_unpackhi_epi32(b[2 * i], b[2 * i + 1]));
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    four[i] = _mm512_add_epi32(_mm512_unpacklo_epi64(two[2 * i], two[2 * i + 1]), _mm512_unpackhi_epi64(two[2 * i], two[2 * i + 1]));
  const i32 a = _mm512_add_epi32(_mm512_shuffle_i32x4(four[0], four[1], 0x88), _mm512_shuffle_i32x4(four[0], four[1], 0xdd));
  const i32 c = _mm512_add_epi32(_mm512_shuffle_i32x4(four[2], four[3], 0x88), _mm512_shuffle_i32x4(four[2], four[3], 0xdd));
  return _mm512_add_epi32(_mm512_shuffle_i32x4(a, c, 0x88), _mm512_shuffle_i32x4(a, c, 0xdd));
}
SJ_INLINE f32 halves(const std::uint16_t* p) {
  const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}
SJ_INLINE f32 pair(f32 s, bytes x, bytes q) {
#if defined(SJ_HAS_BF16)
  return _mm512_dpbf16_ps(s, (__m512bh)x, (__m512bh)q);
#else
  const bytes upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
  const f32 odd = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_and_si512(x, upper)),
                                  _mm512_castsi512_ps(_mm512_and_si512(q, upper)), s);
  return _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(x, 16)), _mm512_castsi512_ps(_mm512_slli_epi32(q, 16)), odd);
#endif
}

#elif defined(__AVX2__)

struct bytes {
  __m256i lo, hi;
};

SJ_INLINE bytes loadb(const void* p) {
  const auto* at = static_cast<const __m256i*>(p);
  return {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
}
SJ_INLINE void storeb(void* p, bytes b) {
  auto* at = static_cast<__m256i*>(p);
  _mm256_storeu_si256(at, b.lo);
  _mm256_storeu_si256(at + 1, b.hi);
}
SJ_INLINE bytes spread(const void* p) {
  int word;
  __builtin_memcpy(&word, p, sizeof word);
  return {_mm256_set1_epi32(word), _mm256_set1_epi32(word)};
}
SJ_INLINE bytes low_nibbles(bytes b) {
  const __m256i m = _mm256_set1_epi8(15);
  return {_mm256_and_si256(b.lo, m), _mm256_and_si256(b.hi, m)};
}
SJ_INLINE bytes high_nibbles(bytes b) {
  return low_nibbles({_mm256_srli_epi16(b.lo, 4), _mm256_srli_epi16(b.hi, 4)});
}
SJ_INLINE bytes nibbles(bytes high, bytes low) {
  return {_mm256_or_si256(_mm256_slli_epi16(high.lo, 4), low.lo), _mm256_or_si256(_mm256_slli_epi16(high.hi, 4), low.hi)};
}
SJ_INLINE __m256i dot4_half(__m256i u, __m256i q) {
  const __m256i even = _mm256_set1_epi16(255);
  const __m256i a = _mm256_madd_epi16(_mm256_and_si256(u, even), _mm256_srai_epi16(_mm256_slli_epi16(q, 8), 8));
  return _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_srli_epi16(u, 8), _mm256_srai_epi16(q, 8)));
}
SJ_INLINE i32 dot4(i32 s, bytes u, bytes q) {
  return {_mm256_add_epi32(s.lo, dot4_half(u.lo, q.lo)), _mm256_add_epi32(s.hi, dot4_half(u.hi, q.hi))};
}
SJ_INLINE i32 dot4_small(i32 s, bytes u, bytes q) {
  const __m256i one = _mm256_set1_epi16(1);
  return {_mm256_add_epi32(s.lo, _mm256_madd_epi16(_mm256_maddubs_epi16(u.lo, q.lo), one)),
          _mm256_add_epi32(s.hi, _mm256_madd_epi16(_mm256_maddubs_epi16(u.hi, q.hi), one))};
}
SJ_INLINE f32 real32(i32 i) { return {_mm256_cvtepi32_ps(i.lo), _mm256_cvtepi32_ps(i.hi)}; }
SJ_INLINE int total(i32 i) {
  const __m256i a = _mm256_add_epi32(i.lo, i.hi);
  const __m128i b = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  const __m128i c = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(c, _mm_shuffle_epi32(c, 0xb1)));
}
SJ_INLINE f32 halves(const std::uint16_t* p) {
  const auto* at = reinterpret_cast<const __m128i*>(p);
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(at)), 16)),
          _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(at + 1)), 16))};
}
SJ_INLINE __m256 pair_half(__m256 s, __m256i x, __m256i q) {
  const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
  const __m256 odd = _mm256_fmadd_ps(_mm256_castsi256_ps(_mm256_and_si256(x, upper)),
                                     _mm256_castsi256_ps(_mm256_and_si256(q, upper)), s);
  return _mm256_fmadd_ps(_mm256_castsi256_ps(_mm256_slli_epi32(x, 16)), _mm256_castsi256_ps(_mm256_slli_epi32(q, 16)), odd);
}
SJ_INLINE f32 pair(f32 s, bytes x, bytes q) { return {pair_half(s.lo, x.lo, q.lo), pair_half(s.hi, x.hi, q.hi)}; }

#else

struct bytes {
  unsigned char v[64];
};

SJ_INLINE bytes loadb(const void* p) {
  bytes b;
  __builtin_memcpy(b.v, p, 64);
  return b;
}
SJ_INLINE void storeb(void* p, bytes b) { __builtin_memcpy(p, b.v, 64); }
SJ_INLINE bytes spread(const void* p) {
  bytes b;
  for (int i = 0; i < 16; ++i) __builtin_memcpy(b.v + 4 * i, p, 4);
  return b;
}
SJ_INLINE bytes low_nibbles(bytes b) {
  for (int i = 0; i < 64; ++i) b.v[i] &= 15;
  return b;
}
SJ_INLINE bytes high_nibbles(bytes b) {
  for (int i = 0; i < 64; ++i) b.v[i] >>= 4;
  return b;
}
SJ_INLINE bytes nibbles(bytes high, bytes low) {
  for (int i = 0; i < 64; ++i) low.v[i] = static_cast<unsigned char>(high.v[i] << 4 | low.v[i]);
  return low;
}
SJ_INLINE i32 dot4(i32 s, bytes u, bytes q) {
#if defined(SJ_HAS_NEON)
  for (int i = 0; i < 4; ++i) {
    const uint8x16_t a = vld1q_u8(u.v + 16 * i);
    const int8x16_t b = vreinterpretq_s8_u8(vld1q_u8(q.v + 16 * i));
    const int16x8_t al = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(a))), ah = vreinterpretq_s16_u16(vmovl_high_u8(a));
    const int16x8_t bl = vmovl_s8(vget_low_s8(b)), bh = vmovl_high_s8(b);
    const int32x4_t first = vpaddq_s32(vmull_s16(vget_low_s16(al), vget_low_s16(bl)), vmull_high_s16(al, bl));
    const int32x4_t second = vpaddq_s32(vmull_s16(vget_low_s16(ah), vget_low_s16(bh)), vmull_high_s16(ah, bh));
    s.v[i] = vaddq_s32(s.v[i], vpaddq_s32(first, second));
  }
#else
  int sums[16];
  __builtin_memcpy(sums, &s, sizeof sums);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 4; ++j) sums[i] += u.v[4 * i + j] * static_cast<signed char>(q.v[4 * i + j]);
  __builtin_memcpy(&s, sums, sizeof sums);
#endif
  return s;
}
SJ_INLINE i32 dot4_small(i32 s, bytes u, bytes q) { return dot4(s, u, q); }
SJ_INLINE f32 real32(i32 i) {
  int whole[16];
  float lane[16];
  __builtin_memcpy(whole, &i, sizeof whole);
  for (int j = 0; j < 16; ++j) lane[j] = static_cast<float>(whole[j]);
  return load(lane);
}
SJ_INLINE int total(i32 i) {
  int whole[16], all = 0;
  __builtin_memcpy(whole, &i, sizeof whole);
  for (int j = 0; j < 16; ++j) all += whole[j];
  return all;
}
SJ_INLINE f32 halves(const std::uint16_t* p) {
  float lane[16];
  for (int i = 0; i < 16; ++i) {
    const std::uint32_t word = static_cast<std::uint32_t>(p[i]) << 16;
    __builtin_memcpy(&lane[i], &word, sizeof word);
  }
  return load(lane);
}
SJ_INLINE f32 pair(f32 s, bytes x, bytes q) {
  std::uint32_t a[16], b[16], c[16], d[16];
  __builtin_memcpy(a, x.v, 64);
  __builtin_memcpy(b, q.v, 64);
  for (int i = 0; i < 16; ++i) {
    c[i] = a[i] & 0xffff0000u;
    d[i] = b[i] & 0xffff0000u;
    a[i] <<= 16;
    b[i] <<= 16;
  }
  float f[4][16];
  __builtin_memcpy(f[0], a, 64);
  __builtin_memcpy(f[1], b, 64);
  __builtin_memcpy(f[2], c, 64);
  __builtin_memcpy(f[3], d, 64);
  return fma(load(f[0]), load(f[1]), fma(load(f[2]), load(f[3]), s));
}

#endif

#if !defined(__AVX512F__)
SJ_INLINE i32 totals(const i32 (&b)[16]) {
  int all[16];
  for (int i = 0; i < 16; ++i) all[i] = total(b[i]);
  i32 out;
  __builtin_memcpy(&out, all, sizeof all);
  return out;
}
#endif

SJ_INLINE f32 halves(const std::uint16_t* p, long n) {
  std::uint16_t whole[16] = {};
  for (long i = 0; i < n; ++i) whole[i] = p[i];
  return halves(whole);
}
SJ_INLINE i32 loadi(const std::int32_t* p) {
  i32 out;
  __builtin_memcpy(&out, p, sizeof out);
  return out;
}

}  // namespace scrubjay::SJ_ISA
