// The one pool of threads. Resident workers, started on demand; a result never depends on how many of them ran.
//
// Survives fork: the child starts with no workers and makes its own. A second caller that finds the pool busy runs its
// work alone, so that callers never wait for each other. Workers hold no Python state; they are joined at exit.
#pragma once

#include <cstdint>
#include <functional>

namespace scrubjay::pool {

// Threads for a call: `asked` if > 0, else SCRUBJAY_THREADS, else the CPUs this process may use. At least 1; 0 when
// SCRUBJAY_THREADS is not a whole number from 1 to 1024 (the binding raises).
int size(int asked);

// Bytes of work below which a second thread costs more than it brings.
constexpr std::int64_t worthwhile = 1 << 20;

// Calls work(part) once for each part in [0, parts), each on a thread of its own where one is free, and returns when
// all are done. `work` must not throw. Meant for: each part takes pieces from a shared counter until none is left.
void run(int parts, const std::function<void(int)>& work);

}  // namespace scrubjay::pool
