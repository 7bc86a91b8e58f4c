// One side of the score, what or where, for one query after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "rank/batch.hpp"
#include "rank/levels.hpp"

namespace scrubjay::rank {

// The similarities of stored rows to the batch's queries.
class Scanner {
 public:
  Scanner(const Batch& batch, const Rows& rows, std::vector<float> Query::* vector);

  double depth() const { return depth_; }
  double off(std::int64_t q) const { return levels_.empty() ? 0.0 : levels_[static_cast<std::size_t>(q)].off_both; }

  // sums (+)= similarities of query q to rows pick[0 .. rows), or begin .. begin + rows where pick is null; norms, if not
  // null, are the rows' squared norms.
  void scan(std::int64_t q, const std::int64_t* pick, std::int64_t begin, std::int64_t rows, bool accumulate, float* sums, float* norms) const;

 private:
  const Batch& batch_;
  const Rows& rows_;
  std::vector<float> Query::* vector_;
  std::vector<Levels> levels_;
  double depth_;
};

// The similarities of the candidates' places: their own vectors, or those of the contexts that they point at. The few
// distinct contexts are scored once a query and looked up.
class Places {
 public:
  Places(const Batch& batch, bool distinct_contexts);

  bool looked_up() const { return !table_.empty(); }
  double depth() const { return scanner_.depth(); }
  double off(std::int64_t q) const { return scanner_.off(q); }
  void add(std::int64_t q, const Block& block, Room& room, float* sums, float* norms) const;

 private:
  const Batch& batch_;
  Scanner scanner_;
  std::vector<float> table_, norms_;
};

}  // namespace scrubjay::rank
