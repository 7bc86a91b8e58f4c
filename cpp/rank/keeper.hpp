// The bounded set of rows that may still be among the k best of one query.
//
// A row enters with an interval [lower, upper] around its exact score. The floor, the k-th largest lower end seen, only
// rises; a row whose upper end is below it can never be among the k best and is dropped. When more than the capacity
// (2 k + 256) still overlap, as with a mass of ties, their exact scores are computed and all but the k best of them dropped
// (score descending, then row ascending): memory stays bounded whatever the data are, the price is a float64 score a row.
#pragma once

#include <cstdint>
#include <vector>

namespace scrubjay::rank {

// Where the score is a part that costs one row to know and a rest that costs many (a hop), the rest has an interval too.
struct Rest {
  double middle, off;
};

struct Candidate {
  double lower, upper;  // equal: exact
  std::int64_t row;
  Rest rest{0.0, -1.0};  // off < 0: nothing is left but the exact score
};

struct Hit {
  double score;
  std::int64_t row;
};

// Score descending, then row ascending.
inline bool before(const Hit& a, const Hit& b) { return a.score > b.score || (a.score == b.score && a.row < b.row); }

// The exact score of a row for the query that a keeper serves; NaN: never ranks.
struct Exact {
  const void* problem;
  std::int64_t query;
  double operator()(std::int64_t row) const;
  double part(std::int64_t row) const;         // without the rest
  void fetch(std::int64_t row) const;  // into the cache, for a call to come
};

class Keeper {
 public:
  explicit Keeper(std::int64_t k) : k_(k), full_(k + step()) {}
  double floor() const { return floor_; }
  void raise_floor(double floor) {
    if (floor > floor_) floor_ = floor;
  }
  void offer(double lower, double upper, std::int64_t row, const Exact& exact, Rest rest = {0.0, -1.0}) {
    if (upper < floor_) return;
    held_.push_back({lower, upper, row, rest});
    if (static_cast<std::int64_t>(held_.size()) >= full_) compact(exact);
  }
  // Rows that are still possible, in no order.
  std::vector<Candidate>& held() { return held_; }
  void prune();
  // Narrows what is held to its rest's interval, and prunes.
  void narrow(const Exact& exact);
  // Scores the k best seen exactly and raises the floor to the k-th.
  void sharpen(const Exact& exact);

 private:
  void compact(const Exact& exact);
  void settle(const Exact& exact);

  std::int64_t step() const { return k_ / 2 > 16 ? k_ / 2 : 16; }

  std::int64_t k_, full_;  // at full_ candidates the floor is raised and what is below it dropped
  double floor_ = -__builtin_inf();
  std::vector<Candidate> held_;
};

// The k best of `held` (fewer if there are fewer), sorted; computes as few exact scores as the intervals allow.
std::vector<Hit> best(std::vector<Candidate>& held, std::int64_t k, const Exact& exact);

}  // namespace scrubjay::rank
