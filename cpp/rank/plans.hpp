// The ways to go over the rows of a batch. Each is used by several threads at once, a Worker a thread.
#pragma once

#include <cstdint>
#include <memory>

#include "rank/batch.hpp"

namespace scrubjay::rank {

// Scores blocks of candidate rows and offers the batch those that may be among the best.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual void rows(std::int64_t begin, std::int64_t rows) = 0;
  virtual void finish() {}  // no more rows will come
};

class Plan {
 public:
  virtual ~Plan() = default;
  virtual std::int64_t block() const = 0;
  virtual std::unique_ptr<Worker> worker(int part) = 0;
};

// One query after the other over blocks that stay in the cache: at the read limit for one query.
std::unique_ptr<Plan> stream(Batch& batch, bool distinct_contexts);

// The upper halves of the codes leave few rows, all their bits fewer still: for one query below the cost of a scan.
std::unique_ptr<Plan> sieve(Batch& batch, bool distinct_contexts);

// Register-blocked products of rows, or of their codes, and packed queries: at the multiply-add limit for many queries.
std::unique_ptr<Plan> tile(Batch& batch, bool distinct_contexts, bool by_codes);

}  // namespace scrubjay::rank
