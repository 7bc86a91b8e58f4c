#include "rank/search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "dispatch.hpp"
#include "pool.hpp"
#include "rank/keeper.hpp"

namespace scrubjay::rank {
namespace {

constexpr double unit = 0x1p-24;      // float32: half a unit in the last place of 1
constexpr double certain = 0x1p60;    // beyond it float32 might overflow: such rows and queries are scored in float64
constexpr float lowest = -std::numeric_limits<float>::max();

// The largest float not above x, and finite.
float down(double x) {
  if (!(x > static_cast<double>(lowest))) return lowest;
  const float f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, lowest) : f;
}

// What one query brings to the scan: its vectors times their weights, and the bound of its rounding error.
struct Scaled {
  std::vector<float> what, where;
  float weight[factors] = {};
  float error = 0.0f;  // |float32 score - exact score| <= error reach
  bool strange = false;
};

double scale(std::vector<float>& out, Matrix<const float> rows, std::int64_t q, double weight) {
  out.resize(static_cast<std::size_t>(rows.cols));
  double squares = 0.0;
  for (std::int64_t j = 0; j < rows.cols; ++j) {
    const float x = static_cast<float>(weight * static_cast<double>(rows.data[q * rows.stride + j]));
    out[static_cast<std::size_t>(j)] = x;
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  return std::sqrt(squares);
}

struct Uses {
  bool what, where, utility, graph, column[factors];
};

Uses used(const Problem& p, std::int64_t from, std::int64_t to) {
  Uses u{};
  const auto any = [&](int f) {
    for (std::int64_t q = from; q < to; ++q)
      if (p.weight(q)[f] != 0.0) return true;
    return false;
  };
  u.what = any(what);
  u.where = p.where.data && p.context.data && any(where);
  u.utility = (p.utility || p.decays()) && any(when);
  u.graph = p.graph.data && any(graph);
  for (int f = usefulness; f < factors; ++f) u.column[f] = p.column[f] && any(f);
  return u;
}

// The error of the float32 score of a row of reach R is at most (depth + 8) u M R, where M = |w_what q| + |w_where c| +
// sum |w_f| bounds the sum of all |terms| / R, depth is the longest chain of roundings (a lane's multiply-adds, the tree,
// the factors), 8 more cover the rounding of the scaled query, of the weights and of the bound itself, and 16 u |w_when| R
// the utility's own error. 2^-75 R covers underflow: at most 2^17 roundings of 2^-150 each, and R >= 2^-60.
Scaled scaled(const Problem& p, const Uses& uses, std::int64_t q) {
  Scaled s;
  const double* w = p.weight(q);
  double most = 0.0, depth = 2.0;
  if (uses.what) {
    most += scale(s.what, p.query, q, w[what]);
    depth += static_cast<double>(p.what.cols) / 64.0 + 12.0;
  }
  if (uses.where) {
    most += scale(s.where, p.context, q, w[where]);
    depth += static_cast<double>(p.where.cols) / 64.0 + 12.0;
  }
  const auto column = [&](int f) {
    s.weight[f] = static_cast<float>(w[f]);
    most += std::fabs(w[f]);
    depth += 1.0;
  };
  if (uses.utility) column(when);
  if (uses.graph) column(graph);
  for (int f = usefulness; f < factors; ++f)
    if (uses.column[f]) column(f);
  s.strange = !(most <= certain);
  s.error = static_cast<float>(1.01 * unit * ((depth + 8.0) * most + 16.0 * std::fabs(w[when])) + 0x1p-75);
  return s;
}

// Runs the scan for queries [from, to) over all candidate rows.
class Scan {
 public:
  Scan(const Problem& problem, std::int64_t k, std::int64_t from, std::int64_t to, int threads)
      : p_(problem), k_(k), from_(from), count_(to - from), threads_(threads), uses_(used(problem, from, to)),
        floors_(static_cast<std::size_t>(count_)) {
    for (std::int64_t q = from; q < to; ++q) queries_.push_back(scaled(problem, uses_, q));
    for (auto& floor : floors_) floor.store(-std::numeric_limits<double>::infinity());
    one_now_ = true;
    for (std::int64_t q = from; p_.now && q < to; ++q) one_now_ = one_now_ && p_.now[q] == p_.now[from];
    keepers_.assign(static_cast<std::size_t>(threads_), std::vector<Keeper>(static_cast<std::size_t>(count_), Keeper(k)));
    if (uses_.where && p_.where_index && p_.where.rows <= p_.candidates() / 2) contexts();
  }

  void run() {
    const std::int64_t total = p_.candidates();
    const std::int64_t block = count_ == 1 ? 512 : 128;
    const std::int64_t share = total / (threads_ * 4) / block;
    const std::int64_t grain = block * std::clamp<std::int64_t>(share, 1, 16);
    std::atomic<std::int64_t> next{0};
    parallel(threads_, [&](int part) {
      Scratch scratch(*this, block);
      for (;;) {
        const std::int64_t begin = next.fetch_add(grain), end = std::min(total, begin + grain);
        if (begin >= total) return;
        for (std::int64_t at = begin; at < end; at += block)
          rows(keepers_[static_cast<std::size_t>(part)], scratch, at, std::min(block, end - at));
      }
    });
  }

  void finish(std::int64_t* rows, double* scores, std::int64_t* counts) {
    std::atomic<std::int64_t> next{0};
    parallel(count_ > 1 ? threads_ : 1, [&](int) {
      for (std::int64_t q; (q = next.fetch_add(1)) < count_;) {
        Keeper all(k_);
        for (auto& part : keepers_) {
          Keeper& one = part[static_cast<std::size_t>(q)];
          all.raise_floor(one.floor());
          all.held().insert(all.held().end(), one.held().begin(), one.held().end());
          one.held() = {};
        }
        all.prune();
        const std::vector<Hit> hits = best(all.held(), k_, exact(q));
        const std::int64_t at = (from_ + q) * k_;
        for (std::int64_t i = 0; i < k_; ++i) {
          const bool there = i < static_cast<std::int64_t>(hits.size());
          rows[at + i] = there ? hits[static_cast<std::size_t>(i)].row : -1;
          scores[at + i] = there ? hits[static_cast<std::size_t>(i)].score : -std::numeric_limits<double>::infinity();
        }
        counts[from_ + q] = static_cast<std::int64_t>(hits.size());
      }
    });
  }

  bool distinct_contexts() const { return !table_.empty(); }

 private:
  struct Scratch {
    explicit Scratch(const Scan& scan, std::int64_t block)
        : sums(size(block)), aside(size(block)), what(size(block)), where(size(block)), reach(size(block)),
          utility(size(block)), when(size(block)), hits(size(block)), at(size(block)) {
      for (auto& column : column) column.resize(size(scan.p_.pick ? block : 0));
      for (auto& column : decay) column.resize(size(scan.p_.pick ? block : 0));
    }
    static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
    std::vector<float> sums, aside, what, where, reach, utility;
    std::vector<double> when;
    std::vector<std::int32_t> hits;
    std::vector<std::int64_t> at;
    std::vector<float> column[factors], decay[3];
  };

  // work(part) on each of `threads` parts; what they threw (only memory can run out) is thrown here.
  template <class Work>
  static void parallel(int threads, const Work& work) {
    std::atomic<bool> failed{false};
    pool::run(threads, [&](int part) {
      try {
        work(part);
      } catch (...) {
        failed = true;
      }
    });
    if (failed) throw std::bad_alloc();
  }

  Exact exact(std::int64_t q) const { return {&p_, from_ + q}; }

  // Similarities of the few distinct contexts, once a query; the rows then look theirs up.
  void contexts() {
    const std::int64_t many = p_.where.rows;
    table_.resize(static_cast<std::size_t>(many * count_ + 1));
    table_norms_.resize(static_cast<std::size_t>(many));
    std::atomic<std::int64_t> next{0};
    parallel(threads_, [&](int) {
      for (std::int64_t at; (at = next.fetch_add(128)) < many;) {
        const std::int64_t rows = std::min<std::int64_t>(128, many - at);
        const Matrix<const float> part{p_.where.data + at * p_.where.stride, rows, p_.where.cols, p_.where.stride};
        for (std::int64_t q = 0; q < count_; ++q)
          menu_.scan(part, nullptr, queries_[static_cast<std::size_t>(q)].where.data(), false, &table_[static_cast<std::size_t>(q * many + at)],
                     q == 0 ? &table_norms_[static_cast<std::size_t>(at)] : nullptr);
      }
    });
  }

  const float* slice(const float* column, std::int64_t begin, std::int64_t rows, std::vector<float>& room) const {
    if (!p_.pick) return column + begin;
    for (std::int64_t i = 0; i < rows; ++i) room[static_cast<std::size_t>(i)] = column[p_.pick[begin + i]];
    return room.data();
  }

  const double* times(std::int64_t begin, std::int64_t rows, Scratch& s) const {
    if (!p_.pick) return p_.time + begin;
    for (std::int64_t i = 0; i < rows; ++i) s.when[static_cast<std::size_t>(i)] = p_.time[p_.pick[begin + i]];
    return s.when.data();
  }

  void similarity(Matrix<const float> all, std::int64_t begin, std::int64_t rows, const float* query, bool accumulate,
                  float* sums, float* norms) const {
    const Matrix<const float> part{p_.pick ? all.data : all.data + begin * all.stride, rows, all.cols, all.stride};
    menu_.scan(part, p_.pick ? p_.pick + begin : nullptr, query, accumulate, sums, norms);
  }

  void place(std::int64_t q, std::int64_t begin, std::int64_t rows, Scratch& s, float* norms) const {
    const std::vector<float>& query = queries_[static_cast<std::size_t>(q)].where;
    if (!p_.where_index) return similarity(p_.where, begin, rows, query.data(), true, s.sums.data(), norms);
    if (distinct_contexts()) {
      const float* table = table_.data() + q * p_.where.rows;
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int32_t at = p_.where_index[p_.row(begin + i)];
        s.sums[static_cast<std::size_t>(i)] += at < 0 ? 0.0f : table[at];
        if (norms) norms[i] = at < 0 ? 0.0f : table_norms_[static_cast<std::size_t>(at)];
      }
      return;
    }
    if (p_.where.rows == 0) {
      if (norms) std::fill(norms, norms + rows, 0.0f);
      return;
    }
    for (std::int64_t i = 0; i < rows; ++i)
      s.at[static_cast<std::size_t>(i)] = std::max(0, p_.where_index[p_.row(begin + i)]);
    const Matrix<const float> part{p_.where.data, rows, p_.where.cols, p_.where.stride};
    menu_.scan(part, s.at.data(), query.data(), false, s.aside.data(), norms);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (p_.where_index[p_.row(begin + i)] >= 0)
        s.sums[static_cast<std::size_t>(i)] += s.aside[static_cast<std::size_t>(i)];
      else if (norms)
        norms[i] = 0.0f;
    }
  }

