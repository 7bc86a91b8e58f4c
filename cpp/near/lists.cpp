#include "near/lists.hpp"

#include <algorithm>
#include <cmath>

#include "dispatch.hpp"

namespace scrubjay::near {
namespace {

constexpr std::int64_t piece = 256;  // rows that are looked at at once

bool before(const Found& a, const Found& b) { return a.product > b.product || (a.product == b.product && a.row < b.row); }

// The m best rows so far, and some that came since they were last told apart.
class Best {
 public:
  explicit Best(std::int64_t m) : m_(static_cast<std::size_t>(m)) { held_.reserve(2 * m_ + piece); }
  float floor() const { return floor_; }
  void offer(float product, std::int32_t row) {
    if (product >= floor_) held_.push_back({product, row});
  }
  void sharpen() {
    if (held_.size() < m_) return;
    std::nth_element(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(m_) - 1, held_.end(), before);
    held_.resize(m_);
    floor_ = held_.back().product;
  }
  bool full() const { return held_.size() >= m_ + m_ / 2; }
  std::vector<Found> sorted() {
    sharpen();
    std::sort(held_.begin(), held_.end(), before);
    return std::move(held_);
  }

 private:
  std::size_t m_;
  float floor_ = -__builtin_inff();
  std::vector<Found> held_;
};

// The first rows of the list that is most likely to be next are on their way while this one is read.
void fetch(const Lists& lists, std::int32_t l) {
  const std::int64_t begin = l > 0 ? lists.ends[l - 1] : 0, rows = std::min<std::int64_t>(lists.ends[l] - begin, 32);
  const std::uint8_t* const first = lists.rows.data + begin * lists.rows.stride;
  for (std::int64_t at = 0; at < rows * lists.rows.stride; at += 64) __builtin_prefetch(first + at, 0, 3);
}

}  // namespace

std::vector<Found> nearest(const Lists& lists, const std::int8_t* query, float reach, std::int64_t m, std::int64_t& read) {
  const Kernels& menu = dispatch::active();
  const std::int64_t count = lists.centres.rows;
  std::int32_t sum = 0, square = 0;
  for (std::int64_t j = 0; j < lists.centres.cols; ++j) {
    sum += query[j];
    square += query[j] * query[j];
  }
  // a query of zeros reaches infinitely far all the same
  const float margin = reach * std::sqrt(static_cast<float>(std::max(square, 1)));
  std::vector<float> products(static_cast<std::size_t>(std::max(count, piece)));
  menu.products(lists.centres, nullptr, query, sum, products.data());
  std::vector<Found> promised(static_cast<std::size_t>(count));
  for (std::int64_t l = 0; l < count; ++l)
    promised[static_cast<std::size_t>(l)] = {products[static_cast<std::size_t>(l)] + margin * lists.apart[l], static_cast<std::int32_t>(l)};
  const auto later = [](const Found& a, const Found& b) { return before(b, a); };
  std::make_heap(promised.begin(), promised.end(), later);

  Best best(m);
  std::int32_t pick[piece];
  const auto look = [&](Matrix<const std::uint8_t> rows, const std::int32_t* chosen, std::int32_t first) {
    menu.products(rows, chosen, query, sum, products.data());
    for (std::int64_t i = 0; i < rows.rows; ++i)
      best.offer(products[static_cast<std::size_t>(i)], chosen ? chosen[i] : first + static_cast<std::int32_t>(i));
    if (best.full()) best.sharpen();
    read += rows.rows;
  };
  const Matrix<const std::uint8_t>& all = lists.rows;
  for (auto end = promised.end(); end != promised.begin(); --end) {
    if (promised.front().product < best.floor()) break;
    const std::int32_t l = promised.front().row;
    std::pop_heap(promised.begin(), end, later);
    fetch(lists, promised.front().row);
    for (std::int64_t i = l > 0 ? lists.ends[l - 1] : 0; i < lists.ends[l]; i += piece)
      look({all.data + i * all.stride, std::min(piece, lists.ends[l] - i), all.cols, all.stride}, nullptr,
           static_cast<std::int32_t>(i));
    for (std::int32_t at = lists.heads[l]; at >= 0;) {
      std::int64_t some = 0;
      while (at >= 0 && some < piece) {
        pick[some++] = at;
        const std::int32_t then = lists.next[at];
        at = then < at ? then : -1;
      }
      look({all.data, some, all.cols, all.stride}, pick, 0);
    }
  }
  return best.sorted();
}

}  // namespace scrubjay::near
