// A pass over n rows: `body(i, part)` once for each whole block and once for what is left; load and store take the
// part.
#pragma once

namespace scrubjay::SJ_ISA {

struct Whole {};
struct Rest {
  long n;
};

template <class T>
SJ_INLINE auto load(const T* p, Whole) {
  return load(p);
}
template <class T>
SJ_INLINE auto load(const T* p, Rest part) {
  return load(p, part.n);
}
template <class T, class B>
SJ_INLINE void store(T* p, B x, Whole) {
  store(p, x);
}
template <class T, class B>
SJ_INLINE void store(T* p, B x, Rest part) {
  store(p, x, part.n);
}
template <class T>
SJ_INLINE Index<T> load_bytes(const unsigned char* p, Whole) {
  return load_bytes<T>(p);
}
template <class T>
SJ_INLINE Index<T> load_bytes(const unsigned char* p, Rest part) {
  return load_bytes<T>(p, part.n);
}

// Sixteen doubles, beside a block of floats.
struct Pair64 {
  f64 low, high;
};
SJ_INLINE Pair64 load_pair(const double* p, Whole) { return {load(p), load(p + 8)}; }
SJ_INLINE Pair64 load_pair(const double* p, Rest part) {
  return {load(p, part.n < 8 ? part.n : 8), part.n > 8 ? load(p + 8, part.n - 8) : set64(0.0)};
}

// Asks for the cache line of p, which need not be memory of ours: read, or about to be written.
SJ_INLINE void prefetch(const void* p) { __builtin_prefetch(p, 0, 3); }
SJ_INLINE void prefetch_write(const void* p) { __builtin_prefetch(p, 1, 3); }

template <class T, class Body>
SJ_INLINE void sweep(std::int64_t n, Body body) {
  std::int64_t i = 0;
  for (; i + BLOCK<T> <= n; i += BLOCK<T>) body(i, Whole{});
  if (i < n) body(i, Rest{static_cast<long>(n - i)});
}

}  // namespace scrubjay::SJ_ISA
