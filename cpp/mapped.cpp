#include "mapped.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <vector>

namespace scrubjay::mapped {
namespace {

// Address space that is not backed by anything yet.
#ifdef MAP_NORESERVE
constexpr int fresh = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#else
constexpr int fresh = MAP_PRIVATE | MAP_ANONYMOUS;
#endif

// A handler may look at these at any moment: begin is set last and cleared first.
struct Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<int> lost{0};
};
constexpr int slots = 4096;
Slot table[slots];
std::mutex turn;
struct sigaction before {};
std::atomic<int> passing{0};

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

std::int64_t page() {
  static const std::int64_t size = sysconf(_SC_PAGESIZE);
  return size;
}

std::int64_t up(std::int64_t bytes) { return (bytes + page() - 1) / page() * page(); }

// To whoever had the signal before; one who hands it back ends the process as if there had been nobody.
void pass_on(int signal, siginfo_t* info, void* context) {
  if (passing.fetch_add(1) == 0) {
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
      before.sa_sigaction(signal, info, context);
      passing.store(0);
      return;
    }
    if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
      before.sa_handler(signal);
      passing.store(0);
      return;
    }
  }
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  if (info->si_code <= 0) raise(signal);  // one that was sent is not met again by going on
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code > 0)
    for (Slot& slot : table) {
      const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire), end = slot.end.load(std::memory_order_acquire);
      if (begin == 0 || at < begin || at >= end) continue;
      slot.lost.store(1, std::memory_order_release);
      if (mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE, fresh | MAP_FIXED, -1, 0) == MAP_FAILED) break;
      errno = error;
      return;
    }
  pass_on(signal, info, context);
  errno = error;
}

void install() {
  struct sigaction now {};
  if (sigaction(SIGBUS, nullptr, &now) != 0) fail(errno, "sigaction");
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &on_bus_error) return;
  struct sigaction ours {};
  ours.sa_sigaction = &on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  before = now;
  if (sigaction(SIGBUS, &ours, nullptr) != 0) fail(errno, "sigaction");
}

}  // namespace

void arm() {
  const std::lock_guard<std::mutex> held(turn);
  install();
}

Region::Region(int file, std::int64_t offset, std::int64_t size, std::int64_t capacity)
    : reserved_(up(std::max<std::int64_t>(capacity, 1))), capacity_(capacity), mapped_(size / page() * page()) {
  void* const base = mmap(nullptr, static_cast<std::size_t>(reserved_), PROT_NONE, fresh, -1, 0);
  if (base == MAP_FAILED) fail(errno, "mmap");
  data_ = static_cast<unsigned char*>(base);
  try {
    if (mapped_ > 0 && mmap(data_, static_cast<std::size_t>(mapped_), PROT_READ, MAP_PRIVATE | MAP_FIXED, file, offset) == MAP_FAILED)
      fail(errno, "mmap");
    const auto rest = static_cast<std::size_t>(reserved_ - mapped_);
    if (rest > 0 && mprotect(data_ + mapped_, rest, PROT_READ | PROT_WRITE) != 0) fail(errno, "mprotect");
    for (std::int64_t at = mapped_; at < size;) {
      const ssize_t got = pread(file, data_ + at, static_cast<std::size_t>(size - at), offset + at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail(got < 0 ? errno : EIO, "pread");
      at += got;
    }
    const std::lock_guard<std::mutex> held(turn);
    install();
    for (int i = 0; mapped_ > 0 && i < slots && slot_ < 0; ++i)
      if (table[i].begin.load() == 0) slot_ = i;
    if (mapped_ > 0 && slot_ < 0) fail(ENFILE, "too many mapped files");
    if (slot_ >= 0) {
      Slot& slot = table[slot_];
      slot.lost.store(0);
      slot.end.store(reinterpret_cast<std::uintptr_t>(data_ + mapped_));
      slot.begin.store(reinterpret_cast<std::uintptr_t>(data_), std::memory_order_release);
    }
  } catch (...) {
    release();
    throw;
  }
}

Region::~Region() { release(); }

void Region::release() {
  if (slot_ >= 0) {
    const std::lock_guard<std::mutex> held(turn);
    table[slot_].begin.store(0, std::memory_order_release);
    table[slot_].end.store(0);
  }
  munmap(data_, static_cast<std::size_t>(reserved_));
}

bool Region::lost() const { return slot_ >= 0 && table[slot_].lost.load(std::memory_order_acquire) != 0; }

void Region::let_write() {
  if (writable_ || mapped_ == 0) return;
  if (mprotect(data_, static_cast<std::size_t>(mapped_), PROT_READ | PROT_WRITE) != 0) fail(errno, "mprotect");
  writable_ = true;
}

std::int64_t Region::resident() const {
  std::int64_t pages = 0;
  std::vector<unsigned char> seen(static_cast<std::size_t>(std::min<std::int64_t>(mapped_ / page(), 1 << 16)));
  for (std::int64_t at = 0; at < mapped_; at += static_cast<std::int64_t>(seen.size()) * page()) {
    const std::int64_t bytes = std::min(mapped_ - at, static_cast<std::int64_t>(seen.size()) * page());
    if (mincore(data_ + at, static_cast<std::size_t>(bytes), seen.data()) != 0) return 0;
    pages += std::count_if(seen.begin(), seen.begin() + bytes / page(), [](unsigned char one) { return (one & 1) != 0; });
  }
  return pages * page();
}

}  // namespace scrubjay::mapped
