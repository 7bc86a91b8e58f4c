// A kernel runs without the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

namespace scrubjay::bind {

// Holds no GIL while it lives.
//
// Where the interpreter ends meanwhile, taking the GIL back ends a daemon thread by unwinding its stack, which must not leave
// a destructor: the process would be aborted. Such a thread sleeps until the process is gone, as from Python 3.14 on.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace scrubjay::bind
