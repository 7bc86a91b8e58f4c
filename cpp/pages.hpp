#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace scrubjay {

// Values on cache lines of their own, on huge pages where the system has them: they are streamed, or read at random.
template <class T>
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::int64_t size) : size_(size) {
    constexpr std::size_t huge = std::size_t{1} << 21;
    const std::size_t wanted = static_cast<std::size_t>(size) * sizeof(T);
    const std::size_t step = wanted >= huge ? huge : 64, bytes = (wanted + step) / step * step;
    data_ = static_cast<T*>(std::aligned_alloc(step, bytes));
    if (data_ == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (bytes >= huge) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
  }
  Lines(const T* from, std::int64_t size) : Lines(size) { std::copy_n(from, size, data_); }
  Lines(Lines&& other) noexcept { swap(other); }
  Lines& operator=(Lines&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Lines() { std::free(data_); }
  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }
  std::int64_t size() const { return size_; }

 private:
  void swap(Lines& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace scrubjay
