// Threads of a call: how many, and sharing rows among them so that the result does not depend on it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "bind/raise.hpp"
#include "pool.hpp"

namespace scrubjay::bind {

inline int take_threads(int asked) {
  if (asked < 0) bad_value("threads must be 0 (as SCRUBJAY_THREADS says, or every CPU) or more, got " + std::to_string(asked));
  const int threads = pool::size(asked);
  if (threads == 0)
    bad_value("SCRUBJAY_THREADS must be a whole number from 1 to 1024, got '" + std::string(std::getenv("SCRUBJAY_THREADS")) +
              "'");
  return threads;
}

// Calls work(piece) for each of the pieces [0, pieces), `bytes` of memory in all; alone where more threads cost more than
// they bring. Without the GIL.
template <class Work>
void in_pieces(std::int64_t pieces, std::int64_t bytes, int threads, const Work& work) {
  const std::int64_t most = bytes < pool::worthwhile ? 1 : std::min<std::int64_t>(pieces, threads);
  std::atomic<std::int64_t> next{0};
  pool::run(static_cast<int>(most), [&](int) {
    for (std::int64_t piece = next.fetch_add(1); piece < pieces; piece = next.fetch_add(1)) work(piece);
  });
}

}  // namespace scrubjay::bind
