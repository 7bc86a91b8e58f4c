#include "rank/keeper.hpp"

#include <algorithm>
#include <cmath>

#include "rank/problem.hpp"

namespace scrubjay::rank {

double Exact::operator()(std::int64_t row) const {
  double terms[factors];
  contributions(*static_cast<const Problem*>(problem), query, row, terms);
  return total(terms);
}

double Exact::part(std::int64_t row) const {
  double terms[factors];
  without_graph(*static_cast<const Problem*>(problem), query, row, terms);
  return total(terms);
}

void Exact::fetch(std::int64_t row) const { prefetch(*static_cast<const Problem*>(problem), row); }

void Keeper::prune() {
  if (static_cast<std::int64_t>(held_.size()) >= k_) {
    const auto kth = held_.begin() + (k_ - 1);
    std::nth_element(held_.begin(), kth, held_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.lower > b.lower; });
    raise_floor(kth->lower);
  }
  std::erase_if(held_, [this](const Candidate& c) { return c.upper < floor_; });
}

void Keeper::narrow(const Exact& exact) {
  bool any = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    Candidate& c = held_[i];
    if (c.rest.off < 0.0 || c.lower == c.upper) continue;
    if (i + 2 < held_.size()) exact.fetch(held_[i + 2].row);
    const double part = exact.part(c.row) + c.rest.middle;
    c.lower = part - c.rest.off;
    c.upper = part + c.rest.off;
    c.rest.off = -1.0;
    any = true;
  }
  if (any) prune();
}

void Keeper::settle(const Exact& exact) {
  for (Candidate& c : held_)
    if (c.lower != c.upper) c.lower = c.upper = exact(c.row);
  std::erase_if(held_, [](const Candidate& c) { return std::isnan(c.lower); });
  if (static_cast<std::int64_t>(held_.size()) <= k_) return;
  std::nth_element(held_.begin(), held_.begin() + (k_ - 1), held_.end(), [](const Candidate& a, const Candidate& b) {
    return before({a.lower, a.row}, {b.lower, b.row});
  });
  held_.resize(static_cast<std::size_t>(k_));
  raise_floor(held_.back().lower);
}

void Keeper::sharpen(const Exact& exact) {
  if (static_cast<std::int64_t>(held_.size()) < k_) return;
  const auto kth = held_.begin() + (k_ - 1);
  std::nth_element(held_.begin(), kth, held_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.lower > b.lower; });
  for (auto c = held_.begin(); c <= kth; ++c)
    if (c->lower != c->upper) c->lower = c->upper = exact(c->row);
  std::erase_if(held_, [](const Candidate& c) { return std::isnan(c.lower); });
  prune();
  full_ = static_cast<std::int64_t>(held_.size()) + step();
}

void Keeper::compact(const Exact& exact) {
  prune();
  const auto many = [this] { return static_cast<std::int64_t>(held_.size()) + step() > 2 * k_ + 256; };
  if (many()) narrow(exact);
  if (many()) settle(exact);
  full_ = static_cast<std::int64_t>(held_.size()) + step();
}

std::vector<Hit> best(std::vector<Candidate>& held, std::int64_t k, const Exact& exact) {
  std::sort(held.begin(), held.end(), [](const Candidate& a, const Candidate& b) {
    return a.upper > b.upper || (a.upper == b.upper && a.row < b.row);
  });
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Candidate& c = held[i];
    for (std::size_t next = i ? i + 2 : 0; next < i + 3 && next < held.size(); ++next) exact.fetch(held[next].row);
    const bool full = static_cast<std::int64_t>(hits.size()) == k;
    if (full && c.upper < hits.front().score) break;
    const Hit hit{c.lower == c.upper ? c.lower : exact(c.row), c.row};
    if (std::isnan(hit.score) || (full && !before(hit, hits.front()))) continue;
    if (full) {
      std::pop_heap(hits.begin(), hits.end(), before);
      hits.pop_back();
    }
    hits.push_back(hit);
    std::push_heap(hits.begin(), hits.end(), before);
  }
  std::sort_heap(hits.begin(), hits.end(), before);
  return hits;
}

}  // namespace scrubjay::rank
