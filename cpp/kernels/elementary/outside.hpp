// The index of the first x[i] that is not in [low, high], or -1
//
// NaN is outside of every interval. This is how bind/ refuses bad input before anything is written.
#pragma once

namespace scrubjay::SJ_ISA {

template <class T>
static std::int64_t outside(Column<const T> x, T low, T high) {
  const Block<T> floor = fill<T>(low), ceiling = fill<T>(high), zero = fill<T>(0.0), one = fill<T>(1.0);
  std::int64_t at = 0;
  // `bad` of four blocks before one branch: a pass at the speed of the cache.
  const auto bad = [&](std::int64_t i) {
    const Block<T> v = load(x.data + i);
    return select(both(le(floor, v), le(v, ceiling)), zero, one);
  };
  for (; at + 4 * BLOCK<T> <= x.size; at += 4 * BLOCK<T>) {
    const Block<T> first = add(bad(at), bad(at + BLOCK<T>));
    const Block<T> second = add(bad(at + 2 * BLOCK<T>), bad(at + 3 * BLOCK<T>));
    if (any(lt(zero, add(first, second)))) break;
  }
  for (; at < x.size; ++at)
    if (!(x.data[at] >= low && x.data[at] <= high)) return at;
  return -1;
}

}  // namespace scrubjay::SJ_ISA