  void stretched(const Reach& in, const double* when, const float* shape, double now, std::int64_t rows, float* out) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      const double age = std::max(0.0, now - when[i]);
      const double x = std::pow(static_cast<double>(in.pi[i]) * age / static_cast<double>(in.tau[i]), static_cast<double>(shape[i]));
      out[i] = shape[i] > 0.0f && std::isfinite(when[i]) ? static_cast<float>(static_cast<double>(in.value[i]) * std::exp(-x))
                                                         : std::numeric_limits<float>::quiet_NaN();
    }
  }

  void rows(std::vector<Keeper>& keepers, Scratch& s, std::int64_t begin, std::int64_t rows) {
    const float* columns[factors];
    float weights[factors];
    int shared[factors], many = 0;
    if (uses_.utility && p_.utility) {
      shared[many] = when;
      columns[many++] = slice(p_.utility, begin, rows, s.column[when]);
    }
    if (uses_.graph && !p_.graph_per_query()) {
      shared[many] = graph;
      columns[many++] = slice(p_.graph.data, begin, rows, s.column[graph]);
    }
    for (int f = usefulness; f < factors; ++f)
      if (uses_.column[f]) {
        shared[many] = f;
        columns[many++] = slice(p_.column[f], begin, rows, s.column[f]);
      }
    const bool fused = uses_.utility && !p_.utility;
    Reach reach{uses_.what ? s.what.data() : nullptr, uses_.where ? s.where.data() : nullptr, columns, many, nullptr, nullptr,
                nullptr, nullptr};
    const double* time = nullptr;
    const float* shape = nullptr;
    if (fused) {
      reach.value = slice(p_.value, begin, rows, s.decay[0]);
      reach.pi = slice(p_.pi, begin, rows, s.decay[1]);
      reach.tau = slice(p_.tau, begin, rows, s.decay[2]);
      reach.utility = s.utility.data();
      time = times(begin, rows, s);
      if (p_.shape) shape = slice(p_.shape, begin, rows, s.column[when]);
    }
    std::int64_t strange = 0;
    for (std::int64_t q = 0; q < count_; ++q) {
      const Scaled& query = queries_[static_cast<std::size_t>(q)];
      Keeper& keeper = keepers[static_cast<std::size_t>(q)];
      auto& floor = floors_[static_cast<std::size_t>(q)];
      keeper.raise_floor(floor.load(std::memory_order_relaxed));
      const double* w = p_.weight(from_ + q);
      const bool first = q == 0;
      if (uses_.what && (first || w[what] != 0.0))
        similarity(p_.what, begin, rows, query.what.data(), false, s.sums.data(), first ? s.what.data() : nullptr);
      else
        std::fill(s.sums.begin(), s.sums.begin() + rows, 0.0f);
      if (uses_.where && (first || w[where] != 0.0)) place(q, begin, rows, s, first ? s.where.data() : nullptr);
      int count = many;
      for (int f = 0; f < many; ++f) weights[f] = query.weight[shared[f]];
      if (fused && (first || (w[when] != 0.0 && !one_now_))) {
        const double now = p_.now[from_ + q];
        if (shape)
          stretched(reach, time, shape, now, rows, s.utility.data());
        else
          menu_.utility({reach.value, rows}, reach.pi, reach.tau, time, now, s.utility.data());
      }
      if (fused) {
        weights[count] = query.weight[when];
        columns[count++] = s.utility.data();
      }
      if (uses_.graph && p_.graph_per_query()) {
        weights[count] = query.weight[graph];
        columns[count++] = slice(p_.graph.data + (from_ + q) * p_.graph.stride, begin, rows, s.column[graph]);
      }
      menu_.blend(columns, weights, count, rows, s.sums.data());
      if (first || (uses_.graph && p_.graph_per_query())) {
        reach.count = count;
        strange = menu_.reach(reach, rows, s.reach.data());
        if (p_.live.bits)
          for (std::int64_t i = 0; i < rows; ++i)
            if (!p_.alive(p_.row(begin + i))) s.reach[static_cast<std::size_t>(i)] = -std::numeric_limits<float>::infinity();
      }
      if (query.strange || strange > 0) outside(keeper, s, q, query.strange, begin, rows);
      if (query.strange) continue;
      const std::int64_t found = menu_.sift(rows, s.sums.data(), s.reach.data(), query.error, down(keeper.floor()), s.hits.data());
      for (std::int64_t i = 0; i < found; ++i) {
        const auto at = static_cast<std::size_t>(s.hits[static_cast<std::size_t>(i)]);
        const double middle = s.sums[at], error = static_cast<double>(query.error) * static_cast<double>(s.reach[at]);
        keeper.offer(middle - error, middle + error, p_.row(begin + static_cast<std::int64_t>(at)), exact(q));
      }
      double before = floor.load(std::memory_order_relaxed);
      while (keeper.floor() > before && !floor.compare_exchange_weak(before, keeper.floor())) {
      }
    }
  }

  // Rows (or, for a strange query, all rows) whose float32 score has no bound: the exact score decides.
  void outside(Keeper& keeper, const Scratch& s, std::int64_t q, bool all, std::int64_t begin, std::int64_t rows) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = p_.row(begin + i);
      if ((!all && s.reach[static_cast<std::size_t>(i)] > 0.0f) || !p_.alive(row)) continue;
      const double score = exact(q)(row);
      if (!std::isnan(score)) keeper.offer(score, score, row, exact(q));
    }
  }

  const Problem& p_;
  const std::int64_t k_, from_, count_;
  const int threads_;
  const Kernels& menu_ = dispatch::active();
  const Uses uses_;
  bool one_now_ = true;
  std::vector<Scaled> queries_;
  std::vector<std::atomic<double>> floors_;
  std::vector<std::vector<Keeper>> keepers_;
  std::vector<float> table_, table_norms_;
};

}  // namespace

std::string search(const Problem& p, std::int64_t k, int threads, std::int64_t* rows, double* scores, std::int64_t* counts) {
  const std::int64_t bytes = p.candidates() * 4 * (p.what.cols + (p.where.data && !p.where_index ? p.where.cols : 0) + 8);
  if (bytes * std::max<std::int64_t>(1, p.queries / 4) < pool::worthwhile) threads = 1;
  // At most 256 MB of candidates at a time, whatever k is.
  const std::int64_t each = (2 * std::min(k, p.candidates()) + 256) * static_cast<std::int64_t>(sizeof(Candidate)) * threads;
  const std::int64_t group = std::clamp<std::int64_t>((std::int64_t{256} << 20) / each, 1, 1024);
  bool table = false;
  for (std::int64_t from = 0; from < p.queries; from += group) {
    Scan scan(p, k, from, std::min(p.queries, from + group), threads);
    scan.run();
    scan.finish(rows, scores, counts);
    table = scan.distinct_contexts();
  }
  std::string plan = p.pick ? "subset" : "scan";
  if (table) plan += "+contexts";
  return plan;
}

}  // namespace scrubjay::rank
