#include "pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace scrubjay::pool {
namespace {

constexpr int most = 1024;

int cpus() {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return count;
  }
#endif
  const unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? static_cast<int>(count) : 1;
}

class Workers {
 public:
  // At the end of the process: the threads end, unless a daemon thread is at work with them, and whoever comes later works
  // alone. The object stays, as such a thread may still look at it.
  void end() {
    if (!turn_.try_lock()) return;  // held for good
    {
      const std::lock_guard<std::mutex> held(lock_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  // False when another caller's work is running.
  bool run(int parts, const std::function<void(int)>& work) {
    const std::unique_lock<std::mutex> mine(turn_, std::try_to_lock);
    if (!mine.owns_lock()) return false;
    {
      const std::lock_guard<std::mutex> held(lock_);
      start(parts - 1);
      work_ = &work;
      parts_ = parts;
      next_ = 0;
      left_ = parts;
    }
    wake_.notify_all();
    take_parts();
    std::unique_lock<std::mutex> held(lock_);
    done_.wait(held, [this] { return left_ == 0; });
    work_ = nullptr;
    return true;
  }

 private:
  void start(int wanted) {
    while (static_cast<int>(threads_.size()) < wanted) {
      try {
        threads_.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        return;  // the threads that exist take the remaining parts
      }
    }
  }

  void take_parts() {
    std::unique_lock<std::mutex> held(lock_);
    while (work_ != nullptr && next_ < parts_) {
      const int part = next_++;
      const auto& work = *work_;
      held.unlock();
      work(part);
      held.lock();
      if (--left_ == 0) done_.notify_all();
    }
  }

  void serve() {
    for (;;) {
      {
        std::unique_lock<std::mutex> held(lock_);
        wake_.wait(held, [this] { return stopping_ || (work_ != nullptr && next_ < parts_); });
        if (stopping_) return;
      }
      take_parts();
    }
  }

  std::mutex turn_;
  std::mutex lock_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  int parts_ = 0, next_ = 0, left_ = 0;
  bool stopping_ = false;
};

std::atomic<Workers*> current{nullptr};

// In a child of fork the workers and whoever held their locks are gone: forget them, never join them.
void forget() { current.store(nullptr); }

struct Owner {
  Owner() { pthread_atfork(nullptr, nullptr, &forget); }
  ~Owner() {
    if (Workers* const found = current.load()) found->end();
  }
};

Workers& workers() {
  static Owner owner;
  Workers* found = current.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto* made = new Workers;
    if (current.compare_exchange_strong(found, made))
      found = made;
    else
      delete made;
  }
  return *found;
}

}  // namespace

int size(int asked) {
  if (asked > 0) return asked < most ? asked : most;
  const char* wanted = std::getenv("SCRUBJAY_THREADS");
  if (wanted == nullptr || *wanted == '\0') return cpus();
  char* end = nullptr;
  const long count = std::strtol(wanted, &end, 10);
  return *end == '\0' && count >= 1 && count <= most ? static_cast<int>(count) : 0;
}

void run(int parts, const std::function<void(int)>& work) {
  if (parts > 1 && workers().run(parts, work)) return;
  for (int part = 0; part < parts; ++part) work(part);
}

}  // namespace scrubjay::pool
