// What the plans of a search share: the queries scaled by their weights, the candidates of each thread, and the factor
// columns of one block of rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "dispatch.hpp"
#include "pool.hpp"
#include "rank/keeper.hpp"
#include "rank/problem.hpp"

namespace scrubjay::rank {

// Beyond this reach float32 might overflow: such rows and queries are scored in float64 alone.
constexpr double certain = 0x1p60;

// Which data some query of the batch gives a weight.
struct Uses {
  bool what, where, utility, graph, column[factors];
  bool graph_each;  // a graph value for each query and row
  bool hop;         // the graph's value is a hop over the rest of the score
};

// What one query brings to a scan: its vectors times their weights, its weights, and the bound of its rounding error.
struct Query {
  std::vector<float> what, where;
  float weight[factors] = {};
  double what_norm = 0.0, where_norm = 0.0;
  double size = 0.0;  // what_norm + where_norm + sum |w_f|: no term of a score exceeds size reach
  bool strange = false;
};

// Buffers of one thread for a block of rows.
struct Room {
  Room(std::int64_t block, bool picks);
  std::vector<float> sums, aside, what, where, reach, utility;
  std::vector<double> when;
  std::vector<std::int32_t> hits;
  std::vector<std::int64_t> at;
  std::vector<float> column[factors], decay[3];
};

class Batch;

// The factor columns of rows [begin, begin + rows) of the candidates, gathered where they are picked.
struct Block {
  Block(const Batch& batch, Room& room, std::int64_t begin, std::int64_t rows);
  std::int64_t begin, rows;
  const float* columns[factors];  // batch.shared, with room for the two that may differ between queries
  int many;
  Reach reach{};
  const double* time = nullptr;
};

class Batch {
 public:
  Batch(const Problem& problem, std::int64_t k, std::int64_t from, std::int64_t to, int threads);

  // |approximate - exact score| <= error reach, for similarities that are chains of `depth` float32 roundings in all and
  // off by `off` reach besides.
  float error(std::int64_t q, double depth, double off) const;

  // Takes a thread's find into account: a row whose exact score is within `off` of `middle`.
  void offer(int part, std::int64_t q, double middle, double off, std::int64_t row, Rest rest = {0.0, -1.0}) {
    keepers_[static_cast<std::size_t>(part)][static_cast<std::size_t>(q)].offer(middle - off, middle + off, row, exact(q), rest);
  }
  // Scores the best that the thread has seen exactly: worth it where bounds are wide.
  void sharpen(int part, std::int64_t q) { keepers_[static_cast<std::size_t>(part)][static_cast<std::size_t>(q)].sharpen(exact(q)); }
  // A lower bound of the k-th best exact score of query q; what any thread knows.
  double floor(int part, std::int64_t q);
  void share_floor(int part, std::int64_t q);

  // The exact score decides for rows whose float32 score has no bound, or for all rows of a strange query.
  void outside(int part, std::int64_t q, const Block& block, const Room& room);
  // reach of the dead becomes -infinity.
  void bury(const Block& block, Room& room) const;
  // The utility of the block at query q's time, into room.utility.
  void decay(std::int64_t q, const Block& block, Room& room) const;
  // sums += the factors that are no similarities, for query q; queries come in order.
  void blend(std::int64_t q, Block& block, Room& room, float* sums) const;

  // Merges the threads' candidates and writes the answers.
  void finish(std::int64_t* rows, double* scores, std::int64_t* counts);

  Exact exact(std::int64_t q) const { return {&p, from + q}; }
  const double* weight(std::int64_t q) const { return p.weight(from + q); }
  bool fused() const { return uses.utility && p.utility == nullptr; }

  // work(part) on each of `parts`; what they threw (only memory can run out) is thrown here.
  template <class Work>
  static void parallel(int parts, const Work& work) {
    std::atomic<bool> failed{false};
    pool::run(parts, [&](int part) {
      try {
        work(part);
      } catch (...) {
        failed = true;
      }
    });
    if (failed) throw std::bad_alloc();
  }

  const Problem& p;
  const std::int64_t k, from, count;
  const int threads;
  const Kernels& menu;
  const Uses uses;
  std::vector<int> shared;  // factors whose columns are the same for all queries
  bool one_now = true;
  std::vector<Query> queries;

 private:
  std::vector<std::atomic<double>> floors_;
  std::vector<std::vector<Keeper>> keepers_;
};

// The largest float not above x, and finite.
float down(double x);

}  // namespace scrubjay::rank
